"""Messages by their words, over all threads: for the person's search, best first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from researchassist.memory import keywords
from researchassist.memory.found_records import FoundMessage, FoundMessages
from researchassist.memory.models import ConversationalMemory
from researchassist.memory.records import MessageRecord
from researchassist.memory.text import storable
from researchassist.memory.word_index import MESSAGE_WORDS

from . import conversational

# Marks that stand in no text a person writes; the index puts them around the words it found.
_OPEN, _CLOSE = "\x02", "\x03"
_SNIPPET_WORDS = 32
_AROUND = 120
_INDEX = MESSAGE_WORDS.name
# A table's rule, a bar between two cells, a heading's sign, a passage's mark: what a reader never sees.
_SIGNS = re.compile(r"\|(?::?-{2,}:?\|)+|(?<!\S)\|(?!\S)|^#{1,6}(?= )|\[p\d+\]", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class MessageFilter:
    """Which messages are looked at; None passes all. Times are aware; `until` itself is outside.

    `before` leaves out that message, what was said after it in its thread, and other private threads.
    Superseded messages are left out too, unless `superseded` is set.
    """

    thread_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: MessageRecord | None = None
    superseded: bool = False

    def sql(self) -> tuple[str, list[Any]]:
        """The condition on a row `m` of the table of messages, and its parameters."""
        parts, values = ["1" if self.superseded else "m.superseded_at IS NULL"], list[Any]()
        if self.thread_id is not None:
            parts.append("m.thread_id = %s")
            values.append(self.thread_id)
        for operator, time in ((">=", self.since), ("<", self.until)):
            if time is not None:
                parts.append(f"m.timestamp {operator} %s")
                values.append(_stored(time))
        if self.before is not None:
            parts.append("NOT (m.thread_id = %s AND m.timestamp >= %s)")
            values += [self.before.thread_id, _stored(self.before.timestamp)]
            # A private conversation leaves nothing behind for others.
            parts.append("(m.thread_id = %s OR m.thread_id IN (SELECT id FROM thread WHERE privacy = ''))")
            values.append(self.before.thread_id)
        return " AND ".join(parts), values


def _stored(time: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(time)


def search(text: str, *, limit: int, where: MessageFilter, typing: bool = False) -> FoundMessages:
    """The messages that have words of `text`: first those with every word, then by BM25, then the latest.

    `typing`: the last word may be unfinished. Where the index knows none of the words, and for scripts
    without spaces, they are also found inside words. Blank text finds nothing.
    """
    text = storable(text)
    terms = keywords.terms(text)
    inside = keywords.unspaced(text)
    if not inside:
        found, total = _by_index(terms, limit=limit, where=where, typing=typing)
        if total or not text.strip():
            return _records(found, total, keywords.quoted(terms, beginning=typing), ())
    parts = [*inside, *(term for term in terms if not keywords.unspaced(term))] or text.split()
    found, total = _inside(parts, limit=limit, where=where)
    return _records(found, total, "", parts)


def _by_index(
    terms: Sequence[str], *, limit: int, where: MessageFilter, typing: bool
) -> tuple[list[int], int]:
    """The ids of the best `limit` messages, and how many there are."""
    if not terms:
        return [], 0
    condition, values = where.sql()
    every = keywords.quoted(terms, every=True, beginning=typing)
    some = keywords.quoted(terms, beginning=typing)
    source = (
        f"FROM {_INDEX} JOIN conversational_memory m ON m.id = {_INDEX}.rowid "
        f"WHERE {_INDEX} MATCH %s AND {condition}"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) {source}", [some, *values])
        total = int(cursor.fetchone()[0])
        whole = f"m.id IN (SELECT rowid FROM {_INDEX} WHERE {_INDEX} MATCH %s)"
        cursor.execute(
            f"SELECT m.id {source} ORDER BY {whole} DESC, bm25({_INDEX}), m.timestamp DESC LIMIT %s",
            [some, *values, every, limit],
        )
        return [int(row[0]) for row in cursor.fetchall()], total


def _inside(parts: Sequence[str], *, limit: int, where: MessageFilter) -> tuple[list[int], int]:
    """The same for text that stands anywhere in a message; reads every message."""
    condition, values = where.sql()
    hits = " + ".join(["(instr(lower(m.content), lower(%s)) > 0)"] * len(parts))
    source = f"FROM (SELECT m.id, m.timestamp, {hits} AS hits FROM conversational_memory m WHERE {condition})"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) {source} WHERE hits > 0", [*parts, *values])
        total = int(cursor.fetchone()[0])
        cursor.execute(
            f"SELECT id {source} WHERE hits > 0 ORDER BY hits DESC, timestamp DESC LIMIT %s",
            [*parts, *values, limit],
        )
        return [int(row[0]) for row in cursor.fetchall()], total


def _records(ids: Sequence[int], total: int, match: str, parts: Sequence[str]) -> FoundMessages:
    rows = ConversationalMemory.objects.select_related("thread").in_bulk(ids)
    marked = _snippets(ids, match) if match else {}
    hits = tuple(
        FoundMessage(
            message=conversational.record(rows[pk]),
            thread_title=rows[pk].thread.title,
            snippet=_pieces(marked[pk]) if pk in marked else _around(rows[pk].content, parts),
        )
        for pk in ids
        if pk in rows
    )
    return FoundMessages(total=total, hits=hits)


def _snippets(ids: Sequence[int], match: str) -> dict[int, str]:
    """What stands around the words in each message, the words between the marks."""
    places = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT rowid, snippet({_INDEX}, 0, %s, %s, '…', {_SNIPPET_WORDS}) FROM {_INDEX} "
            f"WHERE {_INDEX} MATCH %s AND rowid IN ({places})",
            [_OPEN, _CLOSE, match, *ids],
        )
        return {int(pk): str(text) for pk, text in cursor.fetchall()}


def _pieces(marked: str) -> tuple[tuple[str, bool], ...]:
    """The text on one line, in pieces that are marked or not."""
    pieces: list[tuple[str, bool]] = []
    for number, part in enumerate(_line(marked).split(_OPEN)):
        inner, closed, rest = part.partition(_CLOSE)
        pieces += [(inner, True), (rest, False)] if number and closed else [(part, False)]
    return tuple((text, is_marked) for text, is_marked in pieces if text)


def _line(text: str) -> str:
    """The text on one line, without the signs of Markdown tables and headings and the marks of passages."""
    return " ".join(_SIGNS.sub(" ", text).split())


def _around(text: str, parts: Sequence[str]) -> tuple[tuple[str, bool], ...]:
    """The text around the first of the parts on one line; that part marked."""
    line = _line(text)
    lowered = line.lower()
    places = [(place, len(part)) for part in parts if (place := lowered.find(part.lower())) >= 0]
    place, length = min(places, default=(0, 0))
    start, end = max(place - _AROUND, 0), min(place + 2 * _AROUND, len(line))
    pieces = [
        ("…" * (start > 0) + line[start:place], False),
        (line[place : place + length], True),
        (line[place + length : end] + "…" * (end < len(line)), False),
    ]
    return tuple(piece for piece in pieces if piece[0])
