from researchassist.agent.tools.recall import recall_search


def say(memory, *texts: str, thread: str = "alice"):
    return [memory.write_conversational_memory(text, "user", thread) for text in texts]


def test_it_finds_what_was_said_before_the_running_question(memory, tool_context):
    assert recall_search(tool_context, "owls") == "No earlier message has these words."


def test_messages_of_this_conversation_are_found(memory, assistant_with):
    tool_context = after(memory, assistant_with, "Owls hunt at night", "Rain all day")
    assert "Owls hunt at night" in recall_search(tool_context, "What did I say about OWLS?")
    assert "Rain" not in recall_search(tool_context, "owls")


def test_another_conversation_is_searched_only_where_asked(memory, assistant_with):
    say(memory, "Owls elsewhere", thread="charlie")
    tool_context = after(memory, assistant_with, "Rain")
    assert "Owls elsewhere" not in recall_search(tool_context, "owls")
    assert "Owls elsewhere" in recall_search(tool_context, "owls", all_conversations=True)


def test_condensed_messages_are_found_with_their_summary(memory, assistant_with):
    messages = say(memory, "Owls hunt at night")
    summary = memory.write_summary(
        full_content="x", summary="y", description="z", thread_id="alice", messages=messages
    )
    tool_context = after(memory, assistant_with)
    assert f"(condensed in summary {summary.id})" in recall_search(tool_context, "owls")


def test_an_empty_query_gives_the_latest(memory, assistant_with):
    tool_context = after(memory, assistant_with, *(f"message {n}" for n in range(20)))
    text = recall_search(tool_context)
    assert "message 19" in text.splitlines()[0]
    assert "[8 more found; use rarer words.]" in text


def test_short_words_are_looked_for_where_there_are_no_longer_ones(memory, assistant_with):
    tool_context = after(memory, assistant_with, "Das ist KI", "猫が好き", "Rain")
    assert "KI" in recall_search(tool_context, "KI")
    assert "Rain" not in recall_search(tool_context, "KI")
    assert "猫" in recall_search(tool_context, "猫")
    assert "Rain" not in recall_search(tool_context, "猫")


def test_the_message_with_most_of_the_words_comes_first(memory, assistant_with):
    tool_context = after(memory, assistant_with, "Owls hunt mice", "Owls", "mice")
    assert "Owls hunt mice" in recall_search(tool_context, "owls mice").splitlines()[0]


def after(memory, assistant_with, *texts: str):
    from researchassist.agent.tools.definition import ToolContext

    say(memory, *texts)
    return ToolContext(assistant_with("unused"), say(memory, "The running question")[0])
