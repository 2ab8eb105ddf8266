"""Word indexes over messages and passages; memory/word_index.py puts them right after later migrations."""

from django.db import migrations


def _index(name, table, column):
    """The statements that make, fill and keep one index; as they were when this was written."""
    new = f"INSERT INTO {name}(rowid, {column}) VALUES (new.id, new.{column});"
    old = f"INSERT INTO {name}({name}, rowid, {column}) VALUES ('delete', old.id, old.{column});"
    return [
        f"CREATE VIRTUAL TABLE {name} USING fts5({column}, content='{table}', content_rowid='id', "
        "tokenize='porter unicode61 remove_diacritics 2')",
        f"CREATE TRIGGER {name}_insert AFTER INSERT ON {table} BEGIN {new} END",
        f"CREATE TRIGGER {name}_delete AFTER DELETE ON {table} BEGIN {old} END",
        f"CREATE TRIGGER {name}_update AFTER UPDATE OF {column} ON {table} BEGIN {old} {new} END",
        f"INSERT INTO {name}({name}) VALUES ('rebuild')",
    ]


def _undone(name):
    triggers = [f"DROP TRIGGER IF EXISTS {name}_{event}" for event in ("insert", "delete", "update")]
    return [*triggers, f"DROP TABLE {name}"]


class Migration(migrations.Migration):

    dependencies = [("memory", "0003_commandrun")]

    operations = [
        migrations.RunSQL(_index(name, table, column), _undone(name))
        for name, table, column in [
            ("conversational_memory_words", "conversational_memory", "content"),
            ("semantic_memory_words", "semantic_memory", "text"),
        ]
    ]
