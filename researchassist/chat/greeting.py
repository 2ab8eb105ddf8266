"""What a new conversation is greeted with: questions about what is in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from researchassist.memory.manager import MemoryManager

from .forms import new_key

_MOST_TITLES = 4
_TITLE_CHARS = 90
_ASKING = (
    "What does “{}” claim, and on what evidence?",
    "Summarize “{}” in five sentences.",
    "What are the limits of “{}”?",
    "How could the findings of “{}” be checked?",
)
# Without a language model an answer is quoted: what can be found is asked for, nothing that must be written.
_QUOTING = (
    "What does “{}” claim?",
    "Which results does “{}” report?",
    "What are the limits of “{}”?",
    "Who wrote “{}”, and when?",
)


@dataclass(frozen=True)
class Example:
    """A question to start with."""

    text: str
    key: str = field(default_factory=new_key)


def examples(memory: MemoryManager, *, model_set: bool) -> Sequence[Example]:
    """Four questions, each about another document where there are enough; none where there is none.

    The person's own documents come before samples, the newest first.
    """
    titles = [_short(title) for title in memory.document_titles(_MOST_TITLES)]
    patterns = _ASKING if model_set else _QUOTING
    return [Example(one.format(titles[i % len(titles)])) for i, one in enumerate(patterns) if titles]


def _short(title: str) -> str:
    """A title that fits a button, cut at a word where it can be."""
    if len(title) <= _TITLE_CHARS:
        return title
    head = title[: _TITLE_CHARS - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[40:] else head) + "…"
