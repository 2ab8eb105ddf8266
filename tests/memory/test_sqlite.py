"""Many writers on one file: nobody is told that the database is locked, and a kill loses nothing (B32)."""

import sqlite3
import threading
import time

import pytest
from django.db import connection, connections, transaction

from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import ConversationalMemory, StoreState
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from tests import second_process
from tests.tiny_embedder import TinyEmbedder

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*work) -> list[BaseException]:
    """What went wrong when each callable ran on a thread of its own."""
    problems: list[BaseException] = []

    def run(one) -> None:
        try:
            one()
        except BaseException as error:  # noqa: BLE001  (asserted on)
            problems.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return problems


def test_two_that_read_first_and_write_later_both_write(memory):
    barrier = threading.Barrier(2)

    def read_wait_write(name: str) -> None:
        barrier.wait()
        with transaction.atomic():
            StoreState.objects.count()
            time.sleep(0.5)
            StoreState.objects.create(key=name, value="x")

    assert at_once(lambda: read_wait_write("a"), lambda: read_wait_write("b")) == []
    assert StoreState.objects.count() == 2


class SlowEmbedder(TinyEmbedder):
    """As slow as a large model on a small machine."""

    def embed(self, texts):
        time.sleep(0.02 * len(texts))
        return super().embed(texts)


def test_messages_do_not_wait_for_a_document_that_is_being_embedded(options):
    memory, took = MemoryManager(options, SlowEmbedder()), []
    draft = DocumentDraft(source="big.md", kind="markdown", title="Big", file_hash="1")
    passages = [PassageDraft(text=f"Passage {n}", start=0, end=1) for n in range(100)]

    def chat() -> None:
        for number in range(5):
            time.sleep(0.2)
            started = time.monotonic()
            memory.write_conversational_memory(f"message {number}", "user", "alice")
            took.append(time.monotonic() - started)

    assert at_once(lambda: memory.write_document(draft, passages), chat) == []
    assert memory.documents()[0].passages == 100
    assert max(took) < 1


def test_eight_threads_of_messages_all_arrive_in_order(memory):
    def talk(number: int):
        def run() -> None:
            for text in range(25):
                memory.write_conversational_memory(str(text), "user", f"thread {number % 4}")

        return run

    assert at_once(*(talk(number) for number in range(8))) == []
    assert ConversationalMemory.objects.count() == 200
    for number in range(4):
        times = [m.timestamp for m in memory.messages(f"thread {number}")]
        by_id = ConversationalMemory.objects.filter(thread_id=f"thread {number}").order_by("pk")
        assert times == sorted(set(times)) == [row.timestamp for row in by_id]


def test_a_file_whose_ingest_was_killed_leaves_no_half_and_can_be_taken_in_again(memory, tmp_path, options):
    from researchassist.agent import assistant as assistants
    from researchassist.agent.ingest import ingest_file

    file = tmp_path / "owls.md"
    file.write_text("\n\n".join(f"# Part {n}\n\n{'Owls hunt at night. ' * 60}" for n in range(30)))
    script = f"""
import time
from pathlib import Path
from researchassist.agent import assistant as assistants
from researchassist.agent.ingest import ingest_file
class Slow(TinyEmbedder):
    def embed(self, texts):
        print("embedding", flush=True)
        time.sleep(60)
        return super().embed(texts)
ingest_file(assistants.build(MemoryManager(Options(), Slow())), Path({str(file)!r}))
"""
    database = connection.settings_dict["NAME"]
    process = second_process.started(script, database)
    assert process.stdout.readline() == "embedding\n", process.stderr.read()
    process.kill()
    process.communicate()
    assert sqlite3.connect(database).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert memory.sizes()["semantic_memory"] == 0
    assert memory.documents() == []
    again = ingest_file(assistants.build(memory), file)
    assert again.status == "new"
    assert memory.sizes()["semantic_memory"] == again.document.passages > 10


def test_a_write_that_was_killed_before_its_commit_leaves_no_half(memory):
    script = """
import os, signal
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
store = memory._knowledge_base.store
save = store.save
def save_and_die(rows):
    save(rows)
    os.kill(os.getpid(), signal.SIGKILL)
store.save = save_and_die
draft = DocumentDraft(source="a.md", kind="markdown", title="A", file_hash="1")
memory.write_document(draft, [PassageDraft(text=f"Owl {n}", start=0, end=1) for n in range(50)])
"""
    database = connection.settings_dict["NAME"]
    process = second_process.started(script, database)
    process.communicate(timeout=60)
    assert process.returncode == -9
    assert sqlite3.connect(database).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert memory.sizes()["semantic_memory"] == 0
    assert memory.documents() == []


def test_the_database_writes_ahead_and_syncs_every_commit(db):
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone() == ("wal",)
        cursor.execute("PRAGMA synchronous")
        assert cursor.fetchone() == (2,)
