"""The running summary of a paged thread: what an eviction makes of it (seed of hierarchical memory).

Owns folding evicted messages in, with the writer model or by rule, its bounds, and that exact
identifiers survive; which messages are evicted and marked is paging.py's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from researchassist.errors import ModelError
from researchassist.llm.thinking import without_thinking
from researchassist.llm.types import LanguageModel, complete
from researchassist.memory.readings import message_line
from researchassist.memory.records import MessageRecord, RunningSummary
from researchassist.memory.text import count_words, first_words, head_and_tail
from researchassist.options import Options
from researchassist.papers.identify import identifiers

from .allowances import allowances
from .prompts import render
from .summaries import ENTITIES, is_echo

_TOKENS = 2000
# Shares of the line in the window: two thirds for words of six characters, a third for identifiers.
_WORDS_A_TOKEN = 0.38
_IDENTIFIER_CHARS_A_TOKEN = 1.3
_HEAD_CHARS = 140
# The line of a message that was folded in by rule.
_BY_RULE = re.compile(r"^- \[[^\]\n]*\] (?:user|assistant): ", re.MULTILINE)
_LEFT_OUT = "- (More was said here; expand_summary and recall_search open it.)"


@dataclass(frozen=True)
class Folded:
    """A running summary's words after an eviction; `problem` says why no model wrote them, if so."""

    prose: str
    problem: str = ""


def text_of(summary: RunningSummary) -> str:
    """The whole running summary: its words, then the identifiers they do not hold."""
    lost = [name for name in (*summary.person, *summary.others) if name not in summary.prose]
    if not lost and not summary.left_out:
        return summary.prose
    more = f" (and {summary.left_out} more in the originals)" if summary.left_out else ""
    return f"{summary.prose}\n\n### {ENTITIES}\n- Exact identifiers: {', '.join(lost)}{more}"


def fold(
    previous: RunningSummary | None,
    evicted: Sequence[MessageRecord],
    writer: LanguageModel | None,
    options: Options,
) -> RunningSummary:
    """The running summary that covers `evicted` too; only the previous one and they go in.

    Never raises for a model that fails: what was there then stays, and the evicted messages are added
    by their opening words.
    """
    before = previous or RunningSummary(number=0, prose="")
    words, characters = bounds(options)
    folded = _asked(text_of(before) if previous else "", evicted, writer, options)
    prose = folded.prose or _by_rule(before.prose, evicted, words)
    person, others, left_out = _names(before, evicted, characters)
    return RunningSummary(
        number=before.number + 1,
        prose=prose,
        person=person,
        others=others,
        left_out=left_out,
        messages=len(evicted),
        problem=folded.problem,
    )


def bounds(options: Options) -> tuple[int, int]:
    """The most words and the most characters of identifiers: the options', or less where the line of a
    small window is too short for them (about a third of it for identifiers)."""
    line = allowances(options)["running_summary"]
    words = min(options.running_summary_words, max(int(line * _WORDS_A_TOKEN), 1))
    return words, min(options.identifier_chars, int(line * _IDENTIFIER_CHARS_A_TOKEN))


def _asked(
    previous: str, evicted: Sequence[MessageRecord], writer: LanguageModel | None, options: Options
) -> Folded:
    """What the writer model made of it; without words where it failed, and why."""
    if writer is None:
        return Folded("")
    lines = "\n".join(message_line(message) for message in evicted)
    source = head_and_tail(lines, options.summary_input_chars)
    words, _ = bounds(options)
    prompt = render("running_summary", previous=previous or "(none)", evicted=source, max_words=str(words))
    try:
        reply = without_thinking(complete(writer, prompt, max_tokens=_TOKENS)).strip()
    except ModelError as error:
        return Folded("", str(error))
    if not reply:
        return Folded("", "The model's running summary was empty.")
    if is_echo(reply, source, prompt):
        return Folded("", "The model's running summary only repeated the messages.")
    if count_words(reply) <= words:
        return Folded(reply)
    return Folded(first_words(reply, words), f"The model's running summary was cut to {words} words.")


def _by_rule(before: str, evicted: Sequence[MessageRecord], limit: int) -> str:
    """What was there, then the opening words of the evicted messages: the oldest such lines go first
    where it gets too long."""
    lines = before.splitlines()
    kept = [line for line in lines if not _BY_RULE.match(line) and line != _LEFT_OUT]
    heads = [line for line in lines if _BY_RULE.match(line)]
    heads += ["- " + _head(message_line(message)) for message in evicted]
    shown = list(heads)
    while shown and count_words("\n".join([*kept, _LEFT_OUT, *shown])) > limit:
        shown.pop(0)
    return "\n".join([*kept, *([_LEFT_OUT] if len(shown) < len(heads) else []), *shown]).strip()


def _head(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= _HEAD_CHARS else line[: _HEAD_CHARS - 1].rsplit(" ", 1)[0] + " …"


def _names(
    before: RunningSummary, evicted: Sequence[MessageRecord], room: int
) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """The exact identifiers kept, what the person said first, and how many did not fit.

    Those kept once stay, but that the assistant's give way to the person's.
    """
    person, others = list(before.person), list(before.others)
    for message in evicted:
        known = {*person, *others}
        new = [name for name in identifiers(message.content) if name not in known]
        (person if message.role == "user" else others).extend(new)
    left_out = before.left_out
    fitting: list[str] = []
    for name in (*person, *others):
        if sum(len(one) + 2 for one in fitting) + len(name) <= room:
            fitting.append(name)
        else:
            left_out += 1
    kept = set(fitting)
    return tuple(n for n in person if n in kept), tuple(n for n in others if n in kept), left_out
