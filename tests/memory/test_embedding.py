import socket
import threading
import time

import numpy as np
import pytest
from huggingface_hub import constants
from pytest_httpserver import HTTPServer

from researchassist.errors import EmbeddingError
from researchassist.memory import embedding
from researchassist.memory.embedding import PACKAGED_MODEL, SPECIFIED_MODEL, choose, name_of, packaged
from tests import second_process


@pytest.fixture
def hub_at(monkeypatch, tmp_path):
    """Points the model hub at an address, with an empty cache."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HUGGINGFACE_HUB_CACHE", str(tmp_path), raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return lambda address: monkeypatch.setattr(constants, "ENDPOINT", address)


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def silent_port():
    """A server that accepts and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        kept = []
        threading.Thread(target=_accept, args=(server, kept), daemon=True).start()
        yield server.getsockname()[1]
        for connection in kept:
            connection.close()


def _accept(server: socket.socket, kept: list) -> None:
    try:
        while True:
            kept.append(server.accept()[0])
    except OSError:
        return


def test_packaged_needs_no_hub(hub_at, closed_port):
    hub_at(f"http://127.0.0.1:{closed_port}")
    assert choose("packaged", None).name == PACKAGED_MODEL


def test_auto_keeps_the_packaged_model_a_database_is_bound_to(hub_at, closed_port):
    hub_at(f"http://127.0.0.1:{closed_port}")
    started = time.monotonic()
    assert choose("auto", PACKAGED_MODEL).name == PACKAGED_MODEL
    assert time.monotonic() - started < 0.5


def test_auto_takes_the_packaged_model_where_the_hub_does_not_answer_and_says_so(hub_at, closed_port, caplog):
    hub_at(f"http://127.0.0.1:{closed_port}")
    assert choose("auto", None).name == PACKAGED_MODEL
    assert "serves instead" in caplog.text


def test_auto_does_not_replace_a_bound_model_that_cannot_be_had(hub_at, closed_port):
    hub_at(f"http://127.0.0.1:{closed_port}")
    with pytest.raises(EmbeddingError, match="not on this machine"):
        choose("auto", SPECIFIED_MODEL)


@pytest.mark.parametrize("name", ["nobody/nothing", "/no/such folder", "a b", "x/y/z", "..", "~/models/x"])
def test_a_model_that_cannot_be_had_is_a_sentence_at_once(hub_at, closed_port, name: str):
    hub_at(f"http://127.0.0.1:{closed_port}")
    started = time.monotonic()
    with pytest.raises(EmbeddingError, match="not on this machine"):
        choose(name, None)
    assert time.monotonic() - started < 2


def test_a_folder_without_a_model_is_a_sentence(hub_at, closed_port, tmp_path):
    hub_at(f"http://127.0.0.1:{closed_port}")
    with pytest.raises(EmbeddingError, match="not on this machine"):
        choose(str(tmp_path), None)


def test_a_hub_that_accepts_and_stays_silent_is_given_up_within_seconds(hub_at, silent_port):
    hub_at(f"http://127.0.0.1:{silent_port}")
    started = time.monotonic()
    with pytest.raises(EmbeddingError, match="not on this machine"):
        choose("nobody/nothing", None)
    assert time.monotonic() - started < 6


def test_a_hub_that_talks_nonsense_is_a_sentence(hub_at, httpserver: HTTPServer):
    httpserver.expect_request("/nobody/nothing/resolve/main/config.json").respond_with_data("{}")
    hub_at(httpserver.url_for("").rstrip("/"))
    with pytest.raises(EmbeddingError, match="not on this machine"):
        choose("nobody/nothing", None)


def test_without_the_network_nothing_is_asked(hub_at, httpserver: HTTPServer, monkeypatch):
    hub_at(httpserver.url_for("").rstrip("/"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert choose("auto", None).name == PACKAGED_MODEL
    assert httpserver.log == []


@pytest.mark.parametrize(
    ("option", "bound", "name"),
    [
        ("packaged", None, PACKAGED_MODEL),
        ("auto", None, None),
        ("auto", "a/b", "a/b"),
        ("c/d", "a/b", "c/d"),
    ],
)
def test_a_name_is_known_without_asking_where_it_can_be(option, bound, name):
    assert name_of(option, bound) == name


def test_tokens_are_counted_beyond_the_models_limit():
    embedder = packaged()
    assert embedder.count_tokens("owl " * 3000) >= 3000
    assert embedder.count_tokens("") == 0
    assert embedder.max_tokens == 510


def test_the_packaged_model_gives_unit_vectors_that_know_meaning():
    vectors = packaged().embed(["A bird of prey", "An owl hunts mice", "Tax law in Norway"])
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_nothing_to_embed_is_refused():
    with pytest.raises(EmbeddingError):
        packaged().embed([])


def test_importing_everything_that_does_not_embed_imports_no_torch():
    script = """
import researchassist.wsgi, researchassist.agent.runner, researchassist.urls
from django.core.management import call_command
call_command("check")
memory.write_conversational_memory
print(sorted({m.split(".")[0] for m in sys.modules} & {"torch", "transformers", "sentence_transformers"}))
"""
    assert second_process.run(script, ":memory:").splitlines()[-1] == "[]"


def test_the_hub_is_asked_for_seconds_only():
    assert embedding._HUB_TIMEOUT <= 3


def test_a_question_takes_one_processor_and_a_document_all_there_are():
    import torch

    seen, embedder = [], packaged()
    encode = embedder._loaded().encode
    embedder._loaded().encode = lambda *a, **k: seen.append(torch.get_num_threads()) or encode(*a, **k)
    usual = torch.get_num_threads()
    question = embedder.embed(["Who hunts at night?"])
    together = embedder.embed(["Who hunts at night?", "Rain"])
    assert seen == [1, usual]
    assert torch.get_num_threads() == usual
    assert np.abs(question[0] - together[0]).max() < 1e-5
