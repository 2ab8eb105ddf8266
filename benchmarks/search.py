"""Exact search over many vectors beside faiss, hnswlib, chromadb and reading every row a query.

Every library runs on one thread, over the same unit vectors, one query at a time, in this order again and
again, so that what else the machine does falls on all alike. The vectors are those of texts in a file, one
a line, repeated with noise where more are needed; without a file they are random directions.

    pip install --group bench
    python -m benchmarks.search [--rows 10000,100000] [--dimensions 384] [--texts FILE] [--queries 50]

What a store does beside searching is measured on the product's own database: reading the matrix in,
taking 60 rows in, deleting, and seeing what another process wrote.
"""

import argparse
import importlib.util
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from .environment import ROOT, percentile, throwaway  # noqa: E402  (threads are counted at import)

FOLDER = throwaway()

import numpy as np  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from researchassist.memory import binding  # noqa: E402
from researchassist.memory.manager import MemoryManager  # noqa: E402
from researchassist.memory.matrix import Matrix  # noqa: E402
from researchassist.memory.models import SemanticMemory  # noqa: E402
from researchassist.memory.stores.vector_store import VectorStore  # noqa: E402
from researchassist.memory.vectors import Vector, to_bytes, unit  # noqa: E402
from researchassist.memory.word_index import PASSAGE_WORDS  # noqa: E402

Search = Callable[[Vector], list[int]]
K = 10
NAIVE_QUERIES = 3
NOISE = 0.02
BATCH = 20_000


def vectors(rows: int, dimensions: int, texts: Path | None) -> Iterator[Vector]:
    """Unit vectors in batches: of the texts where their model has these dimensions, with noise added from
    the second time on."""
    random = np.random.default_rng(11)
    real = None
    if texts is not None:
        memory = MemoryManager(settings.RESEARCHASSIST)
        lines = texts.read_text(encoding="utf-8").splitlines()
        real = memory.embedder.embed([line[:1500] for line in lines if line.strip()])
        if real.shape[1] != dimensions:
            real = None
    for start in range(0, rows, BATCH):
        size = min(BATCH, rows - start)
        if real is None:
            yield unit(random.standard_normal((size, dimensions), dtype=np.float32))
        else:
            chosen = real[np.arange(start, start + size) % len(real)]
            noise = NOISE * random.standard_normal(chosen.shape, dtype=np.float32)
            yield unit(chosen + (noise if start + size > len(real) else 0))


# The libraries: each gives the ids of the nearest rows


def ours(matrix: Matrix) -> Search:
    """The product's matrix."""
    return lambda query: [pk for pk, _ in matrix.search(query, K)]


def faiss_flat(data: Vector) -> Search:
    """faiss IndexFlatIP: exact."""
    import faiss  # noqa: PLC0415

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(data.shape[1])
    index.add(data)
    return lambda query: [int(pk) for pk in index.search(query[None], K)[1][0]]


def hnsw(data: Vector) -> Search:
    """hnswlib with its usual parameters: approximate."""
    import hnswlib  # noqa: PLC0415

    index = hnswlib.Index(space="ip", dim=data.shape[1])
    index.init_index(max_elements=len(data), ef_construction=200, M=16)
    index.add_items(data, np.arange(len(data)))
    index.set_num_threads(1)
    index.set_ef(100)
    return lambda query: [int(pk) for pk in index.knn_query(query[None], k=K)[0][0]]


def chroma(data: Vector) -> Search:
    """chromadb in memory, its usual index: approximate."""
    import chromadb  # noqa: PLC0415

    client = chromadb.EphemeralClient(settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection(f"rows-{len(data)}-{data.shape[1]}", metadata={"hnsw:space": "ip"})
    for start in range(0, len(data), 5000):
        part = data[start : start + 5000]
        collection.add(ids=[str(n) for n in range(start, start + len(part))], embeddings=part)
    return lambda query: [
        int(pk) for pk in collection.query(query_embeddings=[query], n_results=K, include=[])["ids"][0]
    ]


def naive(data: Vector, folder: Path) -> Search:
    """Every row out of SQLite for every query, compared with numpy."""
    database = sqlite3.connect(folder / f"naive-{len(data)}-{data.shape[1]}.sqlite3")
    database.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, embedding BLOB)")
    database.executemany("INSERT INTO rows VALUES (?, ?)", ((n, to_bytes(row)) for n, row in enumerate(data)))
    database.commit()

    def search(query: Vector) -> list[int]:
        rows = database.execute("SELECT id, embedding FROM rows").fetchall()
        scores = [(float(np.dot(np.frombuffer(row[1], dtype=np.float32), query)), row[0]) for row in rows]
        return [pk for _, pk in sorted(scores, key=lambda pair: (-pair[0], pair[1]))[:K]]

    return search


