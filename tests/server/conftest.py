"""Starting `manage.py serve` as a process of its own, and a scripted model server on loopback."""

import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from pytest_httpserver import HTTPServer

from tests.fake_model_server import LOOP, WRITER, FakeModelServer


@dataclass
class Server:
    """A running server process."""

    process: subprocess.Popen[str]
    url: str
    environment: dict[str, str]

    def kill(self) -> None:
        """kill -9, as a power cut would."""
        self.process.kill()
        self.process.wait(30)

    def get(self, path: str) -> str:
        """The page at a path."""
        with urllib.request.urlopen(self.url + path, timeout=60) as reply:
            return str(reply.read().decode())

    def ask(self, thread_id: str, query: str, key: str) -> int:
        """Sends the form as a browser without JavaScript does; the status code."""
        form_key = uuid.uuid5(uuid.NAMESPACE_URL, key).hex
        return self.post(f"/threads/{thread_id}/turns", {"query": query, "key": form_key})

    def post(self, path: str, fields: dict[str, str], file: tuple[str, bytes] | None = None) -> int:
        """Sends a form with its token, and a file where one is given; the status code."""
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), _NoRedirect())
        page = opener.open(self.url + "/", timeout=60).read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token is not None
        fields = {"csrfmiddlewaretoken": token.group(1), **fields}
        headers = {"Referer": self.url + "/", "Origin": self.url}
        data = urllib.parse.urlencode(fields).encode()
        if file is not None:
            data, headers["Content-Type"] = _multipart(fields, *file)
        request = urllib.request.Request(self.url + path, data=data, headers=headers)
        try:
            return int(opener.open(request, timeout=60).status)
        except urllib.error.HTTPError as error:
            return error.code

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Another process on the same memory."""
        return subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=settings.BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )


def _multipart(fields: dict[str, str], name: str, content: bytes) -> tuple[bytes, str]:
    """A form with one file as browsers send it, and its content type."""
    head = "--part\r\nContent-Disposition: form-data; name="
    parts = [f'{head}"{key}"\r\n\r\n{value}\r\n'.encode() for key, value in fields.items()]
    parts += [f'{head}"file"; filename="{name}"\r\n\r\n'.encode(), content, b"\r\n--part--\r\n"]
    return b"".join(parts), "multipart/form-data; boundary=part"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **kwargs: object) -> None:
        return None


@pytest.fixture(scope="session")
def sampled_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the samples in, made once; tests copy it."""
    folder = tmp_path_factory.mktemp("sampled")
    for command in (["migrate", "--verbosity", "0"], ["ingest_fixtures"]):
        subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=settings.BASE_DIR,
            env=_environment(folder),
            check=True,
            capture_output=True,
            timeout=240,
        )
    return folder


def _environment(data: Path, **extra: str) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("RESEARCHASSIST_", "OPENAI_"))}
    return inherited | {
        "DJANGO_SETTINGS_MODULE": "researchassist.settings",
        "RESEARCHASSIST_DATA_DIR": str(data),
        "RESEARCHASSIST_EMBEDDING_MODEL": "packaged",
        "RESEARCHASSIST_MODEL_RETRIES": "0",
        **extra,
    }


@pytest.fixture
def serve(tmp_path: Path, sampled_data: Path) -> Iterator[Callable[..., Server]]:
    """Starts a server on a copy of the sampled data; called again, on the same copy."""
    data = tmp_path / "data"
    subprocess.run(["cp", "-r", str(sampled_data), str(data)], check=True)
    running: list[Server] = []

    def start(port: int = 0, **extra: str) -> Server:
        environment = _environment(data, **extra)
        process = subprocess.Popen(
            [sys.executable, "-u", "manage.py", "serve", "--port", str(port)],
            cwd=settings.BASE_DIR,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        first = process.stdout.readline()
        found = re.search(r"http://\S+:\d+", first)
        assert found is not None, first + process.stdout.read()
        threading.Thread(target=process.stdout.read, daemon=True).start()
        server = Server(process, found.group(), environment)
        running.append(server)
        return server

    yield start
    for server in running:
        if server.process.poll() is None:
            server.process.terminate()
            server.process.wait(30)


def until(look: Callable[[], Any], seconds: float = 40.0) -> Any:
    """Waits until `look()` is true and gives what it gave."""
    end = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.1)
    return seen


@pytest.fixture
def model_server(httpserver: HTTPServer) -> Iterator[FakeModelServer]:
    """A model server that plays a script; pass `models(model_server)` to `serve`."""
    made = FakeModelServer(httpserver)
    yield made
    made.hold.set()
    assert made.problems == []


def models(server: FakeModelServer) -> dict[str, str]:
    """The variables that point the product at it."""
    return {
        "OPENAI_BASE_URL": server.url,
        "RESEARCHASSIST_LOOP_MODEL": LOOP,
        "RESEARCHASSIST_WRITER_MODEL": WRITER,
    }
