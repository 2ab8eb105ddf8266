"""The budget against servers that count for themselves: wide scripts, refusals for length."""

import json
import re
from collections.abc import Callable

import pytest

from researchassist.agent.assistant import Assistant
from researchassist.agent.turn import TurnRequest, call_agent, stream_turn
from researchassist.errors import ModelError, TurnRefused
from tests.fake_model_server import FakeModelServer

from .conftest import PLAIN
from .streams import call

Served = Callable[..., Assistant]
LIMIT = 8000
CHINESE = "哈尔登水泵在三月三日运行四百一十二小时后停机，原因是密封件开裂。" * 900
EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈é" * 700
BASE64 = "QmFzZTY0IGlzIG5vdCBlbmdsaXNo" * 714


def _counted(text: str) -> int:
    """One token a character that is not ASCII, one for three that are."""
    wide = sum(ord(character) > 127 for character in text)
    return wide + (len(text) - wide) // 3


@pytest.fixture
def strict_counter(server: FakeModelServer) -> FakeModelServer:
    server.count_tokens = _counted
    server.limit = LIMIT
    server.loop += [PLAIN]
    server.forever = True
    return server


@pytest.mark.parametrize("text", [CHINESE, EMOJI, BASE64], ids=["Chinese", "emoji", "base64"])
def test_no_request_is_over_the_limit_whatever_the_script(
    served: Served, strict_counter: FakeModelServer, text: str
) -> None:
    assistant = served(token_budget=LIMIT)
    for _ in range(2):
        assistant.memory.write_conversational_memory(text, "user", "t")
        assistant.memory.write_conversational_memory("Noted.", "assistant", "t")

    for number in range(10):
        assert call_agent(assistant, f"Question {number}?", "t").final_answer == PLAIN

    assert strict_counter.too_long == 0
    assert max(strict_counter.prompt_tokens(request) for request in strict_counter.requests) <= LIMIT
    assert [m.content for m in assistant.memory.messages("t")[:3:2]] == [text, text], "stored whole"


@pytest.mark.parametrize("text", [CHINESE, BASE64])
def test_a_question_larger_than_its_allowance_is_refused_and_nothing_stored(
    served: Served, strict_counter: FakeModelServer, text: str
) -> None:
    assistant = served(token_budget=LIMIT)

    with pytest.raises(TurnRefused, match="Store it as a document") as refusal:
        next(iter(stream_turn(assistant, TurnRequest("t", text))))

    assert refusal.value.reason == "too_long"
    assert assistant.memory.threads() == []
    assert strict_counter.requests == []


def test_a_huge_earlier_message_is_sent_head_and_tail_with_a_notice(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [PLAIN]
    assistant = served()
    huge = "It starts here. " + "middle " * 20_000 + "It ends here."
    assistant.memory.write_conversational_memory(huge, "user", "t")

    call_agent(assistant, "And?", "t")

    sent = server.requests[0]["messages"][1]["content"]
    assert "It starts here." in sent
    assert "It ends here." in sent
    assert re.search(r"… \d+ characters left out here; the original keeps them …", sent)
    assert len(sent) < 20_000
    assert assistant.memory.messages("t")[0].content == huge


def test_what_servers_count_corrects_the_next_request(served: Served, server: FakeModelServer) -> None:
    server.count_tokens = len
    server.loop += [PLAIN, PLAIN]
    assistant = served()

    first = call_agent(assistant, "One?", "t")
    before = assistant.calibration.corrected(1000)

    assert first.turn.used["usage"][0]["prompt"] == server.prompt_tokens(server.requests[0])
    assert before > 3500


def test_a_refusal_for_length_leads_to_one_condensing_and_one_retry(
    served: Served, server: FakeModelServer
) -> None:
    server.loop += [PLAIN]
    server.forever = True
    assistant = served()
    for number in range(8):
        assistant.memory.write_conversational_memory(f"Message {number}. " + "word " * 800, "user", "t")
    server.limit = 6000

    result = call_agent(assistant, "And now?", "t")

    assert result.final_answer == PLAIN
    assert server.too_long == 1
    assert len(server.requests) == 2
    assert "# Question\nAnd now?" in server.requests[1]["messages"][1]["content"]
    assert result.turn.used["offloaded"] is True
    assert all(m.summary_id for m in assistant.memory.messages("t")[:8])


def test_a_second_refusal_for_length_is_a_sentence_and_no_loop(
    served: Served, server: FakeModelServer
) -> None:
    server.limit = 10
    assistant = served()

    with pytest.raises(ModelError, match="longer than the model server"):
        call_agent(assistant, "And now?", "t")

    assert server.too_long == 2
    assert [m.content for m in assistant.memory.messages("t")] == ["And now?"]


def test_old_tool_results_give_way_before_the_question(served: Served, server: FakeModelServer) -> None:
    assistant = served(token_budget=4000, tool_excerpt_chars=3000)

    def long_result(topic: str) -> str:
        """Get a long result on a topic."""
        return f"{topic} " * 600

    assistant.toolbox.register(long_result)
    server.loop += [call("long_result", json.dumps({"topic": f"topic{n}"})) for n in range(5)] + [PLAIN]

    call_agent(assistant, "What about long results on topics?", "t")

    last = server.requests[-1]["messages"]
    results = [m["content"] for m in last if m["role"] == "tool"]
    assert "read_tool_log" in results[0]
    assert "topic0 topic0" not in results[0]
    assert "topic4 topic4" in results[-1]
    assert last[1]["content"].startswith("# Question\nWhat about long results on topics?\n\n")
    assert "topic0 topic0" in assistant.memory.read_tool_log("t")[0].result