def compare(rows: int, dimensions: int, arguments: argparse.Namespace) -> None:
    """Prints the table of one size."""
    matrix, parts = Matrix(), []
    for part in vectors(rows, dimensions, arguments.texts):
        start = sum(map(len, parts))
        none = np.zeros(0, dtype=np.int64)
        matrix.apply(ids=np.arange(start, start + len(part)), vectors=part, removed=none)
        parts.append(part)
    data: Vector = np.concatenate(parts)
    del parts
    random = np.random.default_rng(5)
    noise = 0.1 * random.standard_normal((arguments.queries, dimensions))
    queries = unit(data[random.integers(0, rows, arguments.queries)] + noise)
    libraries: dict[str, Search] = {"ours (exact)": ours(matrix)}
    with tempfile.TemporaryDirectory() as folder:
        makers = {"faiss flat (exact)": ("faiss", faiss_flat)}
        if rows <= arguments.approximate_rows:
            makers |= {"hnswlib": ("hnswlib", hnsw), "chromadb": ("chromadb", chroma)}
        for title, (module, make) in makers.items():
            if importlib.util.find_spec(module) is None:
                print(f"{module} is not installed and left out")
            else:
                libraries[title] = make(data)
        libraries["rows from SQLite (exact)"] = naive(data, Path(folder))
        truth = [set(np.argsort(-(data @ query), kind="stable")[:K].tolist()) for query in queries]
        times: dict[str, list[float]] = {title: [] for title in libraries}
        hits: dict[str, list[float]] = {title: [] for title in libraries}
        for number, query in enumerate(queries):
            for title, search in libraries.items():
                if "SQLite" in title and number >= NAIVE_QUERIES:
                    continue
                begun = time.perf_counter()
                found = search(query)
                times[title].append(1000 * (time.perf_counter() - begun))
                hits[title].append(len(truth[number] & set(found)) / K)
    own = percentile(times["ours (exact)"], 0.5)
    print(f"\n{rows:,} × {dimensions}\n\n| | p50 ms | fastest ms | times ours | right of the top {K} |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for title, taken in times.items():
        middle = percentile(taken, 0.5)
        right = f"{100 * np.mean(hits[title]):.1f} %"
        print(f"| {title} | {middle:.2f} | {min(taken):.2f} | {middle / own:.2f} | {right} |", flush=True)


# The store


# Linux hands the peak that getrusage gives on to a child; the one in /proc begins anew.
_READER = """
import pathlib, re, sys, time
from researchassist.memory.models import SemanticMemory
from researchassist.memory.stores.vector_store import VectorStore
store = VectorStore(SemanticMemory)
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text()).group(1))
store._newest_revision()
before = peak()
begun = time.perf_counter()
rows = store.size()
seconds = time.perf_counter() - begun
vector = __import__("numpy").ones(int(sys.argv[1]), dtype="float32")
store.search(vector / (len(vector) ** 0.5), 10)
grown = peak() - before
print(rows, seconds, grown / 1024, flush=True)
for line in sys.stdin:
    begun = time.perf_counter()
    rows = store.size()
    print(rows, time.perf_counter() - begun, flush=True)
"""


def store_costs(rows: int, dimensions: int) -> None:
    """Prints what a store of this size costs beside searching."""
    store = VectorStore(SemanticMemory, PASSAGE_WORDS)
    number = 0
    for part in vectors(rows, dimensions, None):
        store.save([_row(number + place, vector) for place, vector in enumerate(part)])
        number += len(part)
    code = "import django; django.setup()\n" + _READER
    reader = subprocess.Popen(
        [sys.executable, "-c", code, str(dimensions)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert reader.stdin is not None
    assert reader.stdout is not None

    def other_sees() -> tuple[float, ...]:
        assert reader.stdin is not None
        assert reader.stdout is not None
        reader.stdin.write("\n")
        reader.stdin.flush()
        return tuple(float(value) for value in reader.stdout.readline().split())

    _, cold, megabytes = (float(value) for value in reader.stdout.readline().split())
    size = rows * dimensions * 4 / 2**20
    store.size()
    fresh = [_row(rows + place, vector) for place, vector in enumerate(next(vectors(60, dimensions, None)))]
    begun = time.perf_counter()
    store.save(fresh)
    written = time.perf_counter() - begun
    begun = time.perf_counter()
    store.size()
    taken = time.perf_counter() - begun
    _, seen = other_sees()
    some = list(SemanticMemory.objects.order_by("pk").values_list("pk", flat=True)[: rows * 2 // 5])
    begun = time.perf_counter()
    store.delete(some)
    deleted = time.perf_counter() - begun
    begun = time.perf_counter()
    left = store.size()
    dropped = time.perf_counter() - begun
    other_left, other_dropped = other_sees()
    assert left == other_left == rows + 60 - len(some)
    reader.stdin.close()
    reader.wait()
    print(f"\nA store of {rows:,} × {dimensions}\n\n| | |\n| --- | ---: |")
    for what, value in (
        ("reading the matrix in", f"{cold * 1000:,.0f} ms"),
        ("peak memory of that and a search", f"{megabytes / size:.2f} times the {size:,.0f} MB"),
        ("writing 60 rows", f"{written * 1000:.1f} ms"),
        ("taking them into the matrix", f"{taken * 1000:.2f} ms"),
        ("another process taking them in", f"{seen * 1000:.2f} ms"),
        (f"deleting {len(some):,} rows", f"{deleted * 1000:,.0f} ms"),
        ("taking that out of the matrix", f"{dropped * 1000:.1f} ms"),
        ("another process taking it out", f"{other_dropped * 1000:.1f} ms"),
    ):
        print(f"| {what} | {value} |", flush=True)
    store.delete(SemanticMemory.objects.values_list("pk", flat=True))


def _row(number: int, vector: Vector) -> SemanticMemory:
    row = SemanticMemory(text=f"Passage {number}. " + "Words of a passage. " * 60, content_hash=str(number))
    row.embedding, row.embedding_model = to_bytes(vector), "benchmark"
    return row


def main() -> None:
    """Runs every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", default="10000,100000")
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--texts", type=Path, help="a file with a text a line")
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument(
        "--approximate-rows",
        type=int,
        default=100_000,
        help="hnswlib and chromadb up to this size only: a million take them long to build",
    )
    parser.add_argument("--store-rows", type=int, default=100_000, help="0: not the store")
    arguments = parser.parse_args()
    for rows in (int(one) for one in arguments.rows.split(",")):
        compare(rows, arguments.dimensions, arguments)
    if arguments.store_rows:
        binding.bind("benchmark")
        store_costs(arguments.store_rows, arguments.dimensions)
    connection.close()
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
