"""The word indexes beside conversational and semantic memory: SQLite FTS5, kept in step by triggers.

Owns their tables and triggers, and putting them right after a migration; what is asked of them stands in
keywords.py and the stores. Words are stemmed (Porter) and their accents dropped.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from . import keywords
from .vectors import Ids

FloatScores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WordIndex:
    """The index `name` of one `column` of a `table`, whose id is the index' rowid."""

    name: str
    table: str
    column: str

    def statements(self) -> dict[str, str]:
        """What makes the index and its three triggers, by the name of each."""
        new = f"INSERT INTO {self.name}(rowid, {self.column}) VALUES (new.id, new.{self.column});"
        old = (
            f"INSERT INTO {self.name}({self.name}, rowid, {self.column}) "
            f"VALUES ('delete', old.id, old.{self.column});"
        )
        trigger = f"CREATE TRIGGER {self.name}"
        return {
            self.name: (
                f"CREATE VIRTUAL TABLE {self.name} USING fts5({self.column}, content='{self.table}', "
                "content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')"
            ),
            f"{self.name}_insert": f"{trigger}_insert AFTER INSERT ON {self.table} BEGIN {new} END",
            f"{self.name}_delete": f"{trigger}_delete AFTER DELETE ON {self.table} BEGIN {old} END",
            f"{self.name}_update": (
                f"{trigger}_update AFTER UPDATE OF {self.column} ON {self.table} BEGIN {old} {new} END"
            ),
        }

    def merge(self) -> None:
        """Writes the index anew without the words of rows that are gone, which it keeps until then."""
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(f"INSERT INTO {self.name}({self.name}) VALUES ('optimize')")

    @property
    def rebuild(self) -> str:
        """What fills the index anew from its table."""
        return f"INSERT INTO {self.name}({self.name}) VALUES ('rebuild')"

    def scores(self, text: str) -> tuple[Ids, FloatScores]:
        """The ids of all rows with words of `text`, and their BM25: the higher the better.

        Scripts without spaces are looked for pair by pair of their characters, which reads every row.
        """
        found: dict[int, float] = {}
        with connection.cursor() as cursor:
            if match := keywords.quoted(keywords.with_parts(keywords.terms(text))):
                cursor.execute(
                    f"SELECT rowid, -bm25({self.name}) FROM {self.name} WHERE {self.name} MATCH %s", [match]
                )
                found.update(cursor.fetchall())
            for pair in keywords.bigrams(text):
                cursor.execute(f"SELECT id FROM {self.table} WHERE instr({self.column}, %s) > 0", [pair])
                rows = [row[0] for row in cursor.fetchall()]
                cursor.execute(f"SELECT count(*) FROM {self.table}")
                weight = rarity(int(cursor.fetchone()[0]), len(rows))
                for pk in rows:
                    found[pk] = found.get(pk, 0.0) + weight
        ids: Ids = np.fromiter(found, dtype=np.int64, count=len(found))
        values: FloatScores = np.fromiter(found.values(), dtype=np.float64, count=len(found))
        return ids, values


def rarity(rows: int, having: int) -> float:
    """BM25's weight of what stands in `having` of so many rows; never below 0."""
    return max(math.log((rows - having + 0.5) / (having + 0.5)), 0.0)


MESSAGE_WORDS = WordIndex("conversational_memory_words", "conversational_memory", "content")
PASSAGE_WORDS = WordIndex("semantic_memory_words", "semantic_memory", "text")
INDEXES: Sequence[WordIndex] = (MESSAGE_WORDS, PASSAGE_WORDS)


def put_right(using: str = DEFAULT_DB_ALIAS, **_: Any) -> None:
    """Makes what is missing of the indexes again and fills them; quick where nothing is.

    Runs after every migration: to alter a table Django builds a new one in its place, and the
    triggers of the old one go without a word.
    """
    database = connections[using]
    here = _names(database)
    for index in INDEXES:
        if index.table not in here:
            continue
        missing = [sql for name, sql in index.statements().items() if name not in here]
        if missing:
            with database.cursor() as cursor:
                for sql in [*missing, index.rebuild]:
                    cursor.execute(sql)


def _names(database: BaseDatabaseWrapper) -> set[str]:
    """The tables and triggers there are."""
    with database.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'trigger')")
        return {str(row[0]) for row in cursor.fetchall()}
