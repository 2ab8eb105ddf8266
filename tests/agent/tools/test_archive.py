import pytest

from researchassist.agent.ingest import ingest_bytes
from researchassist.agent.tools.archive import archival_search
from researchassist.errors import ToolError
from researchassist.memory.manager import MemoryManager
from researchassist.memory.stores.knowledge_base import DocumentDraft, PassageDraft
from researchassist.options import Options


@pytest.fixture
def archive(tool_context):
    def add(title: str, *passages: str, **fields) -> None:
        draft = DocumentDraft(**{"source": title, "kind": "pdf", "title": title, "file_hash": title} | fields)
        tool_context.assistant.memory.write_document(
            draft,
            [PassageDraft(text=text, start=0, end=len(text), metadata={"page": 7}) for text in passages],
        )

    add("Night owls", "Owls hunt at night", authors=("Élise Nordmann",), published="2019")
    add("Day wrens", "Wrens hunt by day", authors=("Bo Li",), published="2023-05-01", kind="html")
    add("Notes", "Owls and wrens sleep")
    return tool_context


def test_passages_come_with_document_page_and_source(archive):
    first, second, *_ = archive.assistant.memory.read_knowledge_base("Owls hunt at night").records
    assert archival_search(archive, "Owls hunt at night").startswith(
        f"[p{first.id}] Night owls, page 7 (from Night owls)\nOwls hunt at night\n\n[p{second.id}] "
    )


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ({"document": "wren"}, {"Day wrens"}), ({"author": "nordmann"}, {"Night owls"}),
        ({"author": "Élise"}, {"Night owls"}),
        ({"kind": "HTML"}, {"Day wrens"}), ({"year_from": 2020}, {"Day wrens"}),
        ({"year_to": 2019}, {"Night owls"}),
        ({"year_from": 2019, "year_to": 2023}, {"Night owls", "Day wrens"}), ({"document": "nothing"}, set()),
    ],
)  # fmt: skip
def test_filters_leave_only_such_documents(archive, filters: dict, titles: set):
    text = archival_search(archive, "hunt", **filters)
    assert {title for title in ("Night owls", "Day wrens", "Notes") if title in text} == titles


def test_more_than_fits_is_had_page_by_page_and_nothing_is_left_out(tool_context):
    parts = "\n\n".join(f"# Part {n}\n\nOwl number {n}. " + "word " * 260 for n in range(1, 8))
    ingest_bytes(tool_context.assistant, "long.md", parts.encode())
    seen, start = set(), 1
    while start:
        text = archival_search(tool_context, "owl", start=start)
        assert len(text) <= 3000
        seen |= {n for n in range(1, 8) if f"Owl number {n}." in text}
        _, _, after = text.partition("they start at start=")
        start = int(after.partition(".")[0]) if after else 0
    assert seen == set(range(1, 8))


def test_nothing_found_is_told(tool_context):
    assert archival_search(tool_context, "owls") == "No passage in memory matches."


@pytest.mark.parametrize(
    "arguments", [{"query": " "}, {"query": "x", "start": 0}, {"query": "x", "start": 51}]
)
def test_what_makes_no_sense_is_told(tool_context, arguments: dict):
    with pytest.raises(ToolError):
        archival_search(tool_context, **arguments)


def test_a_start_beyond_the_last_is_told(archive):
    assert archival_search(archive, "owls", start=9) == "There are no more than 3 passages."


def test_a_passage_is_found_by_a_word_that_its_vector_does_not_show(memory, tool_context, tiny_embedder):
    one = tiny_embedder._one
    tiny_embedder._one = lambda text: one("the same for all")
    passages = [f"Filler number {n}" for n in range(30)]
    passages[17] = "Code ERR-4092 means that the valve stuck"
    draft = DocumentDraft(source="m", kind="pdf", title="Manual", file_hash="m")
    memory.write_document(draft, [PassageDraft(text=text, start=0, end=1) for text in passages])
    first = archival_search(tool_context, "What is err-4092?").split("\n\n")[0]
    assert first.endswith("Manual (from m)\nCode ERR-4092 means that the valve stuck")
    assert "ERR-4092" not in memory.read_knowledge_base("What is err-4092?", 3).text()


def test_the_passages_of_a_turn_are_found_by_words_too_where_the_option_says_so(tiny_embedder, memory):
    tiny_embedder._one = lambda text, one=tiny_embedder._one: one("the same for all")
    for text in [*(f"Filler {n}" for n in range(9)), "Code ERR-4092"]:
        memory.write_knowledge_base(text, {})
    fused = MemoryManager(Options(knowledge_search="fused"), tiny_embedder)
    assert "ERR-4092" not in memory.read_knowledge_base("ERR-4092?").text()
    assert fused.read_knowledge_base("ERR-4092?").records[0].text == "Code ERR-4092"
