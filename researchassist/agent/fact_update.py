"""What a new fact changes in what is known: decided by the writer model, checked in code.

Owns the prompt and the rules of a reply: only facts it was shown, a removal only with the fact that takes
its place, a completed fact keeps what it said. A reply that breaks one does nothing. What the store lets
nobody do is memory/stores/fact_changes.py's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from researchassist.llm.types import LanguageModel, complete
from researchassist.memory.fact_records import FactDecision, FactDraft, FactRecord, FactStep
from researchassist.memory.models import FactOperation
from researchassist.memory.sameness import content_words, is_negated, says_the_same, specifics, words

from .prompts import render
from .replies import read_json

UPDATE_TOKENS = 800
_LONGEST_REPLY = 6000
# Of the words that carry a fact, at least this share stays when it is completed.
_KEPT = 0.6

NO_OPERATIONS = "The model's reply held no operations."
TOO_MUCH = "The model's reply was too long to be about one fact."
NOT_SHOWN = "The model named a fact it was not shown."
CONTRADICTORY = "The model's operations contradict each other."
ALONE = "The model would take a fact away and put none in its place."
LOST = "The model would complete a fact and lose what it says."


@dataclass(frozen=True)
class Judged:
    """A decision to be done, or the problem with the reply; then nothing is to be done."""

    decision: FactDecision | None
    problem: str = ""


def needs_model(draft: FactDraft, shown: Sequence[FactRecord]) -> bool:
    """Whether the writer model must decide: not where nothing is known or the same is."""
    return bool(shown) and not any(says_the_same(draft.text, fact.text) for fact in shown)


def decide(draft: FactDraft, shown: Sequence[FactRecord], writer: LanguageModel) -> Judged:
    """What is to be done about a new fact, given the facts most like it; raises ModelError."""
    for fact in shown:
        if says_the_same(draft.text, fact.text):
            return Judged(FactDecision(draft, (FactStep(FactOperation.NOOP, fact.id),)))
    if not shown:
        return Judged(FactDecision(draft))
    in_order = sorted(shown, key=lambda fact: (fact.told_at, fact.id))
    prompt = render(
        "fact_update",
        fact=draft.text,
        attribute=draft.attribute,
        quote=draft.quote,
        stored="\n".join(f"{number}. {_line(fact)}" for number, fact in enumerate(in_order, 1)),
    )
    return judge(complete(writer, prompt, max_tokens=UPDATE_TOKENS), draft, in_order)


def judge(reply: str, draft: FactDraft, shown: Sequence[FactRecord]) -> Judged:
    """The decision a reply holds; `shown` are the facts by the numbers 1, 2, … it was shown."""
    if len(reply) > _LONGEST_REPLY:
        return Judged(None, TOO_MUCH)
    steps = _steps(read_json(reply).value, shown)
    if isinstance(steps, str):
        return Judged(None, steps)
    asked = [step.operation for step in steps]
    touched = [
        step.fact_id for step in steps if step.operation in (FactOperation.UPDATE, FactOperation.DELETE)
    ]
    # "NOOP 2" beside others says only that fact 2 stays.
    nothing = any(step.operation == FactOperation.NOOP and step.fact_id is None for step in steps)
    if len(set(touched)) != len(touched) or (nothing and set(asked) != {FactOperation.NOOP}):
        return Judged(None, CONTRADICTORY)
    if FactOperation.UPDATE in asked:
        return _completed(draft, steps, shown)
    if FactOperation.DELETE in asked and FactOperation.ADD not in asked:
        return Judged(None, ALONE)
    if FactOperation.ADD in asked:
        # What is added is the checked draft, whatever text the model gives.
        steps = [step for step in steps if step.operation == FactOperation.DELETE]
        steps.append(FactStep(FactOperation.ADD))
    return Judged(FactDecision(draft, tuple(steps)))


def _completed(draft: FactDraft, steps: Sequence[FactStep], shown: Sequence[FactRecord]) -> Judged:
    """One fact gets more detail, and nothing else is done."""
    updates = [step for step in steps if step.operation == FactOperation.UPDATE]
    others = {step.operation for step in steps} - {FactOperation.UPDATE, FactOperation.NOOP}
    if len(updates) != 1 or others:
        return Judged(None, CONTRADICTORY)
    before = next(fact for fact in shown if fact.id == updates[0].fact_id)
    if not completes(before.text, updates[0].text, draft):
        return Judged(None, LOST)
    return Judged(FactDecision(draft, (updates[0],)))


def completes(before: str, after: str, draft: FactDraft) -> bool:
    """Whether `after` keeps what `before` says and adds nothing but what the draft and its quote say."""
    old, new = content_words(before), content_words(after)
    told = f"{draft.text} {draft.quote}"
    keeps = specifics(before) <= words(after) and len(old & new) >= _KEPT * len(old)
    from_told = new <= old | content_words(told) and specifics(after) <= words(f"{before} {told}")
    return bool(new - old) and keeps and from_told and is_negated(before) == is_negated(after)


def _steps(value: Any, shown: Sequence[FactRecord]) -> list[FactStep] | str:
    """The operations of a reply with the facts' own numbers, or what is wrong with it."""
    if isinstance(value, Mapping):
        value = value.get("ops", [value] if "op" in value else None)
    if not isinstance(value, list) or not value:
        return NO_OPERATIONS
    steps = []
    for entry in value:
        operation = str(entry.get("op", "")).strip().upper() if isinstance(entry, Mapping) else ""
        if operation not in ("ADD", "UPDATE", "DELETE", "NOOP"):
            return NO_OPERATIONS
        number, text = _number(entry.get("id")), entry.get("text")
        needs_one = operation in (FactOperation.UPDATE, FactOperation.DELETE)
        if number is None and needs_one:
            return NOT_SHOWN
        if number is not None and not 1 <= number <= len(shown) and operation != FactOperation.ADD:
            return NOT_SHOWN
        known = number is not None and operation != FactOperation.ADD
        steps.append(
            FactStep(
                operation,
                shown[number - 1].id if known and number else None,
                text if isinstance(text, str) else "",
            )
        )
    return steps


def _number(value: Any) -> int | None:
    """The number of a fact, as models write it: 2, "2", "#2"; None for none, 0 for what is no number."""
    if value is None or value in ("", "null", "none"):
        return None
    text = str(value).strip().lstrip("#")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _line(fact: FactRecord) -> str:
    about = fact.attribute if fact.subject == "user" else f"{fact.attribute} of {fact.subject}"
    return f"{fact.text} ({about}; told {timezone.localtime(fact.told_at):%Y-%m-%d})"
