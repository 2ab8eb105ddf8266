"""Answers as servers stream them: whole, cut, filtered, refused, reasoned about, or not there."""

from collections.abc import Callable

import pytest

from researchassist.agent.assistant import Assistant
from researchassist.agent.events import TextAdded, TextWithdrawn, TurnEvent
from researchassist.agent.turn import TurnRequest, call_agent, stream_turn
from researchassist.errors import ModelError
from tests.fake_model_server import FakeModelServer, Raw, chunk

from .conftest import PLAIN
from .streams import DONE, raw, texts

Served = Callable[..., Assistant]


def _shown(events: list[TurnEvent]) -> str:
    """What stands on the page when the stream has ended."""
    shown = ""
    for event in events:
        if isinstance(event, TextAdded):
            shown += event.text
        if isinstance(event, TextWithdrawn):
            shown = ""
    return shown


EMPTY_CHOICES = chunk(None)
WHOLE = "The pump failed on 3 March."


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(
            Raw(
                [
                    EMPTY_CHOICES,
                    chunk({"content": "The pump "}),
                    chunk({"content": "failed on 3 March."}, finish="stop"),
                    EMPTY_CHOICES,
                    DONE,
                ]
            ),
            id="empty choices first and last",
        ),
        pytest.param(
            Raw(
                [
                    b": ping\r\n\r\n",
                    *(
                        chunk({"content": p}).replace(b"\n", b"\r\n")
                        for p in ("The pump ", "failed on 3 March.")
                    ),
                    b"event: x\r\nid: 7\r\n\r\n",
                    b"data: [DONE]\r\n\r\n",
                ]
            ),
            id="comments, other fields and CRLF",
        ),
        pytest.param(
            Raw([chunk({"content": WHOLE}).replace(b"\n", b"\r"), b"data: [DONE]\r\r"]), id="lone CR"
        ),
        pytest.param(
            Raw(
                [
                    b'data: {"choices": [{"delta": null, "finish_reason": null}]}\n\n',
                    chunk({"content": WHOLE}, finish="stop"),
                    b'data: {"choices": null}\n\n',
                    DONE,
                ]
            ),
            id="null deltas and choices",
        ),
        pytest.param(
            raw([{"content": None}, {"content": WHOLE}, {"content": ""}]), id="null and empty content"
        ),
        pytest.param(
            Raw(
                [
                    chunk({"content": WHOLE}, finish="stop")[:20],
                    chunk({"content": WHOLE}, finish="stop")[20:],
                ],
                0.05,
            ),
            id="an event cut in two, and no DONE",
        ),
        pytest.param(texts(WHOLE, finish=None), id="DONE and no finish reason"),
        pytest.param(
            raw([{"reasoning_content": "plan"}, {"reasoning": "plan"}, {"content": WHOLE}]),
            id="reasoning fields",
        ),
        pytest.param(
            Raw([chunk({"content": WHOLE}, finish="stop").replace(b"data: ", b"data:")]),
            id="no blank after data:",
        ),
    ],
)
def test_odd_streams_give_the_whole_answer(served: Served, server: FakeModelServer, stream: Raw) -> None:
    server.loop += [stream, PLAIN]
    assistant = served()

    events = list(stream_turn(assistant, TurnRequest("t", "What failed?")))

    assert assistant.memory.messages("t")[-1].content == WHOLE
    assert _shown(events) == WHOLE
    assert call_agent(assistant, "And then?", "t").final_answer == PLAIN


@pytest.mark.parametrize(
    ("stream", "sentence"),
    [
        pytest.param(
            texts("The pump failed ", finish=None, done=False), "broke off", id="cut without a finish"
        ),
        pytest.param(
            Raw(
                [
                    chunk({"content": "The pump failed "}),
                    b'data: {"error": {"message": "overloaded"}}\n\n',
                    DONE,
                ]
            ),
            "broke off its answer with an error",
            id="an error object in the stream",
        ),
        pytest.param(
            Raw([chunk({"content": "The pump failed "}), b"data: {half an ev"]),
            "cannot be read",
            id="a malformed event",
        ),
    ],
)
def test_an_answer_that_breaks_off_is_kept_with_a_sentence_and_a_retry(
    served: Served, server: FakeModelServer, stream: Raw, sentence: str
) -> None:
    server.loop += [stream, PLAIN, PLAIN]
    assistant = served()

    with pytest.raises(ModelError, match=sentence):
        call_agent(assistant, "What failed?", "t")

    turn = assistant.memory.turns("t")[-1]
    assert (turn.outcome, turn.partial_text) == ("failed", "The pump failed ")
    assert [m.role for m in assistant.memory.messages("t")] == ["user"]
    list(stream_turn(assistant, TurnRequest("t", retry_of=turn.id)))
    assert [m.content for m in assistant.memory.messages("t")] == ["What failed?", PLAIN]
    assert call_agent(assistant, "And then?", "t").final_answer == PLAIN


def test_a_refusal_is_shown_as_the_answer(served: Served, server: FakeModelServer) -> None:
    server.loop += [raw([{"content": None}, {"refusal": "I can't help "}, {"refusal": "with that."}])]

    assert call_agent(served(), "What failed?", "t").final_answer == "I can't help with that."


