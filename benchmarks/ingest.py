"""What taking papers in costs: reading, embedding, memory, and the chat beside it.

Reading is measured in pages a second, keeping in passages a second against the bare embedding model on
the same texts, memory while many documents come in, and the chat's time to its first token meanwhile
against idle, with the ingest in the server's own process as an upload is.

    python -m benchmarks.ingest [--papers 8] [--documents 200] [--turns 30]
"""

import argparse
import shutil
import threading
import time
from pathlib import Path

from .environment import percentile, throwaway

FOLDER = throwaway()

import psutil  # noqa: E402  (Django must be set up first)
import pymupdf  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from researchassist.agent.assistant import Assistant, build  # noqa: E402
from researchassist.agent.batch import ingest_files  # noqa: E402
from researchassist.agent.keep import Found, Ingested, keep_all, passages  # noqa: E402
from researchassist.memory.embedding import SentenceTransformerEmbedder  # noqa: E402
from researchassist.memory.manager import MemoryManager  # noqa: E402
from researchassist.papers import pdf  # noqa: E402
from researchassist.papers.extracted import Extracted  # noqa: E402
from researchassist.papers.process import Limits  # noqa: E402
from tests.outside import pdf as made  # noqa: E402
from tests.paper import two_column_paper  # noqa: E402

from .turn_overhead import InstantModel, measure  # noqa: E402


def reading() -> None:
    """Pages a second: one paper, and the pages of a long one, without the start of the child."""
    started = time.perf_counter()
    for _ in range(5):
        pdf.extract(two_column_paper(), "paper.pdf", Limits())
    paper = (time.perf_counter() - started) / 5

    whole = pymupdf.open()
    for _ in range(20):
        whole.insert_pdf(pymupdf.open(stream=two_column_paper()))
    started = time.perf_counter()
    pdf.extract(whole.tobytes(), "long.pdf", Limits())
    long = time.perf_counter() - started
    print(f"| reading a 12-page paper | {paper:.2f} s, {12 / paper:.0f} pages/s |")
    print(f"| reading 240 pages at once | {long:.2f} s, {240 / long:.0f} pages/s |")


def short(count: int) -> list[Path]:
    """Documents of two pages, a passage each, every one of other words."""
    folder = FOLDER / "short"
    folder.mkdir()
    files = []
    for number in range(count):
        rows = [f"Owl {number} of row {row} hunts {row * number} mice and hides them." for row in range(16)]
        file = folder / f"{number:04}.pdf"
        file.write_bytes(made("\n".join(rows[:8]), "\n".join(rows[8:])))
        files.append(file)
    return files


def papers(count: int) -> list[Path]:
    """Papers of twelve pages in two columns; no two share a passage, which would be embedded once."""
    folder = FOLDER / "papers"
    folder.mkdir()
    files = []
    for number in range(count):
        file = folder / f"{number}.pdf"
        file.write_bytes(two_column_paper(f"owl {number}"))
        files.append(file)
    return files


def keeping(assistant: Assistant, files: list[Path]) -> None:
    """Passages a second of the whole way, and of embedding the same texts alone, paper by paper."""
    started = time.perf_counter()
    kept = sum(
        done.document.passages for _, done in ingest_files(assistant, files) if isinstance(done, Ingested)
    )
    whole = kept / (time.perf_counter() - started)
    texts = [
        [one.text for one in passages(assistant, pdf.extract(file.read_bytes(), file.name, Limits()))]
        for file in files
    ]
    embedder = assistant.memory.embedder
    assert isinstance(embedder, SentenceTransformerEmbedder)
    model = embedder._loaded()
    print(f"| keeping {len(files)} papers, {kept} passages | {whole:.1f} passages/s |", flush=True)
    for title, embed in (
        ("the bare model, as its library comes", lambda some: model.encode(some, show_progress_bar=False)),
        ("our embedder alone", embedder.embed),
    ):
        started = time.perf_counter()
        for some in texts:
            embed(some)
        alone = sum(map(len, texts)) / (time.perf_counter() - started)
        print(f"| {title} | {alone:.1f} passages/s, ratio {whole / alone:.2f} |", flush=True)


def memory_of(assistant: Assistant, files: list[Path]) -> None:
    """Memory of this process at each quarter of many documents."""
    process, used = psutil.Process(), []
    for number, _ in enumerate(ingest_files(assistant, files), 1):
        if number % max(len(files) // 4, 1) == 0:
            used.append(process.memory_info().rss // 1_000_000)
    print(
        f"| memory at each quarter of {len(files)} documents | {', '.join(map(str, used))} MB |", flush=True
    )


def beside(assistant: Assistant, model: InstantModel, turns: int, latency: float) -> None:
    """The time to the first token, idle and while a large document is embedded in this process."""
    idle = percentile(measure(assistant, model, turns)["before"], 0.5)
    text = "\n\n".join(f"Part {n}. " + f"The owl of part {n} hunts. " * 50 for n in range(2000))
    stop = threading.Event()

    def ingest() -> None:

        number = 0
        while not stop.is_set():
            some = text[number * 100_000 : (number + 1) * 100_000] or text[:100_000]
            keep_all(
                assistant,
                [Found(f"part {number}", str(number), Extracted(text=some, title="t", kind="text"))],
            )
            number += 1
        connection.close()

    thread = threading.Thread(target=ingest)
    thread.start()
    time.sleep(2)
    busy = percentile(measure(assistant, model, turns)["before"], 0.5)
    stop.set()
    thread.join()
    ratio = (busy + latency) / (idle + latency)
    print(f"| before the model is asked, idle | {idle:.0f} ms |")
    print(f"| the same while a document is taken in | {busy:.0f} ms |")
    print(f"| first token of a model that takes {latency:.0f} ms | {ratio:.2f} times idle |")


def main() -> None:
    """Prints one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--papers", type=int, default=8)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--latency", type=float, default=300.0, help="ms to a model's first token")
    arguments = parser.parse_args()
    memory, model = MemoryManager(settings.RESEARCHASSIST), InstantModel()
    assistant = build(memory, model=model)
    assistant.warm_up()
    print("| what | measured |\n| --- | --- |")
    reading()
    keeping(assistant, papers(arguments.papers))
    memory_of(assistant, short(arguments.documents))
    beside(assistant, model, arguments.turns, arguments.latency)
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
