"""Every message ever said, found by meaning and words together, over all threads.

Owns the vectors of messages and how a message is ranked. The words of its neighbours count for it too, and
so do a date that the question names and, in conversations imported with names, who speaks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection, transaction
from django.utils import timezone

from researchassist.memory import dates, keywords
from researchassist.memory.embedding import Embedder
from researchassist.memory.found_records import Recalled, RecalledMessage
from researchassist.memory.fusion import Values, fused
from researchassist.memory.models import ConversationalMemory, MessageVector
from researchassist.memory.records import MessageRecord
from researchassist.memory.vectors import Ids, Vector
from researchassist.memory.word_index import MESSAGE_WORDS, rarity

from . import conversational
from .message_search import MessageFilter
from .vector_store import VectorStore

# What the words of the message one, two and three places away count for this one.
_NEIGHBOURS = (0.6, 0.4, 0.2)
# The most that BM25 gives for a term, in rarities of it: a date that is met is as good as such a term.
_DATE_WEIGHT = 2.0
# Added to a score of 0..1 where the question names the one who speaks.
_SPEAKER_BONUS = 0.1
_SPEAKER = "lower(json_extract(metadata, '$.speaker'))"


def speaker(message: MessageRecord) -> str:
    """Who says it: a name where the conversation was imported with names, else the role."""
    return str(message.metadata.get("speaker") or message.role)


def said_by(message: MessageRecord) -> str:
    """What is embedded before the text: when it was said, in the stated zone, and by whom."""
    at = timezone.localtime(message.timestamp)
    hour, half = (at.hour - 1) % 12 + 1, "am" if at.hour < 12 else "pm"
    return f"{hour}:{at.minute:02} {half} on {at.day} {at:%B}, {at.year}, {speaker(message)}: "


@dataclass(frozen=True)
class _History:
    """All messages that are part of a conversation, thread by thread in order: ids, the threads' numbers,
    which are looked for (the others only count as neighbours), and their places in the order of the ids."""

    ids: Ids
    threads: npt.NDArray[np.int64]
    wanted: npt.NDArray[np.bool_]
    by_id: Ids

    def places(self, ids: Ids) -> tuple[Ids, npt.NDArray[np.bool_]]:
        """Where these messages stand, and which of them are here at all."""
        order = self.by_id
        at = np.searchsorted(self.ids, ids, sorter=order).clip(max=max(len(order) - 1, 0))
        places: Ids = order[at] if len(order) else np.zeros(len(ids), dtype=np.int64)
        here: npt.NDArray[np.bool_] = (
            self.ids[places] == ids if len(order) else np.zeros(len(ids), dtype=bool)
        )
        return places[here], here

    def with_neighbours(self, values: Values) -> Values:
        """Each message's value and the weighted ones of those around it in its thread."""
        result = values.copy()
        for distance, weight in enumerate(_NEIGHBOURS, 1):
            together = self.threads[distance:] == self.threads[:-distance]
            result[distance:] += weight * values[:-distance] * together
            result[:-distance] += weight * values[distance:] * together
        return result


class MessageRecall:
    """Vectors of messages, and searching all that was said."""

    def __init__(self) -> None:
        self.store = VectorStore(MessageVector)

    # Keeping the vectors

    def waiting(self, limit: int | None = None) -> list[MessageRecord]:
        """Messages that have no vectors yet, the latest first."""
        rows = ConversationalMemory.objects.filter(vectors=None).order_by("-timestamp", "-pk")
        return [conversational.record(row) for row in rows[:limit]]

    def count_waiting(self) -> int:
        """How many messages have no vectors yet; until then they are found by their words only."""
        return ConversationalMemory.objects.filter(vectors=None, superseded_at=None).count()

    def write(self, messages: Sequence[tuple[MessageRecord, Sequence[str]]], embedder: Embedder) -> None:
        """Keeps the vectors of messages, by the parts of their text; not of those that went meanwhile."""
        rows = [
            MessageVector(message_id=int(message.id), part=number, text=said_by(message) + part)
            for message, parts in messages
            for number, part in enumerate(parts)
        ]
        self.store.embed(rows, embedder)
        with transaction.atomic():
            ids = {row.message_id for row in rows}
            here = set(
                ConversationalMemory.objects.filter(pk__in=ids, vectors=None).values_list("pk", flat=True)
            )
            self.store.save([row for row in rows if row.message_id in here])

    def delete_of_thread(self, thread_id: str) -> None:
        """Takes the vectors of a thread's messages out."""
        rows = MessageVector.objects.filter(message__thread_id=thread_id)
        self.store.delete(rows.values_list("pk", flat=True))

    # Searching

    def search(
        self, text: str, vector: Vector | None, *, where: MessageFilter, start: int, limit: int
    ) -> Recalled:
        """The messages that pass, from the best-fitting on; without a text (no vector) the latest first.

        `start` of them are passed over and at most `limit` given, each with its neighbours.
        """
        history = _history(where)
        wanted = np.flatnonzero(history.wanted)
        scores, waiting = np.zeros(len(history.ids)), 0
        if vector is not None:
            named = _speakers_named(text)
            others = [term for term in keywords.terms(text) if term not in named]
            words = history.with_neighbours(self._words(" ".join(others) or text, history))
            words += _dates(text, history)
            cosines = self._cosines(vector, history)[wanted]
            waiting = int(np.isnan(cosines).sum())
            scores[wanted] = fused(cosines, words[wanted])
            if len(named) == 1:
                scores += _SPEAKER_BONUS * _selected(history, f"{_SPEAKER} = %s", named)
        # Ids grow with time: of equals the latest comes first.
        order = wanted[np.lexsort((-history.ids[wanted], -scores[wanted]))]
        hits = _records(history, order[start : start + limit], scores)
        return Recalled(total=len(order), waiting=waiting, hits=hits)

    def _cosines(self, vector: Vector, history: _History) -> Values:
        """Each message's cosine by its best part; NaN where it has no vector."""
        rows, cosines = self.store.cosines(vector)
        with connection.cursor() as cursor:
            # Unordered, so that it is read out of the index and not out of the rows with their vectors.
            cursor.execute("SELECT id, message_id FROM message_vector")
            pairs = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2)
        pairs = pairs[np.argsort(pairs[:, 0])]
        at = np.searchsorted(pairs[:, 0], rows).clip(max=max(len(pairs) - 1, 0))
        known = pairs[at, 0] == rows if len(pairs) else np.zeros(len(rows), dtype=bool)
        places, here = history.places(pairs[at[known], 1] if len(pairs) else rows[:0])
        result = np.full(len(history.ids), -np.inf)
        np.maximum.at(result, places, cosines[known][here].astype(np.float64))
        return np.where(np.isneginf(result), np.nan, result)

    @staticmethod
    def _words(text: str, history: _History) -> Values:
        """Each message's BM25."""
        ids, values = MESSAGE_WORDS.scores(text)
        places, here = history.places(ids)
        result = np.zeros(len(history.ids))
        result[places] = values[here]
        return result