@pytest.mark.parametrize(
    ("stream", "sentence"),
    [
        pytest.param(
            raw([{"role": "assistant", "content": None}], finish="content_filter"), "filtered", id="filtered"
        ),
        pytest.param(raw([{"role": "assistant", "content": None}]), "empty", id="nothing at all"),
        pytest.param(raw([{"content": "  \n"}]), "empty", id="blank"),
        pytest.param(
            raw([{"role": "assistant"}], finish="length"), "token limit", id="all went on reasoning"
        ),
        pytest.param(
            texts("<think>", "I should look at the ", finish="length"), "token limit", id="reasoning cut off"
        ),
        pytest.param(texts("<think>I should look"), "empty", id="reasoning that never ends"),
    ],
)
def test_no_answer_is_said_so_and_leaves_no_blank_message(
    served: Served, server: FakeModelServer, stream: Raw, sentence: str
) -> None:
    server.loop += [stream, PLAIN]
    assistant = served()

    with pytest.raises(ModelError, match=f"No answer was given.*{sentence}"):
        call_agent(assistant, "What failed?", "t")

    assert [m.role for m in assistant.memory.messages("t")] == ["user"]
    assert call_agent(assistant, "Again?", "t").final_answer == PLAIN


@pytest.mark.parametrize(
    ("finish", "notice"), [("length", "cut off by the model's token limit"), ("content_filter", "filter")]
)
def test_a_cut_text_is_kept_and_says_that_it_is_cut(
    served: Served, server: FakeModelServer, finish: str, notice: str
) -> None:
    server.loop += [texts("The pump failed on", finish=finish)]

    result = call_agent(served(), "What failed?", "t")

    assert result.final_answer == "The pump failed on"
    assert notice in result.turn.used["notice"]


ANSWER = "The seal cracked."


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(["<think>", "The user wants the cause. ", "</think>", "\n\n" + ANSWER], id="a pair"),
        pytest.param(["<th", "ink>secret plan</thi", "nk>" + ANSWER], id="tags split"),
        pytest.param([*"<think>secret plan</think>", *ANSWER], id="letter by letter"),
        pytest.param(["The user wants the cause.\n", "</think>", ANSWER], id="the closing tag alone"),
        pytest.param(
            ["The user wants", " it.\n</", "think", ">\n", ANSWER], id="the closing tag alone and split"
        ),
        pytest.param(["\n<think>\n</think>\n", ANSWER], id="empty reasoning"),
        pytest.param(["<thinking>hm</thinking>" + ANSWER], id="another word for it"),
    ],
)
def test_reasoning_is_neither_shown_nor_stored_nor_sent_back(
    served: Served, server: FakeModelServer, pieces: list[str]
) -> None:
    server.loop += [texts(*pieces), PLAIN]
    assistant = served()

    events = list(stream_turn(assistant, TurnRequest("t", "What failed?")))
    call_agent(assistant, "And then?", "t")

    assert _shown(events) == ANSWER
    assert assistant.memory.messages("t")[1].content == ANSWER
    sent = str(server.requests[1:]) + str(server.writer_requests)
    for secret in ("secret plan", "The user wants", "think>"):
        assert secret not in sent


@pytest.mark.parametrize(
    "answer",
    [
        "Some models write `<think>draft</think>` before the answer; strip it.",
        "Close it with `</think>`.",
        "The tag <think> opens and </think> closes it.",
        "```html\n</think>\n```\nends it.",
        "a < b and c </d>",
    ],
)
def test_a_literal_tag_in_an_answer_stays(served: Served, server: FakeModelServer, answer: str) -> None:
    server.loop += [texts(*(answer[i : i + 3] for i in range(0, len(answer), 3)))]

    assert call_agent(served(), "How?", "t").final_answer == answer


def test_reasoning_in_a_helper_reply_gets_into_no_memory(served: Served, server: FakeModelServer) -> None:
    entities = '<think>Maybe [Norvik], {Halden}?</think>\n[{"name": "Norvik AS", "type": "SYSTEM"}]'
    server.loop += [PLAIN]
    server.writer += [entities, "[]"]
    assistant = served()

    result = call_agent(assistant, "Who made it?", "t")

    assert result.turn.helpers["entities_question"]["names"] == ["Norvik AS"]
    assert [e.name for e in assistant.memory.read_entity("Norvik").records] == ["Norvik AS"]


def test_an_emoji_cut_in_two_by_the_stream_is_whole_and_the_thread_goes_on(
    served: Served, server: FakeModelServer
) -> None:
    halves = [
        b'data: {"choices": [{"delta": {"content": "Done \\ud83d"}}]}\n\n',
        b'data: {"choices": [{"delta": {"content": "\\ude00 bye"}, "finish_reason": "stop"}]}\n\n',
    ]
    server.loop += [Raw([*halves, DONE]), PLAIN]
    assistant = served()

    events = list(stream_turn(assistant, TurnRequest("t", "Bye?")))

    assert _shown(events) == assistant.memory.messages("t")[-1].content == "Done 😀 bye"
    assert call_agent(assistant, "Still there?", "t").final_answer == PLAIN


def test_bytes_of_a_character_cut_in_two_by_the_network_are_whole(
    served: Served, server: FakeModelServer
) -> None:
    whole = (
        'data: {"choices": [{"delta": {"content": "日本 🦉\u2028x"}, "finish_reason": "stop"}]}\n\n'.encode()
    )
    server.loop += [Raw([whole[n : n + 1] for n in range(len(whole))])]

    assert call_agent(served(), "Bye?", "t").final_answer == "日本 🦉\u2028x"
