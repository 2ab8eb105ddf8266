"""What a turn costs beside the model: preload, tools and writes, with an instant model.

Once at the size of the fixtures and once with 20,000 passages and 5,000 facts. The person waits for the
time to the model's first call and for the commit after its last word; the rest runs after the answer.
The share of the query's embedding is given, since it is the model's and not ours.

    python -m benchmarks.turn_overhead [--turns 60] [--passages 20000,100000] [--facts 5000]
"""

import argparse
import itertools
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from .environment import ROOT, percentile, throwaway

FOLDER = throwaway()

import numpy as np  # noqa: E402  (Django must be set up first)
from django.conf import settings  # noqa: E402

from researchassist.agent import personal, recall  # noqa: E402
from researchassist.agent.assistant import Assistant, build  # noqa: E402
from researchassist.agent.events import TurnEnded  # noqa: E402
from researchassist.agent.samples import ingest_samples  # noqa: E402
from researchassist.agent.turn import TurnRequest, stream_turn  # noqa: E402
from researchassist.llm.types import Message, Reply, ToolSchema  # noqa: E402
from researchassist.memory.manager import MemoryManager  # noqa: E402
from researchassist.memory.models import Fact, SemanticMemory  # noqa: E402
from researchassist.memory.text import content_hash  # noqa: E402
from researchassist.memory.vectors import Vector, to_bytes, unit  # noqa: E402

NAMES = {
    "before": "before the model is asked",
    "after": "after its last word",
    "both": "a turn beside the model",
    "query embedding": "of which embedding the query ({share:.0f} %)",
    "personal": "of which reading personal memory",
    "learning": "after the answer, unseen",
}
# Across all measurements: a question asked twice finds its vector kept.
_numbers = itertools.count()


class InstantModel:
    """Answers at once, so that only our own time is left; keeps when it was asked."""

    name = "instant"

    def __init__(self) -> None:
        self.asked = 0.0

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """See `researchassist.llm.types.LanguageModel.stream`."""
        del messages, tools, max_tokens
        self.asked = time.perf_counter()
        yield Reply("An answer of one sentence.")


def fill(memory: MemoryManager, begin: int, end: int) -> None:
    """Puts random unit vectors in, without embedding text for them, so that there are `end`."""
    store = next(s for s in memory.vector_stores() if s.name == "semantic_memory")
    random = np.random.default_rng(7 + begin)
    for start in range(begin, end, 2000):
        size = min(2000, end - start)
        vectors = unit(random.normal(size=(size, 384)))
        rows = []
        for number, vector in enumerate(vectors, start):
            text = f"Passage {number}. " + "Filler of the length of a passage. " * 40
            metadata = {"source": f"paper-{number // 60}.md", "title": f"Paper {number // 60}"}
            row = SemanticMemory(text=text, metadata=metadata, content_hash=content_hash(text))
            row.embedding, row.embedding_model = to_bytes(vector), memory.embedder.name
            rows.append(row)
        store.save(rows)


def fill_facts(memory: MemoryManager, count: int) -> None:
    """Puts facts with random unit vectors in, half of them episodes told over two years."""
    store = next(s for s in memory.personal_stores() if s.name == "fact")
    random, now = np.random.default_rng(8), datetime.now(UTC)
    rows = []
    for number, vector in enumerate(unit(random.normal(size=(count, 384)))):
        text = f"User noted observation {number} about the Kestrel ledger of tier {number % 7}"
        told = now - timedelta(hours=float(random.integers(0, 17_000)))
        row = Fact(user=memory.options.user, text=text, key=text.casefold(), content_hash=content_hash(text))
        row.kind, row.importance = ("episodic", "semantic")[number % 2], 1 + number % 10
        row.subject, row.attribute, row.timestamp, row.last_accessed = "user", "other", told, told
        row.embedding, row.embedding_model = to_bytes(vector), memory.embedder.name
        rows.append(row)
    store.save(rows)


@contextmanager
def timed_personal_memory() -> Iterator[list[float]]:
    """Seconds that reading personal memory and touching what was recalled took, one value a call."""
    spent: list[float] = []
    read, touch = personal.read, recall.touch

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **more: Any) -> Any:
            begun = time.perf_counter()
            try:
                return function(*args, **more)
            finally:
                spent.append(time.perf_counter() - begun)

        return wrapper

    personal.read, recall.touch = timed(read), timed(touch)
    try:
        yield spent
    finally:
        personal.read, recall.touch = read, touch


def measure(assistant: Assistant, model: InstantModel, turns: int) -> dict[str, list[float]]:
    """Milliseconds by part, one value a turn; every question is new, so none is cached."""
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    embedding: list[float] = []
    embedder = assistant.memory.embedder
    embed = type(embedder).embed

    def timed(texts: Sequence[str]) -> Vector:
        begun = time.perf_counter()
        try:
            return embed(embedder, texts)
        finally:
            embedding.append(time.perf_counter() - begun)

    # Timed where it happens: measured apart, it reads more than the turn that contains it.
    embedder.embed = timed  # type: ignore[method-assign]
    with timed_personal_memory() as personal_spent:
        for number in range(turns):
            query = f"Question {next(_numbers)}: what does the Kestrel paper say about tier {number % 7}?"
            embedding.clear()
            personal_spent.clear()
            ended = within = 0.0
            started = time.perf_counter()
            for event in stream_turn(assistant, TurnRequest(f"thread-{number // 5}", query)):
                if isinstance(event, TurnEnded):
                    ended, within = time.perf_counter(), sum(embedding)
            finished = time.perf_counter()
            before, after = model.asked - started, ended - model.asked
            times["before"].append(before * 1000)
            times["after"].append(after * 1000)
            times["both"].append((before + after) * 1000)
            times["query embedding"].append(within * 1000)
            times["personal"].append(sum(personal_spent) * 1000)
            times["learning"].append((finished - ended) * 1000)
    return times


def table(title: str, times: dict[str, list[float]]) -> None:
    """Prints one table."""
    share = 100 * percentile(times["query embedding"], 0.5) / percentile(times["both"], 0.5)
    print(f"\n{title}\n\n| part | p50 ms | p95 ms |\n| --- | ---: | ---: |")
    for key, name in NAMES.items():
        half, most = percentile(times[key], 0.5), percentile(times[key], 0.95)
        print(f"| {name.format(share=share)} | {half:.1f} | {most:.1f} |")


def main() -> None:
    """Runs every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--passages", default="20000,100000", help="sizes, with commas, rising")
    parser.add_argument("--facts", type=int, default=5_000)
    arguments = parser.parse_args()
    memory, model = MemoryManager(settings.RESEARCHASSIST), InstantModel()
    assistant = build(memory, model=model)
    list(ingest_samples(assistant, ROOT / "fixtures"))
    assistant.warm_up()
    measure(assistant, model, 10)
    table("At the size of the fixtures", measure(assistant, model, arguments.turns))
    before = 0
    for size in (int(one) for one in arguments.passages.split(",")):
        fill(memory, before, size)
        started = time.perf_counter()
        memory.sizes()
        taken = time.perf_counter() - started
        print(f"\nTaking {size - before:,} new passages into the matrix: {taken:.2f} s")
        measure(assistant, model, 5)
        table(f"With {size:,} passages", measure(assistant, model, arguments.turns))
        before = size
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
