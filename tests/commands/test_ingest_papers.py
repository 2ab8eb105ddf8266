"""`ingest` with papers, ids and many files, also killed in the middle; `ingest_metadata`."""

import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings

from researchassist.memory.models import SemanticMemory
from tests import outside, second_process
from tests.outside import entry, feed, pdf


@pytest.fixture
def outside_command(assistant_with, command, httpserver):
    assistant_with("unused", sources=outside.sources(httpserver))
    return command


def dump(path: Path, lines: list[dict | str]) -> Path:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def paper(number: int, **fields) -> dict:
    return {"id": f"2401.{number:05}", "title": f"Paper {number}", "authors": "A. Lee", "categories": "cs.AI",
            "abstract": f"About owl number {number}.", "update_date": "2024-01-02"} | fields  # fmt: skip


def test_a_folder_of_every_format_is_taken_in_with_one_line_a_file(command, tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("Owls hunt.", "At night."))
    (tmp_path / "b.bib").write_text("@article{x, title={Owls}, abstract={They hunt.}}")
    (tmp_path / "c.html").write_text(f"<html><body><p>{'Owls nest in trees. ' * 20}</p></body></html>")
    lines = command("ingest", str(tmp_path)).splitlines()
    assert [line.split(":", 1)[1].strip() for line in lines[:3]] == [
        "2 pages, 2 passages", "1 references, 1 new", "1 passages"
    ]  # fmt: skip
    assert lines[3] == "3 new"


def test_an_arxiv_id_and_a_link_are_fetched(outside_command, memory, httpserver):
    httpserver.expect_request("/api/query").respond_with_data(feed(entry("2401.00001v1", "Owls")))
    httpserver.expect_request("/pdf/2401.00001v1").respond_with_data(pdf("Owls hunt."))
    httpserver.expect_request("/page").respond_with_data("# Wrens\n\nhunt")
    text = outside_command("ingest", "arXiv:2401.00001", "http://example.com/page")
    assert "new        arXiv:2401.00001: 1 pages, 1 passages" in text
    assert {d.title for d in memory.documents()} == {"Owls", "Wrens"}


def test_a_paper_that_cannot_be_had_is_a_line_and_exit_code_one(outside_command, httpserver, capsys):
    httpserver.expect_request("/api/query").respond_with_data(feed())
    with pytest.raises(SystemExit) as ended:
        outside_command("ingest", "2401.00001")
    assert ended.value.code == 1


def test_a_run_killed_in_the_middle_is_finished_by_the_next(tmp_path):
    """kill -9 among 30 files: the second run ends with 30 documents, nothing twice, nothing half."""
    folder, data = tmp_path / "papers", tmp_path / "data"
    folder.mkdir()
    for number in range(30):
        pages = [f"Owl {number} on page {page}.\n" + "It hunts at night.\n" * 5 for page in range(3)]
        (folder / f"{number:02}.pdf").write_bytes(pdf(*pages))
    options = {"RESEARCHASSIST_DATA_DIR": str(data), "RESEARCHASSIST_EMBEDDING_MODEL": "packaged"}
    assert second_process.manage("migrate", "--verbosity", "0", **options).returncode == 0
    database = data / "researchassist.sqlite3"
    running = subprocess.Popen(
        [sys.executable, "manage.py", "ingest", str(folder)],
        cwd=settings.BASE_DIR, env=second_process.environment(**options),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while (kept := _count(database, "document")) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    between = _count(database, "document")
    assert 5 <= kept <= between < 30
    assert _count(database, "semantic_memory") == 3 * between

    again = second_process.manage("ingest", str(folder), **options)

    assert again.returncode == 0, again.stderr
    assert f"{between} unchanged, {30 - between} new" in again.stdout
    assert _count(database, "document") == 30
    assert _count(database, "semantic_memory") == 90
    assert _count(database, "document WHERE state = 'ready'") == 30


def _count(database: Path, what: str) -> int:
    with sqlite3.connect(database, timeout=20) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])


@pytest.mark.parametrize("name", ["dump.jsonl", "dump.jsonl.gz", "dump"])
def test_a_metadata_dump_is_kept_paper_by_paper(command, memory, tmp_path, name: str):
    file = dump(tmp_path / name, [paper(number) for number in range(1, 8)])
    assert (
        command("ingest_metadata", str(file), "--batch", "3")
        == "7 new, 0 changed, 0 unchanged, 0 unreadable\n"
    )
    assert (
        SemanticMemory.objects.get(metadata__title="Paper 3").text
        == "Paper 3\n\ncs.AI\n\nAbout owl number 3."
    )
    assert {d.source for d in memory.documents()} == {f"arxiv:2401.{n:05}" for n in range(1, 8)}


def test_a_batch_is_embedded_together(command, tmp_path, tiny_embedder):
    file = dump(tmp_path / "dump.jsonl", [paper(number) for number in range(1, 21)])
    sizes: list[int] = []
    real = tiny_embedder.embed
    tiny_embedder.embed = lambda texts: sizes.append(len(texts)) or real(texts)
    command("ingest_metadata", str(file), "--batch", "10")
    assert sizes == [10, 10]


def test_a_dump_again_is_unchanged_and_a_new_version_changes(command, tmp_path):
    command("ingest_metadata", str(dump(tmp_path / "a.jsonl", [paper(1), paper(2)])))
    newer = dump(tmp_path / "b.jsonl", [paper(1), paper(2, abstract="Other.", versions=[{"version": "v2"}])])
    assert command("ingest_metadata", str(newer)) == "0 new, 1 changed, 1 unchanged, 0 unreadable\n"


def test_lines_that_are_no_paper_are_counted_and_cost_nothing_else(command, memory, tmp_path, capsys):
    file = dump(tmp_path / "a.jsonl", [paper(1), "not json", "[]", {"id": "x"}, "", paper(2), paper(2)])
    with pytest.raises(SystemExit) as ended:
        command("ingest_metadata", str(file))
    assert ended.value.code == 1
    assert len(memory.documents()) == 2


def test_a_dump_that_breaks_off_keeps_what_came_before(command, memory, tmp_path):
    whole = gzip.compress("".join(json.dumps(paper(n)) + "\n" for n in range(1, 400)).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(whole[: len(whole) - 200])
    from django.core.management.base import CommandError

    with pytest.raises(CommandError, match=r"a\.jsonl\.gz: cannot be read"):
        command("ingest_metadata", str(tmp_path / "a.jsonl.gz"), "--batch", "50")
    assert len(memory.documents()) >= 50


def test_a_damaged_dump_is_a_sentence_wherever_it_is_damaged(command, tmp_path):
    """What unpacks it tells damage in three ways."""
    whole = gzip.compress(b"\n" * 50 + bytes(range(256)) * 20)
    from django.core.management.base import CommandError

    for place in range(12, len(whole), 7):
        (tmp_path / "a.jsonl.gz").write_bytes(whole[:place] + b"\xff" * 40)
        with pytest.raises((CommandError, SystemExit)):
            command("ingest_metadata", str(tmp_path / "a.jsonl.gz"))


def test_a_missing_dump_is_a_sentence(command, tmp_path):
    from django.core.management.base import CommandError

    with pytest.raises(CommandError, match=r"a\.jsonl: cannot be read \(No such file or directory\)"):
        command("ingest_metadata", str(tmp_path / "a.jsonl"))


def test_an_old_number_without_its_archive_is_told_what_it_lacks(outside_command, httpserver, capsys):
    with pytest.raises(SystemExit):
        outside_command("ingest", "9901001")
    assert httpserver.log == []
