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

from .vector_store import VectorStore

# What no other database can use, or is made anew.
_OWN = ("user", "embedding", "embedding_model", "content_hash", "revision", "workflow")
_COMMANDS = ("memory", "core", "profile", "remember", "forget", "why", "undo")
_GIVEN = ("core", "profile", "facts", "lessons")
Rows = list[dict[str, Any]]


def has_any(user: str) -> bool:
    """Whether anything is or was remembered of this user."""
    tables: tuple[type[models.Model], ...] = (Fact, Lesson, CoreMemory, Profile)
    return any(model._default_manager.filter(user=user).exists() for model in tables)


def take_out(user: str) -> dict[str, Rows]:
    """Every row of a user, by table, in the order it was written."""
    tables: dict[str, type[models.Model]] = {
        "facts": Fact,
        "fact_changes": FactChange,
        "lessons": Lesson,
        "core_memory": CoreMemory,
        "profile": Profile,
    }
    return {
        name: [_plain(row) for row in model._default_manager.filter(user=user).order_by("pk")]
        for name, model in tables.items()
    }


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
            fact.message_id = _message(row)
            stores.facts.save([fact])
            number[row["id"]] = fact.pk
        for fact, row in zip(facts, rows["facts"], strict=True):
            fact.sources = [_renumbered(one, number) for one in row["sources"]]
            fact.promoted_to_id = number.get(row["promoted_to"])
            fact.save(update_fields=["sources", "promoted_to"])
        for lesson, row in zip(lessons, rows["lessons"], strict=True):
            lesson.promoted_to_id = number.get(row["promoted_to"])
        stores.lessons.save(lessons)
        _put_in_changes(user, rows["fact_changes"], number)
        for model, name in ((CoreMemory, "core_memory"), (Profile, "profile")):
            for row in rows[name]:
                model._default_manager.create(user=user, **_kept(model, row, ("message",)))


def _put_in_changes(user: str, rows: Rows, number: Mapping[Any, int]) -> None:
    known: dict[Any, int] = {}
    turns = set(Turn.objects.filter(pk__in=[row["turn"] for row in rows]).values_list("pk", flat=True))
    for row in rows:
        change = FactChange.objects.create(
            user=user,
            fact_id=number.get(row["fact"]),
            turn_id=row["turn"] if row["turn"] in turns else None,
            undo_of_id=known.get(row["undo_of"]),
            **_kept(FactChange, row, ("fact", "turn", "undo_of")),
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
        for turn in Turn.objects.only("used", "helpers").iterator():
            _scrub(turn)
    return gone


def compact() -> None:
    """Overwrites what was deleted in the file itself, where it is a file."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _scrub(turn: Turn) -> None:
    """Takes what was remembered out of a turn's record of what its answer used."""
    given = turn.used.get("given", {})
    known = [key for key in _GIVEN if given.get(key)]
    if not known and "facts" not in turn.helpers:
        return
    for key in known:
        given.pop(key)
    turn.helpers = {**turn.helpers, **({"facts": {"status": "skipped"}} if "facts" in turn.helpers else {})}
    turn.save(update_fields=["used", "helpers"])


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


def _message(row: Mapping[str, Any]) -> int | None:
    """The message a fact came from, where this database has it: its words stand there."""
    found = ConversationalMemory.objects.filter(pk=row["message"]).first() if row["message"] else None
    return found.pk if found and row["quote"] and row["quote"] in found.content else None


def _renumbered(source: str, number: Mapping[Any, int]) -> str:
    kind, _, old = str(source).partition(" ")
    return f"fact {number[int(old)]}" if kind == "fact" and old.isdecimal() and int(old) in number else source
