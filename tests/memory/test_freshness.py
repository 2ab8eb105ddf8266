"""Two processes on one database: each finds at once exactly what either has committed."""

import json
import subprocess
from collections.abc import Iterator

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import SemanticMemory
from researchassist.memory.vectors import from_bytes
from tests import second_process

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = ["owl", "heron", "rain", "ledger", "vellum", "tea"]

# What both processes do; `memory` is a MemoryManager.
DOING = """
import json
from researchassist.memory.models import SemanticMemory

def do(memory, operation, number):
    store = memory._knowledge_base.store
    if operation == "write":
        memory.write_knowledge_base(f"passage {number}", {})
    elif operation == "change":
        for row in SemanticMemory.objects.filter(pk__in=ids(number)[:1]):
            row.text, row.timestamp = f"changed {number} {row.pk}", row.timestamp
            store.embed([row], memory.embedder)
            store.save([row])
    elif operation == "delete":
        store.delete(ids(number)[:2])

def ids(number):
    found = list(SemanticMemory.objects.order_by("pk").values_list("pk", flat=True))
    return found[number % len(found):] if found else []

def found(memory, query):
    return [[int(p.id), round(p.score, 5)] for p in memory.read_knowledge_base(query, 999).records]
"""
SERVING = (
    DOING
    + """
import sys
for line in sys.stdin:
    operation, argument = json.loads(line)
    if operation == "busy":
        for number in range(argument):
            do(memory, ("write", "write", "delete", "change")[number % 4], 1000 + number)
        answer = None
    elif operation == "found":
        answer = found(memory, argument)
    else:
        answer = do(memory, operation, argument)
    print(json.dumps(answer), flush=True)
"""
)
here: dict = {}
exec(DOING, here)


class Other:
    """Memory in another process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def begin(self, operation: str, argument: object) -> None:
        self.process.stdin.write(json.dumps([operation, argument]) + "\n")
        self.process.stdin.flush()

    def end(self) -> object:
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return json.loads(line)

    def ask(self, operation: str, argument: object) -> object:
        self.begin(operation, argument)
        return self.end()


@pytest.fixture
def other(memory) -> Iterator[Other]:
    process = second_process.started(SERVING, connection.settings_dict["NAME"], stdin=subprocess.PIPE)
    yield Other(process)
    process.stdin.close()
    process.wait(30)
    process.stdout.close()
    process.stderr.close()


def in_the_table(memory: MemoryManager, query: str) -> list[list[float]]:
    """What a search must give, by the naive way over all rows."""
    rows = SemanticMemory.objects.order_by("pk")
    vector = memory.query_vector(query)
    scores = [(float(from_bytes([bytes(row.embedding)])[0] @ vector), row.pk) for row in rows]
    return [[pk, pytest.approx(score, abs=2e-5)] for score, pk in scores]


def agree(memory: MemoryManager, other: Other, query: str) -> None:
    mine, theirs = here["found"](memory, query), other.ask("found", query)
    assert sorted(mine) == sorted(theirs) == in_the_table(memory, query)
    assert [score for _, score in mine] == sorted((score for _, score in mine), reverse=True)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.booleans(), st.sampled_from(["write", "write", "change", "delete"]), st.integers(0, 40)),
        max_size=12,
    ),
    word=st.sampled_from(WORDS),
)
def test_whatever_either_writes_changes_or_deletes_both_find_the_same_at_once(memory, other, steps, word):
    for in_the_other, operation, number in steps:
        if in_the_other:
            other.ask(operation, number)
        else:
            here["do"](memory, operation, number)
        agree(memory, other, f"passage {word}")


def test_while_both_write_at_once_nothing_is_missed_twice_or_left_over(memory, other):
    other.begin("busy", 60)
    for number in range(60):
        here["do"](memory, ("write", "change", "delete")[number % 3], number)
        ids = [pk for pk, _ in here["found"](memory, "passage")]
        assert len(ids) == len(set(ids))
    other.end()
    agree(memory, other, "passage owl")
