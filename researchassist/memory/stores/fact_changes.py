"""FACT: how facts come to be, change and go, each operation kept in a history for good.

Owns what every write path must honour, whoever decides: no secrets, no repeats, no fact the person had
forgotten, no removal without the fact that takes its place, and only among facts of one subject and
attribute. A call writes all of it or nothing. Taking changes back is fact_undo.py's.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction

from researchassist.memory import clock, consent
from researchassist.memory.embedding import Embedder
from researchassist.memory.fact_records import (
    ATTRIBUTES,
    SUBJECT_PERSON,
    FactDecision,
    FactDraft,
    FactOutcome,
)
from researchassist.memory.models import Fact, FactChange, FactKind, FactOperation, FactState
from researchassist.memory.sameness import (
    content_words,
    fact_key,
    is_negated,
    says_part_of,
    says_the_same,
    specifics,
)
from researchassist.memory.scoring import MOST_IMPORTANT
from researchassist.memory.secret_text import holds_a_secret
from researchassist.memory.text import storable
from researchassist.memory.vectors import from_bytes

from .vector_store import VectorStore

FACT_CHARS = 300
QUOTE_CHARS = 500
_SUBJECT_CHARS = 80
# Two texts this near that share every name and number are one statement in other words.
_OTHER_WORDS = 0.85

WITHHELD = "It looks like a password, key or number that should stay secret."
FORGOTTEN = "You had this forgotten."
KNOWN = "This is known already."
BLANK = "There is nothing in it."
TOO_LONG = f"A fact has at most {FACT_CHARS} characters."
ALONE = "A fact is only taken away together with the one that takes its place."
UNLIKE = "Only facts about the same thing can replace or complete each other."
NO_LONGER = "Its message was taken back, or may not be remembered any more."
GONE = "That fact is not there any more."


@dataclass
class _Batch:
    """The changes of one decision, made together and undone together."""

    user: str
    by: str
    turn_id: str | None
    candidate: str
    at: datetime = field(default_factory=clock.now)
    id: str = field(default_factory=lambda: uuid.uuid4().hex)

    def note(
        self, operation: str, row: Fact | None, before: Mapping[str, Any], reason: str = ""
    ) -> FactChange:
        """Keeps one operation; `after` is the row as it stands now."""
        return FactChange.objects.create(
            user=self.user,
            batch=self.id,
            operation=operation,
            by=self.by,
            candidate=self.candidate,
            fact=row,
            before=dict(before),
            after=snapshot(row) if row is not None and operation != FactOperation.NOOP else {},
            reason=reason[:200],
            turn_id=self.turn_id,
            at=self.at,
        )


def snapshot(row: Fact) -> dict[str, Any]:
    """A fact's own fields, so that it can be put back as it was."""
    return {
        "text": row.text,
        "key": row.key,
        "kind": row.kind,
        "importance": row.importance,
        "subject": row.subject,
        "attribute": row.attribute,
        "quote": row.quote,
        "message_id": row.message_id,
        "sources": list(row.sources),
        "state": str(row.state),
    }


