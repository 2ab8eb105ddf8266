import threading

import pytest
from django.db import connections

from researchassist.memory.models import EntityMemory


@pytest.mark.parametrize("other", ["kestrel", " Kestrel ", "KESTREL.", "Ｋestrel", '"Kestrel"'])
def test_spellings_of_one_name_are_one_entity(memory, other: str):
    memory.write_entity("Kestrel", "SYSTEM", "A paper")
    merged = memory.write_entity(other, "SYSTEM", "A paper of 2025")
    assert EntityMemory.objects.count() == 1
    assert (merged.name, merged.mentions, merged.description) == ("Kestrel", 2, "A paper of 2025")


def test_the_longer_description_wins(memory):
    memory.write_entity("Kestrel", "SYSTEM", "A paper about ledgers")
    assert memory.write_entity("Kestrel", "SYSTEM", "A paper").description == "A paper about ledgers"


def test_a_class_replaces_unknown(memory):
    memory.write_entity("Marlow", "UNKNOWN", "")
    assert memory.write_entity("Marlow", "PERSON", "An author").type == "PERSON"
    assert EntityMemory.objects.count() == 1


def test_unknown_does_not_replace_a_class(memory):
    memory.write_entity("Marlow", "PERSON", "")
    assert memory.write_entity("marlow", "UNKNOWN", "").type == "PERSON"


def test_two_classes_of_one_name_are_two_entities(memory):
    memory.write_entity("Paris", "PLACE", "A city")
    memory.write_entity("Paris", "PERSON", "A prince")
    assert EntityMemory.objects.count() == 2


def test_what_fits_no_class_is_unknown(memory):
    assert memory.write_entity("Kestrel", "BIRD", "").type == "UNKNOWN"


def test_a_merged_entity_is_found_by_what_was_learned(memory):
    memory.write_entity("Marlow", "UNKNOWN", "")
    for number in range(5):
        memory.write_entity(f"Filler {number}", "PLACE", "Nothing to see")
    memory.write_entity("Marlow", "PERSON", "Studies streaming ledgers at night")
    assert memory.read_entity("streaming ledgers").records[0].name == "Marlow"


def test_a_read_lists_entities_as_bullets(memory):
    assert "No entity in memory yet." in memory.read_entity("who").text()
    memory.write_entity("Marlow", "PERSON", "An author")
    assert "- Marlow (PERSON): An author" in memory.read_entity("who").text()


@pytest.mark.django_db(transaction=True)
def test_mentions_at_once_are_one_entity_and_all_counted(memory):
    barrier = threading.Barrier(6)

    def mention() -> None:
        barrier.wait()
        memory.write_entity("Kestrel", "SYSTEM", "A paper")
        connections.close_all()

    threads = [threading.Thread(target=mention) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [row] = EntityMemory.objects.all()
    assert row.mentions == 6
