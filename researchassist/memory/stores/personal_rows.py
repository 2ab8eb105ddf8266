"""All personal memory of one user as plain values: taken out, put into an empty memory, erased.

The one place where history is really deleted; everything else only adds to it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection, models, transaction

from researchassist.memory.embedding import Embedder
from researchassist.memory.models import (
    CommandRun,
    ConversationalMemory,
    CoreMemory,
    Fact,
    FactChange,
    Lesson,
    Profile,
    Session,
    StoreState,
    Turn,
)
from researchassist.memory.word_index import MESSAGE_WORDS

from . import personal_traces
from .vector_store import VectorStore

# What no other database can use, or is made anew.
_OWN = ("user", "embedding", "embedding_model", "content_hash", "revision", "workflow")
_COMMANDS = ("memory", "core", "profile", "remember", "forget", "why", "undo")
Rows = list[dict[str, Any]]


def has_any(user: str) -> bool:
    """Whether anything is or was remembered of this user."""
    tables: tuple[type[models.Model], ...] = (Fact, Lesson, CoreMemory, Profile)
    return any(model._default_manager.filter(user=user).exists() for model in tables)


def take_out(user: str) -> dict[str, Rows]:
    """Every row of a user, by table, in the order it was written; rows are numbered 1, 2, … in each, and
    refer to each other by that, so that what was put in is taken out the same."""
    tables: dict[str, type[models.Model]] = {
        "facts": Fact,
        "fact_changes": FactChange,
        "lessons": Lesson,
        "core_memory": CoreMemory,
        "profile": Profile,
    }
    rows = {
        name: [_plain(row) for row in model._default_manager.filter(user=user).order_by("pk")]
        for name, model in tables.items()
    }
    _refer(rows, {name: {row["id"]: number for number, row in enumerate(rows[name], 1)} for name in rows})
    return rows


def _refer(rows: Mapping[str, Rows], numbers: Mapping[str, Mapping[Any, int]]) -> None:
    """Gives rows these numbers instead of their own, in all places that name one of them."""
    facts, lessons = numbers["facts"], numbers["lessons"]
    for fact in rows["facts"]:
        fact["sources"] = _renumbered(fact["sources"], facts, lessons)
    for one in (*rows["facts"], *rows["lessons"]):
        one["promoted_to"] = facts.get(one["promoted_to"])
    for change in rows["fact_changes"]:
        change["fact"] = facts.get(change["fact"])
        change["undo_of"] = numbers["fact_changes"].get(change["undo_of"])
        for side in ("before", "after"):
            if "sources" in change[side]:
                sources = _renumbered(change[side]["sources"], facts, lessons)
                change[side] = {**change[side], "sources": sources}
    for name, table in rows.items():
        for row in table:
            row["id"] = numbers[name][row["id"]]


@dataclass(frozen=True)
class Stores:
    """The stores whose rows have vectors."""

    facts: VectorStore[Fact]
    lessons: VectorStore[Lesson]


def put_in(user: str, rows: Mapping[str, Rows], stores: Stores, embedder: Embedder) -> None:
    """Puts rows that were taken out into the empty memory of a user, under new numbers, in one step.

    Raises ValueError, TypeError, KeyError or a database error where they are no such rows; then nothing
    is written.
    """
    facts = [Fact(user=user, **_kept(Fact, row, ("promoted_to",))) for row in rows["facts"]]
    lessons = [Lesson(user=user, **_kept(Lesson, row, ("promoted_to",))) for row in rows["lessons"]]
    stores.facts.embed(facts, embedder)
    stores.lessons.embed(lessons, embedder)
    with transaction.atomic():
        number: dict[Any, int] = {}
        for fact, row in zip(facts, rows["facts"], strict=True):
            fact.message_id = _message(row["message"], row["quote"])
            stores.facts.save([fact])
            number[row["id"]] = fact.pk
        for lesson, row in zip(lessons, rows["lessons"], strict=True):
            lesson.promoted_to_id = number.get(row["promoted_to"])
        stores.lessons.save(lessons)
        episodes = {row["id"]: one.pk for one, row in zip(lessons, rows["lessons"], strict=True)}
        for fact, row in zip(facts, rows["facts"], strict=True):
            fact.sources = _renumbered(row["sources"], number, episodes)
            fact.promoted_to_id = number.get(row["promoted_to"])
            fact.save(update_fields=["sources", "promoted_to"])
        _put_in_changes(user, rows["fact_changes"], number, episodes)
        for model, name in ((CoreMemory, "core_memory"), (Profile, "profile")):
            for row in rows[name]:
                model._default_manager.create(user=user, **_kept(model, row, ("message",)))


def _put_in_changes(user: str, rows: Rows, number: Mapping[Any, int], episodes: Mapping[Any, int]) -> None:
    known: dict[Any, int] = {}
    turns = set(Turn.objects.filter(pk__in=[row["turn"] for row in rows]).values_list("pk", flat=True))
    for row in rows:
        change = FactChange.objects.create(
            user=user,
            fact_id=number.get(row["fact"]),
            turn_id=row["turn"] if row["turn"] in turns else None,
            undo_of_id=known.get(row["undo_of"]),
            **_kept(FactChange, row, ("fact", "turn", "undo_of", "before", "after")),
            before=_snapshot(row["before"], number, episodes),
            after=_snapshot(row["after"], number, episodes),
        )
        known[row["id"]] = change.pk


def erase(user: str, stores: Stores) -> dict[str, int]:
    """Deletes all personal memory of a user, its history, and where it stands in what answers used.

    Conversations and documents stay. Says how many rows of each table there were.
    """
    with transaction.atomic():
        changes = FactChange.objects.filter(user=user)
        changes.update(undo_of=None, fact=None)
        facts = Fact.objects.filter(user=user)
        facts.update(promoted_to=None)
        lessons = Lesson.objects.filter(user=user)
        gone = {"lessons": stores.lessons.delete(lessons.values_list("pk", flat=True))}
        gone["fact changes"] = changes.count()
        changes.delete()
        gone["facts"] = stores.facts.delete(facts.values_list("pk", flat=True))
        for name, model in (("core memory", CoreMemory), ("profile", Profile), ("sessions", Session)):
            rows = model._default_manager.filter(user=user)
            gone[name] = rows.count()
            rows.delete()
        gone["commands about it"] = CommandRun.objects.filter(name__in=_COMMANDS).count()
        CommandRun.objects.filter(name__in=_COMMANDS).delete()
        StoreState.objects.filter(key__endswith=f":{user}").delete()
        personal_traces.take_out()
    return gone


def compact() -> None:
    """Overwrites what was deleted in the file itself, where it is a file."""
    if connection.vendor == "sqlite":
        MESSAGE_WORDS.merge()
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _plain(row: models.Model) -> dict[str, Any]:
    """The row's values by field; of a reference the number it refers to."""
    fields = (field for field in row._meta.concrete_fields if field.name not in _OWN)
    return {field.name: getattr(row, field.attname) for field in fields}