def _history(where: MessageFilter) -> _History:
    """Every message that could be a hit or a neighbour of one."""
    condition, values = where.sql()
    base, base_values = MessageFilter(before=where.before, superseded=where.superseded).sql()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT m.id, m.thread_id, ({condition}) FROM conversational_memory m WHERE {base} "
            "ORDER BY m.thread_id, m.timestamp",
            [*values, *base_values],
        )
        rows = cursor.fetchall()
    numbers: dict[str, int] = {}
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
    threads = (numbers.setdefault(row[1], len(numbers)) for row in rows)
    return _History(
        ids=ids,
        threads=np.fromiter(threads, dtype=np.int64, count=len(rows)),
        wanted=np.fromiter((row[2] for row in rows), dtype=bool, count=len(rows)),
        by_id=np.argsort(ids),
    )


def _dates(text: str, history: _History) -> Values:
    """What the dates that a question names give to the messages of those days."""
    result = np.zeros(len(history.ids))
    for mention in dates.mentions(text):
        meant = np.zeros(len(history.ids), dtype=bool)
        for first, last in mention.periods(_years()):
            meant |= _selected(history, "timestamp >= %s AND timestamp < %s", [_stored(first), _stored(last)])
        result += _DATE_WEIGHT * rarity(len(meant), int(meant.sum())) * meant
    return result


def _years() -> range:
    """The years in which anything was said."""
    times = ConversationalMemory.objects.order_by("timestamp").values_list("timestamp", flat=True)
    ends = [times.first(), times.last()]
    return range(*(end.year + last for end, last in zip(ends, (0, 1), strict=True) if end is not None))


def _stored(day: date) -> Any:
    """The beginning of a day in the stated zone, as the table has times."""
    start = timezone.make_aware(datetime.combine(day, time.min))
    return connection.ops.adapt_datetimefield_value(start)


def _speakers_named(text: str) -> list[str]:
    """The speakers of imported conversations that a question names, in small letters.

    Their names are not looked for as words: those stand where somebody speaks to them.
    """
    terms = keywords.terms(text)
    holes = ", ".join(["%s"] * len(terms))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT {_SPEAKER} FROM conversational_memory WHERE {_SPEAKER} IN ({holes})", terms
        )
        return [str(row[0]) for row in cursor.fetchall()]


def _selected(history: _History, condition: str, values: Sequence[Any]) -> npt.NDArray[np.bool_]:
    """Which messages of the history meet a condition."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM conversational_memory WHERE {condition}", list(values))
        ids = np.fromiter((row[0] for row in cursor.fetchall()), dtype=np.int64)
    chosen = np.zeros(len(history.ids), dtype=bool)
    chosen[history.places(ids)[0]] = True
    return chosen


def _records(history: _History, places: Ids, scores: Values) -> tuple[RecalledMessage, ...]:
    """The messages at these places with the ones before and after them."""

    def near(place: int, step: int) -> int | None:
        other = place + step
        inside = 0 <= other < len(history.ids) and history.threads[other] == history.threads[place]
        return int(history.ids[other]) if inside else None

    wanted = {int(history.ids[p]) for p in places} | {near(p, s) for p in places for s in (-1, 1)}
    rows = ConversationalMemory.objects.select_related("thread").in_bulk([pk for pk in wanted if pk])

    def record(pk: int | None) -> MessageRecord | None:
        return conversational.record(rows[pk]) if pk in rows else None

    return tuple(
        RecalledMessage(
            message=message,
            thread_title=rows[int(message.id)].thread.title,
            score=float(scores[place]),
            before=record(near(place, -1)),
            after=record(near(place, 1)),
        )
        for place in places
        if (message := record(int(history.ids[place]))) is not None
    )
