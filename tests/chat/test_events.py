"""The stream of a turn's events: numbered, replayed, harmless whatever the text holds."""

import json
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.ownership import owner
from researchassist.agent.runner import runner
from researchassist.agent.turn import TurnRequest
from researchassist.chat import events
from researchassist.memory.manager import MemoryManager
from tests.scripted_llm import ScriptedLLM, calls

pytestmark = pytest.mark.django_db(transaction=True)

MakeAssistant = Callable[..., Assistant]


def read(response: object) -> str:
    """The whole stream, as text."""
    assert isinstance(response, StreamingHttpResponse)
    return b"".join(response).decode()  # type: ignore[arg-type]


def payloads(stream: str) -> list[dict[str, Any]]:
    return [
        json.loads(line.removeprefix("data: ")) for line in stream.split("\n") if line.startswith("data: ")
    ]


def ids(stream: str) -> list[int]:
    return [int(line.removeprefix("id: ")) for line in stream.split("\n") if line.startswith("id: ")]


def run(*, thread: str = "t1") -> str:
    """Runs one turn to its end and gives its id."""
    started = runner().start(TurnRequest(thread, "hi"))
    runner().wait_idle()
    return started.turn_id


def test_it_tells_a_turn_from_start_to_end(client: Client, assistant_with: MakeAssistant) -> None:
    assistant_with(calls(("get_current_time", "{}"), text="Let me see."), "It is noon, more or less.")
    response = client.get(f"/turns/{run()}/events")
    told = payloads(stream := read(response))
    kinds = [payload["type"] for payload in told]
    assert response.headers["Content-Type"] == "text/event-stream"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert ids(stream)[:-1] == list(range(1, len(ids(stream))))
    assert kinds.index("set_aside") < kinds.index("tool") < kinds.index("tool_done")
    assert kinds[-1] == "end"
    after = told[kinds.index("tool_done") :]
    assert "".join(payload.get("text", "") for payload in after) == "It is noon, more or less."


def test_it_is_not_held_back_to_be_compressed(client: Client, assistant_with: MakeAssistant) -> None:
    assistant_with("one two three four five")
    response = client.get(f"/turns/{run()}/events", headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in response.headers
    assert read(response).startswith("retry:")


@pytest.mark.parametrize("by", ["header", "address"])
def test_it_goes_on_after_the_last_event_seen(client: Client, assistant_with: MakeAssistant, by: str) -> None:
    assistant_with("one two three four five")
    turn = run()
    headers, query = ({"Last-Event-ID": "4"}, "?after=1") if by == "header" else ({}, "?after=4")
    assert ids(read(client.get(f"/turns/{turn}/events{query}", headers=headers)))[0] == 5


@pytest.mark.parametrize("last", ["x", "-1", "²", "9" * 50])
def test_it_starts_anew_where_the_last_event_is_no_number(
    client: Client, assistant_with: MakeAssistant, last: str
) -> None:
    assistant_with("one")
    assert ids(read(client.get(f"/turns/{run()}/events", {"after": last})))[0] == 1


def test_it_carries_any_text_on_one_line(client: Client, assistant_with: MakeAssistant) -> None:
    hostile = "a\r\rb\n\ndata: {}\nevent: end\nid: 99\n\u2028\0c"
    assistant_with(hostile)
    stream = read(client.get(f"/turns/{run()}/events"))
    assert "".join(payload.get("text", "") for payload in payloads(stream)) == hostile
    assert "\r" not in stream
    assert 99 not in ids(stream)


def test_it_ends_at_once_where_the_turn_is_over_and_forgotten(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with("one")
    turn = run()
    assistant_with("a new process")
    assert payloads(read(client.get(f"/turns/{turn}/events"))) == [{"type": "end"}]


def test_it_watches_a_turn_of_another_process(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant_with()
    monkeypatch.setattr(events, "_POLL_SECONDS", 0.01)
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.02)
    turn = memory.open_turn(thread_id="t1", query="hi", key="k", owner=owner(), model="m")
    memory.checkpoint_turn(turn.id, "so far")
    end = threading.Timer(
        0.3, lambda: memory.end_turn_without_answer(turn.id, outcome="failed", error="x", partial_text="")
    )
    end.start()
    stream = read(client.get(f"/turns/{turn.id}/events"))
    end.join()
    assert payloads(stream) == [
        {"type": "so_far", "text": "so far"},
        {"type": "rendered", "whole": True, "blocks": [], "html": "<p>so far</p>\n"},
        {"type": "end"},
    ]
    assert ": still here" in stream


def test_it_does_not_wait_for_a_process_that_died(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager
) -> None:
    assistant_with()
    turn = memory.open_turn(thread_id="t1", query="hi", key="k", owner=f"{os.getpid()}@1.00", model="m")
    assert payloads(read(client.get(f"/turns/{turn.id}/events"))) == [{"type": "end"}]


def test_it_beats_while_nothing_happens_and_changes_nothing(
    client: Client, assistant_with: MakeAssistant, memory: MemoryManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = assistant_with("Done.").model
    assert isinstance(model, ScriptedLLM)
    model.gate = threading.Event()
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.02)
    started = runner().start(TurnRequest("t1", "hi"))
    response = client.get(f"/turns/{started.turn_id}/events")
    threading.Timer(0.3, model.gate.set).start()
    stream = read(response)
    runner().wait_idle()
    assert ": still here" in stream
    assert len(memory.messages("t1")) == 2
    assert len(model.requests) == 1


def test_it_knows_no_stream_of_an_unknown_turn(client: Client, assistant_with: MakeAssistant) -> None:
    assistant_with()
    assert client.get("/turns/nope/events").status_code == 404
