"""The word indexes hold what their tables hold, whatever happens to a table."""

import pytest
from django.core.management import call_command
from django.db import connection, models, transaction

from researchassist.memory import word_index
from researchassist.memory.models import ConversationalMemory, SemanticMemory

TABLES = [(word_index.MESSAGE_WORDS, ConversationalMemory), (word_index.PASSAGE_WORDS, SemanticMemory)]


def found(index: word_index.WordIndex, word: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {index.name} WHERE {index.name} MATCH %s", [word])
        return cursor.fetchone()[0]


def triggers() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        return [row[0] for row in cursor.fetchall()]


def test_the_migration_makes_both_indexes_with_three_triggers_each(db):
    assert triggers() == sorted(
        f"{index.name}_{event}" for index, _ in TABLES for event in ("insert", "delete", "update")
    )


def test_what_is_put_right_is_what_the_migration_made(db):
    with connection.cursor() as cursor:
        for index, _ in TABLES:
            for name, sql in index.statements().items():
                cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [name])
                assert cursor.fetchone()[0] == sql


def test_words_are_stemmed_and_accents_do_not_matter(memory):
    memory.write_conversational_memory("La fêlure; owls were hunting", "user", "alice")
    assert [found(word_index.MESSAGE_WORDS, word) for word in ("felure", "OWL", "hunt", "rain")] == [
        1,
        1,
        1,
        0,
    ]


def test_an_index_follows_inserts_updates_and_deletes(memory):
    memory.write_knowledge_base("Owls hunt at night", {"source": "a.md"})
    message = memory.write_conversational_memory("Owls hunt at night", "user", "alice")
    assert [found(index, "owls") for index, _ in TABLES] == [1, 1]
    ConversationalMemory.objects.filter(pk=message.id).update(content="Rain")
    SemanticMemory.objects.update(text="Rain")
    assert [(found(index, "owls"), found(index, "rain")) for index, _ in TABLES] == [(0, 1), (0, 1)]
    memory.delete_thread("alice")
    SemanticMemory.objects.all().delete()
    assert [found(index, "rain") for index, _ in TABLES] == [0, 0]


def test_what_is_rolled_back_is_in_no_index(memory):
    with transaction.atomic():
        memory.write_conversational_memory("Owls", "user", "alice")
        transaction.set_rollback(True)
    assert found(word_index.MESSAGE_WORDS, "owls") == 0


@pytest.mark.django_db(transaction=True)
def test_triggers_lost_to_a_rebuilt_table_come_back_and_what_was_missed_is_indexed(memory):
    memory.write_conversational_memory("Owls", "user", "alice")
    old, new = models.CharField(max_length=16), models.CharField(max_length=17)
    for field in (old, new):
        field.set_attributes_from_name("role")
    with connection.schema_editor() as editor:
        editor.alter_field(ConversationalMemory, old, new)
    assert len(triggers()) == 3
    memory.write_conversational_memory("Owls again", "user", "alice")
    assert found(word_index.MESSAGE_WORDS, "owls") == 1
    call_command("migrate", verbosity=0)
    assert len(triggers()) == 6
    assert found(word_index.MESSAGE_WORDS, "owls") == 2
    memory.write_conversational_memory("Owls once more", "user", "alice")
    assert found(word_index.MESSAGE_WORDS, "owls") == 3


def test_putting_right_what_is_right_only_looks(db, django_assert_num_queries):
    with django_assert_num_queries(1):
        word_index.put_right()