def _kept(model: type[models.Model], row: Mapping[str, Any], besides: Iterable[str]) -> dict[str, Any]:
    """The values of a row for `model`; raises ValueError where there are others or some are missing."""
    fields = {field.name: field for field in model._meta.concrete_fields if field.name not in _OWN}
    if row.keys() != fields.keys():
        raise ValueError(f"{model.__name__} has other fields")
    left_out = {"id", "message", *besides}
    return {name: field.to_python(row[name]) for name, field in fields.items() if name not in left_out}


def _snapshot(
    side: Mapping[str, Any], number: Mapping[Any, int], episodes: Mapping[Any, int]
) -> dict[str, Any]:
    """A fact as it was, with what it refers to by the numbers it has here."""
    if not side:
        return {}
    message = _message(side["message_id"], side["quote"])
    return {**side, "message_id": message, "sources": _renumbered(side["sources"], number, episodes)}


def _message(message_id: int | None, quote: str) -> int | None:
    """The message a fact came from, where this database has it: its words stand there."""
    found = ConversationalMemory.objects.filter(pk=message_id).first() if message_id else None
    return found.pk if found and quote and quote in found.content else None


def _renumbered(sources: Iterable[Any], facts: Mapping[Any, int], lessons: Mapping[Any, int]) -> list[str]:
    """Sources ("fact 12", "episode 3") by other numbers."""
    by_kind, found = {"fact": facts, "episode": lessons}, []
    for source in map(str, sources):
        kind, _, old = source.partition(" ")
        number = by_kind.get(kind, {}).get(int(old)) if old.isdecimal() else None
        found.append(f"{kind} {number}" if number is not None else source)
    return found