class FactWriter:
    """Writes to the store of facts, by user."""

    def __init__(self, store: VectorStore[Fact]) -> None:
        self.store = store

    def write(
        self,
        decisions: Sequence[FactDecision],
        *,
        user: str,
        by: str,
        embedder: Embedder,
        turn_id: str | None = None,
        lift: bool = False,
    ) -> list[FactOutcome]:
        """Does what was decided, in one transaction, and says what became of each draft.

        `lift`: the person says it themselves, so that a tombstone gives way. Of a turn that was deleted,
        superseded or made private since the model was asked, nothing is kept.
        """
        prepared = [(one, _row(one.draft, user), _updates(one)) for one in decisions]
        new = [row for _, row, _ in prepared if row.text] + [
            u for _, _, all_ in prepared for u in all_.values()
        ]
        self.store.embed(new, embedder)
        with transaction.atomic():
            if turn_id is not None and not consent.turn_may_teach(user, turn_id):
                return [FactOutcome("refused", one.draft, reason=NO_LONGER) for one in decisions]
            return [
                self._decide(one, row, updates, _Batch(user, by, turn_id, row.text), lift=lift)
                for one, row, updates in prepared
            ]

    def forget(self, user: str, fact_id: int, *, by: str = "person") -> str:
        """Takes an active fact out and leaves it as a tombstone; gives the batch, "" where it is gone."""
        with transaction.atomic():
            row = Fact.objects.filter(user=user, pk=fact_id, state=FactState.ACTIVE).first()
            if row is None:
                return ""
            batch, before = _Batch(user, by, None, ""), snapshot(row)
            row.state = FactState.FORGOTTEN
            row.save(update_fields=["state"])
            return batch.note(FactOperation.FORGET, row, before).batch

    def _decide(
        self, one: FactDecision, row: Fact, updates: Mapping[int, Fact], batch: _Batch, *, lift: bool
    ) -> FactOutcome:
        """Does one decision, or says why not."""
        stands_against = _refusal(one, row, batch, lift=lift)
        if stands_against is not None:
            return stands_against
        asked = {step.operation for step in one.steps}
        if FactOperation.ADD in asked:
            return self._add(one, row, batch)
        for step in one.steps:
            if step.operation == FactOperation.UPDATE and step.fact_id and step.fact_id in updates:
                return self._update(one, step.fact_id, updates[step.fact_id], batch)
        matched = Fact.objects.filter(
            user=batch.user, pk__in=[s.fact_id for s in one.steps if s.fact_id]
        ).first()
        reason = ALONE if FactOperation.DELETE in asked else KNOWN
        batch.note(FactOperation.NOOP, matched, {}, reason)
        status = "refused" if reason == ALONE else "known"
        return FactOutcome(status, one.draft, batch.id, matched.pk if matched else None, reason)

    def _add(self, one: FactDecision, row: Fact, batch: _Batch) -> FactOutcome:
        """Adds the draft after taking out what it contradicts."""
        replaced = 0
        for step in one.steps:
            if step.operation != FactOperation.DELETE:
                continue
            old = Fact.objects.filter(user=batch.user, pk=step.fact_id or 0, state=FactState.ACTIVE).first()
            if old is None or not _about_the_same(old, row):
                batch.note(FactOperation.NOOP, old, {}, UNLIKE if old else GONE)
                continue
            _set_state(old, FactState.REPLACED, FactOperation.DELETE, batch)
            replaced += 1
        row.timestamp = row.last_accessed = batch.at
        self.store.save([row])
        batch.note(FactOperation.ADD, row, {})
        _mark_sources(row)
        return FactOutcome("replaced" if replaced else "added", one.draft, batch.id, row.pk)

    def _update(self, one: FactDecision, fact_id: int, new: Fact, batch: _Batch) -> FactOutcome:
        """Completes a fact by what the draft adds to it; its number stays."""
        old = Fact.objects.filter(user=batch.user, pk=fact_id, state=FactState.ACTIVE).first()
        if old is None or (reason := _why_not_completed(old, new, one.draft)):
            reason = reason if old else GONE
            batch.note(FactOperation.NOOP, old, {}, reason)
            return FactOutcome("refused", one.draft, batch.id, fact_id, reason)
        before = snapshot(old)
        old.text, old.key = new.text, fact_key(new.text)
        old.embedding, old.embedding_model = new.embedding, new.embedding_model
        old.content_hash = new.content_hash
        old.importance = max(old.importance, _importance(one.draft))
        old.quote = storable(one.draft.quote)[:QUOTE_CHARS] or old.quote
        old.message_id = int(one.draft.message_id) if one.draft.message_id else old.message_id
        old.last_accessed = batch.at
        self.store.save([old])
        batch.note(FactOperation.UPDATE, old, before)
        return FactOutcome("updated", one.draft, batch.id, old.pk)


def _why_not_completed(old: Fact, new: Fact, draft: FactDraft) -> str:
    """Why a fact may not get this new text, "" where it may."""
    wanted = _row(FactDraft(text=new.text, subject=old.subject, attribute=old.attribute), old.user)
    wanted.embedding = new.embedding
    if reason := unfit(FactDraft(text=new.text)):
        return reason
    if not _about_the_same(old, _row(draft, old.user)):
        return UNLIKE
    same = Fact.objects.filter(user=old.user, key=wanted.key, state=FactState.ACTIVE).exclude(pk=old.pk)
    if same.exists():
        return KNOWN
    return FORGOTTEN if _tombstones(wanted, old.user) else ""


