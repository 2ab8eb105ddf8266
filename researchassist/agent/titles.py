"""A name for a conversation out of its first exchange, by the writer model.

Owns the prompt and what is taken as a name; when it is asked, and that a person's own name stays, is
writeback.py's and memory's.
"""

import re

from researchassist.errors import ModelError
from researchassist.llm.thinking import without_thinking
from researchassist.llm.types import LanguageModel, complete
from researchassist.memory.text import head_and_tail, storable
from researchassist.memory.thread_records import TITLE_CHARS

from .context import new_fence
from .prompts import render

EXCERPT_CHARS = 1200
TITLE_TOKENS = 1000
MOST_WORDS = 14
NO_TITLE = "The model's reply was no name for a conversation."
_LEAD = re.compile(r"^(?:title|name)\s*:\s*", re.IGNORECASE)
_MARKS = " \t\"'“”„‘’«»*_#`"


def write_title(question: str, answer: str, writer: LanguageModel) -> str:
    """One line of at most TITLE_CHARS characters; raises ModelError where there is none to be had."""
    prompt = render(
        "title",
        fence=new_fence(),
        question=head_and_tail(question, EXCERPT_CHARS),
        answer=head_and_tail(answer, EXCERPT_CHARS),
    )
    title = _title_in(complete(writer, prompt, max_tokens=TITLE_TOKENS))
    if not title:
        raise ModelError(NO_TITLE)
    return title


def _title_in(reply: str) -> str:
    """The name in a reply; "" where it is none: prose, code, a list, or too long."""
    lines = [line for line in storable(without_thinking(reply)).splitlines() if line.strip()]
    if len(lines) != 1:
        return ""
    line = _LEAD.sub("", lines[0].strip(_MARKS)).strip(_MARKS)
    line = " ".join(line.removesuffix(".").split())
    fits = len(line) <= TITLE_CHARS and len(line.split()) <= MOST_WORDS
    is_name = any(character.isalnum() for character in line) and not line.startswith(("[", "{", "<", "|"))
    return line if fits and is_name else ""
