import re
from datetime import UTC, datetime

import pytest

from researchassist.agent.tools.definition import ToolContext
from researchassist.agent.tools.recall import recall_search
from researchassist.errors import ToolError, UnreadableDate


def say(memory, *texts: str, thread: str = "alice"):
    return [memory.write_conversational_memory(text, "user", thread) for text in texts]


def after(memory, assistant_with, *texts: str) -> ToolContext:
    """The context of a question that is asked after these messages, which are embedded."""
    say(memory, *texts)
    memory.embed_messages(999)
    return ToolContext(assistant_with("unused"), say(memory, "The running question")[0])


def found(text: str) -> list[str]:
    """The messages in their order, without what stands before and after them."""
    return re.findall(r"^\[20\d\d-.*?\] user: (.*)$", text, re.MULTILINE)


def test_the_running_question_is_not_found(memory, tool_context):
    assert recall_search(tool_context, "owls") == "No earlier message fits."


def test_a_message_is_found_in_other_words_of_the_same_stem(memory, assistant_with):
    context = after(memory, assistant_with, "Rain all day", "Owls hunt at night", "Hills", "Ledgers", "Sums")
    assert found(recall_search(context, "Where did I say an owl was hunting?"))[0] == "Owls hunt at night"


def test_every_conversation_is_searched_unless_one_is_named(memory, assistant_with):
    memory.write_thread("charlie", title="Night birds")
    say(memory, "Owls elsewhere", thread="charlie")
    context = after(memory, assistant_with, "Owls here")
    assert set(found(recall_search(context, "owls"))) == {"Owls here", "Owls elsewhere"}
    assert found(recall_search(context, "owls", thread="this")) == ["Owls here"]
    assert found(recall_search(context, "owls", thread="night BIRDS")) == ["Owls elsewhere"]
    assert found(recall_search(context, "owls", thread="charlie")) == ["Owls elsewhere"]
    with pytest.raises(ToolError, match="No conversation has 'herons'"):
        recall_search(context, "owls", thread="herons")


def test_a_message_comes_with_its_conversation_date_and_neighbours(memory, assistant_with):
    memory.import_thread(
        "old",
        title="Night birds",
        messages=[
            (role, text, datetime(2024, 5, 8, 12, number, tzinfo=UTC))
            for number, (role, text) in enumerate(
                [
                    ("user", "Which birds hunt?"),
                    ("assistant", "Owls do."),
                    ("user", "Thanks"),
                    ("user", "Bye"),
                ]
            )
        ],
    )
    context = after(memory, assistant_with, "Rain")
    text = recall_search(context, "owls").split("\n\n")[0]
    assert re.fullmatch(
        r"\[1\] in “Night birds”\n"
        r"before: \[2024-05-08 .*\] user: Which birds hunt\?\n"
        r"\[2024-05-08 .*\] assistant: Owls do\.\n"
        r"after: \[2024-05-08 .*\] user: Thanks",
        text,
    )


def test_only_messages_of_the_time_that_is_asked_for_are_given(memory, assistant_with):
    said = [("user", f"owls in {year}", datetime(year, 5, 8, 12, tzinfo=UTC)) for year in (2023, 2024, 2025)]
    memory.import_thread("old", title="Owls", messages=said)
    context = after(memory, assistant_with)
    assert found(recall_search(context, "owls", when="May 2024")) == ["owls in 2024"]
    assert set(found(recall_search(context, "owls", when="since 2024"))) == {"owls in 2024", "owls in 2025"}
    assert found(recall_search(context, when="before 2024")) == ["owls in 2023"]
    with pytest.raises(UnreadableDate, match="write it like"):
        recall_search(context, "owls", when="sometime")


def test_condensed_messages_are_found_with_their_summary(memory, assistant_with):
    messages = say(memory, "Owls hunt at night")
    summary = memory.write_summary(
        full_content="x", summary="y", description="z", thread_id="alice", messages=messages
    )
    context = after(memory, assistant_with)
    assert f"condensed in summary {summary.id}\n" in recall_search(context, "owls")


def test_an_empty_query_gives_the_latest_page_by_page(memory, assistant_with):
    context = after(memory, assistant_with, *(f"message {n}, {'x' * 300}" for n in range(20)))
    seen, start = [], 1
    while start:
        text = recall_search(context, start=start)
        assert len(text) <= 2800
        seen += [int(line.split()[1].rstrip(",")) for line in found(text)]
        _, _, more = text.partition("they begin at start=")
        start = int(more.partition(".")[0]) if more else 0
    assert seen == list(range(19, -1, -1))


def test_a_long_message_is_shown_where_its_words_are_and_is_read_whole_by_its_id(memory, assistant_with):
    long = "Start. " + "filler " * 600 + "The NEEDLE is in drawer 7. " + "filler " * 600 + "End."
    context = after(memory, assistant_with, "Rain", long)
    text = recall_search(context, "Which drawer has the needle?")
    assert "NEEDLE is in drawer 7" in text
    message = re.search(r'recall_search\(message="(\d+)"\)', text)[1]
    whole, offset = "", 0
    while offset is not None:
        page = recall_search(context, message=message, offset=offset)
        assert len(page) <= 3000
        page, _, more = page.partition("\n[")
        whole += page if offset else page.partition("] user: ")[2]
        offset = int(more.rpartition("offset=")[2].partition(")")[0]) if more else None
    assert whole == long


def test_short_words_and_scripts_without_spaces_are_found(memory, assistant_with):
    context = after(memory, assistant_with, "Das ist KI", "x", "y", "z", "猫が好き", "u", "v", "w", "Rain")
    assert found(recall_search(context, "KI"))[0] == "Das ist KI"
    assert found(recall_search(context, "猫"))[0] == "猫が好き"


def test_messages_that_wait_for_their_vectors_are_found_by_words_and_counted(memory, assistant_with):
    say(memory, "Owls hunt at night", "Rain")
    context = ToolContext(assistant_with("unused"), say(memory, "The question")[0])
    text = recall_search(context, "owl")
    assert found(text)[0] == "Owls hunt at night"
    assert "[2 messages are found by their words only, until they are embedded.]" in text


@pytest.mark.parametrize("arguments", [{"start": 0}, {"start": 51}, {"message": "99"}, {"message": "owl"}])
def test_what_makes_no_sense_is_told(tool_context, arguments: dict):
    with pytest.raises(ToolError):
        recall_search(tool_context, "owl", **arguments)