def _refusal(one: FactDecision, row: Fact, batch: _Batch, *, lift: bool) -> FactOutcome | None:
    """Why a draft is not kept whatever was decided: unfit, known, or forgotten by the person."""
    if reason := unfit(one.draft):
        return FactOutcome("refused", one.draft, reason=reason)
    repeat = Fact.objects.filter(user=batch.user, key=row.key, state=FactState.ACTIVE).first()
    if repeat is not None:
        batch.note(FactOperation.NOOP, repeat, {}, KNOWN)
        return FactOutcome("known", one.draft, batch.id, repeat.pk, KNOWN)
    for tombstone in _tombstones(row, batch.user):
        if not lift:
            batch.note(FactOperation.NOOP, tombstone, {}, FORGOTTEN)
            return FactOutcome("refused", one.draft, batch.id, tombstone.pk, FORGOTTEN)
        _set_state(tombstone, FactState.REPLACED, FactOperation.LIFT, batch)
    return None


def unfit(draft: FactDraft) -> str:
    """Why no fact of this text may be kept, "" where one may."""
    text = _line(draft.text)
    if not fact_key(text):
        return BLANK
    if len(text) > FACT_CHARS:
        return TOO_LONG
    return WITHHELD if holds_a_secret(text) or holds_a_secret(draft.quote) else ""


def _line(text: str) -> str:
    return " ".join(storable(text).split())


def _importance(draft: FactDraft) -> int:
    return min(max(draft.importance, 1), MOST_IMPORTANT)


def _row(draft: FactDraft, user: str) -> Fact:
    """An unsaved fact; what is not in a closed list takes its last resort."""
    text = _line(draft.text)[: FACT_CHARS + 1]
    subject = _line(draft.subject).casefold()[:_SUBJECT_CHARS]
    return Fact(
        user=user,
        text=text,
        key=fact_key(text),
        kind=draft.kind if draft.kind in FactKind.values else FactKind.SEMANTIC,
        importance=_importance(draft),
        subject=subject or SUBJECT_PERSON,
        attribute=draft.attribute if draft.attribute in ATTRIBUTES else "other",
        quote=storable(draft.quote)[:QUOTE_CHARS],
        message_id=int(draft.message_id) if draft.message_id else None,
        sources=list(draft.sources),
    )


def _updates(one: FactDecision) -> dict[int, Fact]:
    """The new texts of facts to be completed, as unsaved rows to be embedded."""
    return {
        step.fact_id: Fact(text=_line(step.text)[: FACT_CHARS + 1])
        for step in one.steps
        if step.operation == FactOperation.UPDATE and step.fact_id and _line(step.text)
    }


def _about_the_same(one: Fact, other: Fact) -> bool:
    return one.subject == other.subject and one.attribute == other.attribute


def _set_state(row: Fact, state: str, operation: str, batch: _Batch) -> None:
    before = snapshot(row)
    row.state = state
    row.save(update_fields=["state"])
    batch.note(operation, row, before)


def _mark_sources(row: Fact) -> None:
    """Notes on the facts that this one was drawn from that they were, so that it happens once."""
    ids = [int(one.removeprefix("fact ")) for one in row.sources if one.startswith("fact ")]
    Fact.objects.filter(user=row.user, pk__in=ids).update(promoted_to=row)


def is_forgotten(row: Fact) -> bool:
    """Whether the person had forgotten what this fact says."""
    return any(one.pk != row.pk for one in _tombstones(row, row.user))


def _tombstones(row: Fact, user: str) -> list[Fact]:
    """The facts the person had forgotten that this one would bring back."""
    forgotten = Fact.objects.filter(user=user, state=FactState.FORGOTTEN)
    return [one for one in forgotten if _brings_back(row, one)]


def _brings_back(row: Fact, tombstone: Fact) -> bool:
    """Whether a new fact says what the forgotten one said, in these or other words, or rests on the
    very message that one came from."""
    if row.subject != tombstone.subject and fact_key(row.text) != tombstone.key:
        return False
    if says_the_same(row.text, tombstone.text):
        return True
    about_the_same = row.attribute == tombstone.attribute
    if about_the_same and row.message_id is not None and row.message_id == tombstone.message_id:
        return True
    if about_the_same and says_part_of(row.text, tombstone.text):
        return True
    if is_negated(row.text) != is_negated(tombstone.text) or specifics(row.text) != specifics(tombstone.text):
        return False
    new, old = from_bytes([bytes(row.embedding), bytes(tombstone.embedding)])
    shared = content_words(row.text) & content_words(tombstone.text)
    return bool(shared) and float(np.dot(new, old)) >= _OTHER_WORDS
