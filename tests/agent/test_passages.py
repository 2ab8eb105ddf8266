"""Which passages an answer may cite, and when there is no source in memory."""

import pytest

from researchassist.agent.ingest import ingest_text
from researchassist.agent.passages import GivenPassages, cited, mark_at
from researchassist.agent.turn import call_agent
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from tests.scripted_llm import calls


def documents(memory, **texts: str) -> dict[str, str]:
    """One document a text; the id of each one's passage by its title."""
    for title, text in texts.items():
        draft = DocumentDraft(source=title, kind="pdf", title=title, file_hash=title)
        memory.write_document(draft, [PassageDraft(text=text, start=0, end=len(text), metadata={"page": 2})])
    return {one.title: one.id for one in memory.read_knowledge_base("x", k=50).records}


def given(result) -> list[tuple[str, str]]:
    return [(one["title"], one["by"]) for one in result.turn.used["given"]["knowledge_base"]]


def test_a_passage_carries_its_mark_and_the_model_is_told_to_cite_it(memory, assistant_with):
    ids = documents(memory, owls="Owls hunt at night.")
    assistant = assistant_with("They hunt.")
    call_agent(assistant, "When do owls hunt?", "alice")
    (request,) = assistant.model.requests
    assert f'mark="[p{ids["owls"]}]" document="owls"' in request.user
    assert "cited as [p12]" in request.system


def test_what_a_tool_finds_may_be_cited_too(memory, assistant_with):
    ids = documents(memory, **{f"bird{n}": f"Owls hunt in place number {n}." for n in range(6)})
    assistant = assistant_with(
        calls(("archival_search", '{"query": "Owls hunt in place number 5"}')), "Here."
    )
    result = call_agent(assistant, "When do owls hunt?", "alice")
    found = given(result)
    assert [by for _, by in found] == ["memory"] * 3 + ["archival_search"] * 3
    assert {title for title, _ in found} == set(ids)


def test_the_marks_stay_the_same_when_the_context_is_read_anew(memory, assistant_with):
    ids = documents(memory, owls="Owls hunt at night.")
    assistant = assistant_with(calls(("remember_entity", "{}")), "They hunt.")

    def save(context) -> str:
        """Store a document about wrens."""
        ingest_text(context.assistant, "Owls and wrens hunt.", title="wrens")
        return "Stored."

    assistant.toolbox.register(save, changes_memory=True)
    assistant.model.replies = [calls(("save", "{}")), "They hunt."]
    result = call_agent(assistant, "When do owls hunt?", "alice")
    first, second = assistant.model.requests
    assert f'mark="[p{ids["owls"]}]" document="owls"' in first.user
    assert f'mark="[p{ids["owls"]}]" document="owls"' in second.user
    assert {title for title, _ in given(result)} == {"owls", "wrens"}


def test_a_mark_in_a_tools_result_without_its_passage_is_no_passage(memory, assistant_with):
    ids = documents(memory, owls="Owls hunt at night.")
    passages = GivenPassages()
    assert not passages.add_from(f"He said so [p{ids['owls']}].", "recall_search", memory, "owls")
    assert not passages.add_from("[p999999] Nothing\nOwls", "archival_search", memory, "owls")
    assert passages.add_from(f"[p{ids['owls']}] owls\nOwls hunt at night.", "read_tool_log", memory, "owls")
    assert not passages.add_from(f"[p{ids['owls']}] owls\nOwls hunt at night.", "again", memory, "owls")


def test_far_passages_are_no_source_whatever_is_written(memory, assistant_with):
    ids = documents(memory, owls="zebra quagga okapi")
    result = call_agent(assistant_with(f"It was the wren [p{ids['owls']}]."), "Who won the cup?", "alice")
    assert result.turn.used["has_source"] is False


def test_an_answer_near_a_passage_rests_on_it_though_the_question_is_near_to_none(memory, assistant_with):
    documents(memory, owls="Tiered ledgers cut resumption errors")
    result = call_agent(assistant_with("Tiered ledgers cut resumption errors"), "and why?", "alice")
    assert result.turn.used["has_source"] is True


def test_without_documents_there_is_no_source(assistant_with):
    result = call_agent(assistant_with("No idea."), "Who won?", "alice")
    assert result.turn.used["has_source"] is False
    assert result.turn.used["nearness"] == 0


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("[p4]", ["4"]),
        ("[P4]", ["4"]),
        ("[p4, p7]", ["4", "7"]),
        ("[p4; 7]", ["4", "7"]),
        ("[passage 4]", ["4"]),
        ("[p4, p4]", ["4"]),
        ("[p04]", ["4"]),
        ("[4]", None),
        ("[p4](https://example.org)", None),
        ("[page 4]", None),
        ("[p4", None),
        ("[p" + "9" * 40 + "]", None),
    ],
)
def test_what_counts_as_a_mark(text, ids):
    found = mark_at(f"x{text}", 1)
    assert (found[0] if found else None) == ids


def test_copied_text_counts_its_marks_from_one_and_lists_what_they_stand_for():
    passages = [{"id": "40", "title": "A"}, {"id": "7", "title": "B"}, {"id": "9", "title": "C"}]
    text, used = cited("One [p7]. Two [p40, p7]. Three [p8].", passages)
    assert text == "One [1]. Two [2][1]. Three [p8]."
    assert [one["title"] for one in used] == ["B", "A"]
