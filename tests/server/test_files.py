"""Files added to the real server process, and what a kill -9 leaves of them."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from .conftest import Server, until

INTERRUPTED = "This was interrupted before it was complete."


def _data(server: Server) -> Path:
    return Path(server.environment["RESEARCHASSIST_DATA_DIR"])


def _rows(server: Server, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(_data(server) / "researchassist.sqlite3") as connection:
        return connection.execute(query).fetchall()


def test_kill_9_while_a_file_is_read_leaves_it_to_be_read_again(serve: Callable[..., Server]) -> None:
    server = serve()
    text = "\n\n".join(f"Paragraph {n} about owls. " + "They sleep by day. " * 60 for n in range(60))
    assert server.post("/threads/files/files", {}, ("owls.md", text.encode())) == 302
    until(lambda: _rows(server, "SELECT 1 FROM command_run WHERE status = 'running'"))
    server.kill()
    assert _rows(server, "SELECT 1 FROM document WHERE source LIKE 'upload:%'") == []

    again = serve()
    assert INTERRUPTED in again.get("/threads/files")
    ((run,),) = _rows(again, "SELECT id FROM command_run")
    assert again.post(f"/commands/{run}/again", {}) == 302
    until(lambda: _rows(again, "SELECT 1 FROM command_run WHERE status = 'done'"), 240)

    assert len(_rows(again, "SELECT 1 FROM document WHERE source = 'upload:owls.md'")) == 1
    assert "In memory now. Ask about it." in again.get("/threads/files")
    until(lambda: list((_data(again) / "incoming").iterdir()) == [])


def test_a_request_that_is_far_too_large_is_refused(serve: Callable[..., Server]) -> None:
    server = serve(RESEARCHASSIST_FILE_MEGABYTES="1")
    assert server.post("/threads/t/files", {}, ("big.txt", b"x" * 6_000_000)) == 413
    assert _rows(server, "SELECT 1 FROM command_run") == []
    assert server.ask("t", "Are you there?", "k") == 302
