"""Facts out of what the person says, by the writer model, each on a quoted span of their own words.

Owns the prompt, reading the reply leniently, and the checks that no model is trusted with (promise 6):
the quote stands in the person's own words, the sentence speaks of them, and what is said in the fact is
said in the message. What is then done with a fact is fact_update.py's.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from researchassist.errors import ModelError
from researchassist.llm.types import LanguageModel, complete
from researchassist.memory.fact_records import ATTRIBUTES, SUBJECT_PERSON, FactDraft
from researchassist.memory.models import FactKind
from researchassist.memory.records import MessageRecord
from researchassist.memory.sameness import content_words, says_the_same, specifics, words
from researchassist.memory.stores.fact_changes import unfit
from researchassist.memory.text import head_and_tail

from .context import new_fence
from .framing import agrees, is_meant
from .own_words import asks_at, instructs, is_short_answer, own_words, speaks_for_themselves
from .prompts import render
from .quotes import rests_on, span_in
from .replies import read_json

MESSAGE_CHARS = 4000
CONTEXT_CHARS = 1200
FACT_TOKENS = 2000
NO_LIST = "The model's reply was no list of facts."
# Of the words that carry a fact, at least this share stands in the message.
_GROUNDED = 0.5
# Small models put "User" before the person's sentence as it is: "User I am a postdoc."
_USER_I = re.compile(r"^\s*user:?\s+(?=(?:i|i['’]\w+|my|we|our)\b)", re.IGNORECASE)


class FactCandidate(BaseModel):
    """One fact as a model gives it; what is odd in it takes a harmless value or is refused later."""

    model_config = ConfigDict(extra="ignore")

    quote: str
    fact: str
    kind: str = FactKind.SEMANTIC
    importance: int = 5
    subject: str = SUBJECT_PERSON
    attribute: str = "other"

    @field_validator("importance", mode="before")
    @classmethod
    def _rated(cls, value: object) -> int:
        try:
            return min(max(round(float(str(value))), 1), 10)
        except (ValueError, OverflowError):
            return 5

    @field_validator("fact")
    @classmethod
    def _said(cls, value: str) -> str:
        return _USER_I.sub("", value)

    @field_validator("kind", "subject", "attribute", mode="before")
    @classmethod
    def _word(cls, value: object) -> str:
        return " ".join(value.split()).casefold() if isinstance(value, str) else ""


@dataclass(frozen=True)
class Said:
    """What a turn gives to extract from: the person's message, and what helps to understand it."""

    message: MessageRecord
    answer_before: str = ""
    answer: str = ""
    summary: str = ""

    @property
    def own(self) -> str:
        """The person's own words in the message."""
        return own_words(self.message.content)

    @property
    def is_short_answer(self) -> bool:
        """Whether the message can only be understood by what it answers."""
        return is_short_answer(self.message.content, self.answer_before)


@dataclass(frozen=True)
class ExtractedFacts:
    """Drafts that passed every check, and why others did not."""

    drafts: tuple[FactDraft, ...]
    refused: tuple[str, ...] = ()


def extract_facts(said: Said, writer: LanguageModel, *, most: int) -> ExtractedFacts:
    """At most `most` facts of a message; raises ModelError where the reply is no list."""
    prompt = render(
        "facts",
        attributes="\n".join(f"  - {name}: {meaning}" for name, meaning in ATTRIBUTES.items()),
        fence=new_fence(),
        context=_context(said) or "(none)",
        now=timezone.localtime(said.message.timestamp).strftime("%A %Y-%m-%d %H:%M"),
        message=head_and_tail(said.own, MESSAGE_CHARS),
    )
    reply = read_json(complete(writer, prompt, max_tokens=FACT_TOKENS))
    if not isinstance(reply.value, list | Mapping):
        raise ModelError(NO_LIST)
    drafts: list[FactDraft] = []
    refused = []
    for entry in _entries(reply.value):
        draft, why = _checked(entry, said)
        if draft is None:
            refused.append(why)
        elif len(drafts) < most and not any(says_the_same(draft.text, one.text) for one in drafts):
            drafts.append(draft)
    return ExtractedFacts(tuple(drafts), tuple(dict.fromkeys(refused)))


def _entries(value: Any) -> Iterator[Any]:
    """What may be facts in a reply: a list, one wrapped in an object, or one object."""
    if isinstance(value, list):
        for entry in value:
            yield from _entries(entry)
    elif isinstance(value, Mapping) and "fact" not in value:
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        yield from _entries(lists[0]) if lists else ()
    else:
        yield value


def _checked(entry: Any, said: Said) -> tuple[FactDraft | None, str]:
    """The draft of an entry, or why it is none."""
    try:
        candidate = FactCandidate.model_validate(entry)
    except ValidationError:
        return None, "An entry of the reply was no fact."
    span = span_in(candidate.quote, said.own)
    if span is None:
        return None, f"Not the person's own words: “{_short(candidate.quote)}”."
    draft = FactDraft(
        text=candidate.fact,
        # Small models call any sentence semantic.
        kind=FactKind.PROCEDURAL if instructs(span, said.own) else candidate.kind,
        importance=candidate.importance,
        subject=_subject(candidate.subject, said.own),
        attribute=candidate.attribute,
        quote=span,
        message_id=said.message.id,
    )
    why = _not_said(draft, said) or unfit(draft)
    return (None, why) if why else (draft, "")


def _not_said(draft: FactDraft, said: Said) -> str:
    """Why the words a draft quotes do not carry it, "" where they do."""
    span, own, short = draft.quote, said.own, said.is_short_answer
    standing = draft.kind == FactKind.PROCEDURAL
    if not short and not speaks_for_themselves(span, own, standing=standing):
        return f"Not about the person: “{_short(span)}”."
    if not standing and asks_at(span, own):
        return f"A question: “{_short(span)}”."
    if not is_meant(span, own):
        return f"Played, supposed or somebody else's: “{_short(span)}”."
    if not short and not agrees(draft.text, span, own):
        return f"Not what was said: “{_short(draft.text)}”."
    return "" if _is_grounded(draft.text, span, said) else f"More than was said: “{_short(draft.text)}”."


def _is_grounded(fact: str, span: str, said: Said) -> bool:
    """Whether a fact says what was said: its names and numbers stand in the message, and so do most of
    the words that carry it. A short answer may take them from what it answers."""
    known = said.own
    if said.is_short_answer:
        known += f"\n{said.answer_before}"
    elif not rests_on(fact, span, said.own):
        return False
    carrying = content_words(fact)
    if not carrying or not specifics(fact) <= words(known):
        return False
    return len(carrying & content_words(known)) >= _GROUNDED * len(carrying)


def _subject(subject: str, own: str) -> str:
    """Whom it is about: the person, or a name the person wrote."""
    return subject if subject and words(subject) <= words(own) else SUBJECT_PERSON


def _context(said: Said) -> str:
    """What was said around the message, within its bound."""
    share = CONTEXT_CHARS // 3
    parts = (
        ("Earlier in this conversation", said.summary),
        ("The assistant before the message", said.answer_before),
        ("The assistant's reply to it", said.answer),
    )
    return "\n".join(f"{name}: {head_and_tail(text, share)}" for name, text in parts if text.strip())


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"
