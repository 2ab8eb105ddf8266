"""How fast passages and questions are embedded with the packaged model.

The texts are the passages that the product cuts out of the fixtures and this project's own documents, of
mixed lengths. One text after the other by plain `model.encode` stands beside it in batches as they come,
in batches by length, and through a store, where a text that was embedded before is not embedded again.

    python -m benchmarks.embedding [--passages 200] [--questions 100]
"""

import argparse
import itertools
import shutil
import time
from collections.abc import Callable

from .environment import ROOT, percentile, throwaway

FOLDER = throwaway()

from django.conf import settings  # noqa: E402  (Django must be set up first)

from researchassist.memory.embedding import BATCH, SentenceTransformerEmbedder  # noqa: E402
from researchassist.memory.manager import MemoryManager  # noqa: E402
from researchassist.memory.models import SemanticMemory  # noqa: E402
from researchassist.memory.stores.vector_store import VectorStore  # noqa: E402
from researchassist.memory.word_index import PASSAGE_WORDS  # noqa: E402
from researchassist.papers import chunking  # noqa: E402


def passages(embedder: SentenceTransformerEmbedder, count: int) -> list[str]:
    """Passages of 100, 500 and 1,500 characters from the texts of this project."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("*.md"))]
    texts += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "fixtures").rglob("*.md"))]
    found: list[str] = []
    for chars, text in itertools.product((1500, 500, 100), texts):
        found += [
            chunk.text
            for chunk in chunking.split(
                text,
                chars=chars,
                overlap=0,
                max_tokens=embedder.max_tokens,
                count_tokens=embedder.count_tokens,
            )
        ]
    distinct = list(dict.fromkeys(found))
    return distinct[:: max(len(distinct) // count, 1)][:count]


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--passages", type=int, default=200)
    parser.add_argument("--questions", type=int, default=100)
    arguments = parser.parse_args()
    memory = MemoryManager(settings.RESEARCHASSIST)
    embedder = memory.embedder
    assert isinstance(embedder, SentenceTransformerEmbedder)
    texts = passages(embedder, arguments.passages)
    model = embedder._loaded()
    store = VectorStore(SemanticMemory, PASSAGE_WORDS)

    def rows() -> list[SemanticMemory]:
        return [SemanticMemory(text=text) for text in texts]

    def encode(some: list[str], size: int) -> None:
        for start in range(0, len(some), size):
            model.encode(some[start : start + size], batch_size=size, show_progress_bar=False)

    def kept() -> None:
        drafted = rows()
        store.embed(drafted, embedder)
        store.save(drafted)

    ways: dict[str, Callable[[], object]] = {
        "one text after the other": lambda: encode(texts, 1),
        f"batches of {BATCH} as they come": lambda: encode(texts, BATCH),
        f"batches of {BATCH} by length": lambda: encode(sorted(texts, key=len), BATCH),
        "all at once in batches of 32": lambda: model.encode(texts, batch_size=32, show_progress_bar=False),
        "through the store": kept,
        "through the store again, all known": lambda: store.embed(rows(), embedder),
    }
    embedder.embed(texts[:8])
    print(f"\n{len(texts)} passages of {min(map(len, texts))} to {max(map(len, texts)):,} characters\n")
    print("| | passages/s | times the first |\n| --- | ---: | ---: |")
    first = 0.0
    for title, work in ways.items():
        begun = time.perf_counter()
        work()
        speed = len(texts) / (time.perf_counter() - begun)
        first = first or speed
        print(f"| {title} | {speed:,.1f} | {speed / first:.2f} |", flush=True)
    taken = []
    for number in range(arguments.questions):
        begun = time.perf_counter()
        memory.query_vector(f"Question {number}: what does the Kestrel paper say about tier {number % 7}?")
        taken.append(1000 * (time.perf_counter() - begun))
    print("\n| a question | ms |\n| --- | ---: |")
    print(f"| p50 | {percentile(taken, 0.5):.1f} |\n| p95 | {percentile(taken, 0.95):.1f} |")
    print(f"| fastest | {min(taken):.1f} |")
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
