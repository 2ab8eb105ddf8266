"""Writing the text and label of a summary (R8), with a model or without one.

Owns the four headings, the retry, the fallback and that exact identifiers survive; which
messages are condensed and marked is condense.py's.
"""

import re
from dataclasses import dataclass

from researchassist.errors import ModelError
from researchassist.llm.thinking import without_thinking
from researchassist.llm.types import LanguageModel, complete
from researchassist.options import Options
from researchassist.papers.identify import identifiers

from .prompts import render

HEADINGS = ("Technical Information", "Emotional Context", "Entities & References", "Action Items & Decisions")
ENTITIES = HEADINGS[2]

# CTX-C3
SUMMARY_TOKENS = 4000
LABEL_TOKENS = 2000
LABEL_WORDS = range(8, 13)
_LABEL_CHARS = 300
_LABEL_WORD_CHARS = 28
_GENERIC = re.compile(
    r"^(a |the )?((brief|short|general) )?"
    r"(conversation|chat|thread|dialogue|discussion|context|text|message)s? "
    r"(summary|overview|recap|log|history)\b"
    r"|^(a |the )?((brief|short|general) )?summary of (a |the |this |our )?"
    r"(conversation|chat|thread|dialogue|discussion)s?\b",
    re.IGNORECASE,
)
# How a summary's characters are shared where they must be, in the headings' order.
_SHARES = (0.42, 0.1, 0.3, 0.18)
_IDENTIFIER_SHARE = 0.25
_ECHO_CHARS = 400
_ECHO_SHARE = 0.6
# The time and speaker a line of a transcript starts with.
_LINE_HEAD = re.compile(r"^\[[^\]\n]*\] (?:user|assistant): ", re.MULTILINE)
_HEADING_LINE = re.compile(
    r"^[#*\s]*(" + "|".join(re.escape(heading) for heading in HEADINGS) + r")[*:\s]*$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class WrittenSummary:
    """A summary's text and label; `problem` says why a model did not write it, if so."""

    text: str
    label: str
    problem: str = ""


def write_summary(
    text: str, writer: LanguageModel | None, options: Options, *, whole: str = ""
) -> WrittenSummary:
    """Condenses at most the first `summary_input_chars` of `text`.

    One retry with a simpler prompt, then a deterministic text; never empty, never raises for a
    model that fails. Where `text` is only part of a `whole`, exact identifiers are taken from that.
    """
    source = text[: options.summary_input_chars]
    sections, problem = _asked(source, writer, options)
    sections = sections or _without_model(source)
    sections = _with_identifiers(sections, whole or source, options.summary_chars)
    summary = "\n\n".join(f"### {heading}\n{sections[heading]}" for heading in HEADINGS)
    label, label_problem = _label(summary, source, writer)
    return WrittenSummary(summary, label, problem or label_problem)


def summary_by_rule(text: str, options: Options) -> WrittenSummary:
    """A summary of `text` that no model was asked for."""
    return write_summary(text[: options.summary_input_chars], None, options, whole=text)


def _asked(source: str, writer: LanguageModel | None, options: Options) -> tuple[dict[str, str], str]:
    """The four sections a model wrote, or none and why not."""
    if writer is None:
        return {}, ""
    problem = ""
    prompts = (
        render("summary", text=source, limit=str(options.summary_chars)),
        render("summary_simple", text=source),
    )
    for prompt in prompts:
        try:
            reply = without_thinking(complete(writer, prompt, max_tokens=SUMMARY_TOKENS))
        except ModelError as error:
            problem = str(error)
            continue
        sections = _parsed(reply)
        if sections and not is_echo(reply, source, prompt):
            return sections, ""
        problem = "The model's summary did not have the four headings."
        if sections:
            problem = "The model's summary only repeated the text."
    return {}, problem


def is_echo(reply: str, source: str, prompt: str) -> bool:
    """Whether a reply repeats what the model was given instead of condensing it: its instructions, or
    most of the lines of a source that is long enough to be condensed."""
    if prompt.splitlines()[0] in reply:
        return True
    lines = [line.strip() for line in _LINE_HEAD.sub("", source).splitlines() if line.strip()]
    length = sum(map(len, lines))
    repeated = sum(len(line) for line in lines if line in reply)
    return length > _ECHO_CHARS and repeated > length * _ECHO_SHARE


def _parsed(reply: str) -> dict[str, str]:
    """The sections of a reply; empty where a heading is missing or there is no text at all."""
    parts = _HEADING_LINE.split(reply)
    found = {
        heading.casefold(): body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=False)
    }
    sections = {heading: found.get(heading.casefold()) for heading in HEADINGS}
    if any(body is None for body in sections.values()) or not any(sections.values()):
        return {}
    return {heading: body or "- None." for heading, body in sections.items()}


