"""The steps of a turn, told the same while it runs and afterwards."""

import json
from collections.abc import Callable

import pytest
from django.test import Client

from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.agent.turn import TurnRequest
from researchassist.chat.steps import took
from tests.scripted_llm import calls

MakeAssistant = Callable[..., Assistant]


@pytest.mark.django_db(transaction=True)
def test_the_stream_and_the_finished_turn_say_the_same(client: Client, assistant_with: MakeAssistant) -> None:
    wanted = ("search_documents", "{}"), ("expand_summary", '{"summary_id": "<b>nope"}')
    assistant_with(calls(*wanted, text="Let me look."), "Nothing.")
    started = runner().start(TurnRequest("t1", "hi"))
    runner().wait_idle()
    stream = b"".join(client.get(f"/turns/{started.turn_id}/events").streaming_content).decode()  # type: ignore[attr-defined]
    told = [json.loads(line[6:]) for line in stream.split("\n") if line.startswith("data: ")]
    begun = [event["doing"] for event in told if event["type"] == "tool"]
    ended = [event["took"] for event in told if event["type"] == "tool_done"]
    assert begun == ["Using search_documents", "Opening summary <b>nope"]
    page = client.get("/threads/t1").content.decode()
    steps = page[page.index('<ol class="steps"') :]
    assert "Let me look." in steps
    assert "Opening summary &lt;b&gt;nope" in steps
    assert steps.count("failed · ") == 2
    assert all(duration in steps for duration in ended)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 ms"), (0.0123, "12 ms"), (0.9, "900 ms"), (1, "1.0 s"), (75.25, "75.2 s")]
)
def test_a_duration_is_told_in_words(seconds: float, words: str) -> None:
    assert took(seconds) == words


@pytest.mark.django_db(transaction=True)
def test_many_steps_are_folded(client: Client, assistant_with: MakeAssistant) -> None:
    assistant_with(calls(*[("get_current_time", "{}")] * 7), "Noon.")
    runner().start(TurnRequest("t1", "hi"))
    runner().wait_idle()
    assert "<summary>7 steps</summary>" in client.get("/threads/t1").content.decode()
