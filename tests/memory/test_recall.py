"""recall_messages: meaning, words, neighbours, dates and speakers in one ranking."""

from datetime import UTC, datetime, timedelta

import pytest

from researchassist.memory.models import MessageVector
from researchassist.memory.stores.message_search import MessageFilter
from researchassist.memory.stores.turns import Place
from tests.tiny_embedder import TinyEmbedder

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)


def told(memory, *texts: str, thread: str = "alice", at: datetime = NOON, **speakers: str) -> None:
    memory.import_thread(
        thread,
        title=thread,
        messages=[
            ("user" if number % 2 == 0 else "assistant", text, at + timedelta(minutes=number))
            for number, text in enumerate(texts)
        ],
        speakers=speakers,
    )
    memory.embed_all_messages()


def found(memory, query: str, **where) -> list[str]:
    return [hit.message.content for hit in memory.recall_messages(query, where=MessageFilter(**where)).hits]


def test_meaning_finds_what_shares_no_word(memory, tiny_embedder):
    meaning = {"Which animal was it?": "owl"}
    one = tiny_embedder._one
    tiny_embedder._one = lambda text: one(meaning.get(text, text))
    told(memory, "rain", "ledger", "owl owl owl", "hills", "sums", "paint", "stairs", "tea")
    assert found(memory, "Which animal was it?")[0] == "owl owl owl"


def test_an_answer_is_found_by_the_words_of_its_question(memory):
    told(memory, "tea", "ok", "What is the capital of Kestria?", "Vellum", "fine", "bye", "tea", "ok", "rain")
    assert found(memory, "capital of Kestria")[:2] == ["What is the capital of Kestria?", "Vellum"]


def test_neighbours_are_those_of_the_same_thread(memory):
    told(memory, "tea", "Which capital?", thread="a")
    told(memory, "Vellum", "rain", thread="b")
    hit = next(h for h in memory.recall_messages("Vellum").hits if h.message.content == "Vellum")
    assert (hit.before, hit.after.content) == (None, "rain")


def test_a_date_in_the_question_counts_and_no_other_thread_or_time_is_left_out(memory):
    told(memory, "We met for tea", "Nice", thread="may", at=datetime(2024, 5, 8, 12, tzinfo=UTC))
    told(memory, "We met for tea", "Nice", thread="june", at=datetime(2024, 6, 8, 12, tzinfo=UTC))
    told(memory, *["rain"] * 9, thread="rain", at=datetime(2024, 7, 8, 12, tzinfo=UTC))
    for month, thread in (("May", "may"), ("June 2024", "june"), ("8 May", "may")):
        hits = memory.recall_messages(f"Where did we meet in {month}?").hits
        assert hits[0].message.thread_id == thread
        assert {"may", "june"} <= {hit.message.thread_id for hit in hits}


def test_a_named_speaker_counts(memory):
    told(memory, "I like tea", "I like tea", "rain", "rain", user="Ada", assistant="Bo")
    assert memory.recall_messages("What does Bo like, tea?").hits[0].message.role == "assistant"
    assert memory.recall_messages("What does Ada like, tea?").hits[0].message.role == "user"


def test_what_is_embedded_has_date_and_speaker(memory):
    told(memory, "I like tea", "Me too", user="Ada")
    texts = list(MessageVector.objects.order_by("pk").values_list("text", flat=True))
    assert [text.split(" ", 2)[2] for text in sorted(texts)] == [
        "on 8 May, 2024, Ada: I like tea", "on 8 May, 2024, assistant: Me too",
    ]  # fmt: skip


def test_a_long_message_is_embedded_whole_in_parts_and_given_once(memory, tiny_embedder):
    told(memory, "word " * 900 + "needle at the end", "rain")
    parts = MessageVector.objects.filter(message__content__startswith="word")
    assert parts.count() > 2
    assert all(tiny_embedder.count_tokens(part.text) <= tiny_embedder.max_tokens for part in parts)
    joined = "".join(part.text.partition("user: ")[2] for part in parts.order_by("part"))
    assert joined == "word " * 900 + "needle at the end"
    assert len(memory.recall_messages("needle").hits) == 2


def test_superseded_and_later_messages_are_not_found_and_do_not_count_as_neighbours(memory):
    first = memory.open_turn(thread_id="t", query="owl one", key="1", owner="me", model="m")
    memory.end_turn_without_answer(first.id, outcome="failed", error="", partial_text="")
    place = Place(first.question.id, None)
    second = memory.open_turn(thread_id="t", query="owl two", key="2", owner="me", model="m", place=place)
    memory.embed_all_messages()
    assert found(memory, "owl") == ["owl two"]
    assert found(memory, "owl", before=second.question) == []


def test_vectors_come_after_the_messages_and_only_once(memory, tiny_embedder):
    for number in range(5):
        memory.write_conversational_memory(f"message {number}", "user", "alice")
    assert memory.recall_messages("message").waiting == 5
    before = tiny_embedder.calls
    assert memory.embed_messages(2) == 3
    assert set(MessageVector.objects.values_list("message__content", flat=True)) == {"message 3", "message 4"}
    memory.embed_all_messages()
    memory.embed_all_messages()
    assert tiny_embedder.calls - before == 5
    assert memory.recall_messages("message 1").waiting == 0


def test_a_deleted_thread_takes_its_vectors_with_it(memory):
    told(memory, "Owls", "Rain")
    told(memory, "Owls", "Rain", thread="bob")
    memory.delete_thread("alice")
    assert {hit.message.thread_id for hit in memory.recall_messages("owls").hits} == {"bob"}
    assert memory._recall.store.size() == MessageVector.objects.count() == 2


@pytest.mark.parametrize("query", ["", "  ", "owls", '"*^ NEAR('])
def test_an_empty_history_has_nothing(memory, query: str):
    recalled = memory.recall_messages(query)
    assert (recalled.total, recalled.waiting, recalled.hits) == (0, 0, ())


def test_messages_embedded_by_two_processes_at_once_are_kept_once(memory):
    memory.write_conversational_memory("Owls", "user", "alice")
    waiting = memory._recall.waiting()
    for _ in range(2):
        memory._recall.write([(message, [message.content]) for message in waiting], TinyEmbedder())
    assert MessageVector.objects.count() == 1