def _without_model(source: str) -> dict[str, str]:
    """Sections by rule: the opening words of what was said, and the exact identifiers."""
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    heads = [line if len(line) <= 140 else line[:139].rsplit(" ", 1)[0] + " …" for line in lines]
    shown = heads[:3] + (["…"] if len(heads) > 5 else []) + (heads[-2:] if len(heads) > 3 else [])
    return {
        HEADINGS[0]: "\n".join(f"- {line}" for line in shown) or "- No text.",
        HEADINGS[1]: "- Not assessed: this summary was made without a language model.",
        HEADINGS[2]: "- See the originals.",
        HEADINGS[3]: "- See the originals.",
    }


def _with_identifiers(sections: dict[str, str], source: str, limit: int) -> dict[str, str]:
    """The sections within `limit` characters, with the identifiers they lost put back verbatim.

    Those that do not fit stay reachable behind the summary and are counted.
    """
    bounded = _bounded(sections, int(limit * (1 - _IDENTIFIER_SHARE)))
    kept = "\n".join(bounded.values())
    lost = [name for name in identifiers(_LINE_HEAD.sub("", source)) if name not in kept]
    if not lost:
        return _bounded(sections, limit) if sum(map(len, sections.values())) <= limit - 120 else bounded
    room = limit - sum(len(body) + 30 for body in bounded.values()) - 60
    fitting: list[str] = []
    for name in lost:
        if sum(len(f) + 2 for f in fitting) + len(name) <= room:
            fitting.append(name)
    more = len(lost) - len(fitting)
    rest = f" (and {more} more in the originals)" if more else ""
    bounded[ENTITIES] += f"\n- Exact identifiers: {', '.join(fitting)}{rest}"
    return bounded


def _bounded(sections: dict[str, str], limit: int) -> dict[str, str]:
    """The sections cut at line or word ends so that all together have at most `limit` characters."""
    limit -= sum(len(heading) + 8 for heading in HEADINGS)
    if sum(len(body) for body in sections.values()) <= limit:
        return dict(sections)
    shares = zip(HEADINGS, _SHARES, strict=True)
    return {heading: _cut(sections[heading], int(limit * share)) for heading, share in shares}


def _cut(body: str, limit: int) -> str:
    if len(body) <= limit:
        return body
    head = body[: max(limit - 2, 1)]
    for border in ("\n", " "):
        if border in head[limit // 2 :]:
            head = head.rsplit(border, 1)[0]
            break
    return head.rstrip() + " …"


def _label(summary: str, source: str, writer: LanguageModel | None) -> tuple[str, str]:
    """A specific label of 8 to 12 words, and why the model's own was not taken, if so."""
    problem = ""
    if writer is not None:
        try:
            reply = complete(writer, render("label", summary=summary), max_tokens=LABEL_TOKENS)
            label = " ".join(without_thinking(reply).split()).strip(" \"'*#.`")
            if acceptable_label(label):
                return label, ""
            problem = "The model's label was general or not of 8 to 12 words."
        except ModelError as error:
            problem = str(error)
    return _label_without_model(source), problem


def acceptable_label(label: str) -> bool:
    """R8: 8 to 12 words, and not a phrase that fits every conversation."""
    right_length = len(label.split()) in LABEL_WORDS and len(label) <= _LABEL_CHARS
    return right_length and not _GENERIC.search(label)


def _label_without_model(source: str) -> str:
    """The first words of what was condensed, filled up with its identifiers and a fixed tail."""
    first = next((line for line in source.splitlines() if line.strip()), "empty text")
    first = _LINE_HEAD.sub("", first)
    words = _words(first)[:10] or ["Text"]
    fill = [
        *_words(", ".join(identifiers(source)[:4])),
        *_words("and what was said after it, condensed without model"),
    ]
    while len(words) < LABEL_WORDS.start:
        words.append(fill.pop(0))
    label = " ".join(words[: LABEL_WORDS.stop - 1])
    return label if acceptable_label(label) else f"About: {' '.join(words[:9])}"


def _words(text: str) -> list[str]:
    words = (word.strip('-*#>|`"') for word in text.split())
    return [word[:_LABEL_WORD_CHARS] for word in words if word]
