from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from researchassist.memory.stores.message_search import MessageFilter
from researchassist.memory.stores.turns import Place


def say(memory, *texts: str, thread: str = "alice"):
    return [memory.write_conversational_memory(text, "user", thread) for text in texts]


def texts(found) -> list[str]:
    return [hit.message.content for hit in found.hits]


def test_messages_with_every_word_come_first_and_among_equals_the_latest(memory):
    say(memory, "Paging moves context", "latency again", "A long message about paging, and its latency too")
    say(memory, "latency again", thread="bob")
    found = memory.search_messages("paging LATENCY")
    assert found.total == 4
    assert texts(found)[0].startswith("A long message")
    assert [h.message.thread_id for h in found.hits if h.message.content == "latency again"] == [
        "bob",
        "alice",
    ]


def test_a_hit_in_a_table_is_shown_without_its_bars_and_marks(memory):
    say(memory, "## Speed\n\nIt flies [p3].\n\n| bird | speed |\n|:--|--:|\n| **owl** | 40 km/h |\n\n`a | b`")
    [hit] = memory.search_messages("owl").hits
    assert hit.text == "Speed It flies . bird speed **owl** 40 km/h `a b`"


def test_a_hit_has_its_message_thread_date_and_the_marked_words(memory):
    memory.write_thread("alice", title="Night birds")
    [message] = say(memory, "x " * 300 + "owls\nwere hunting" + " y" * 300)
    [hit] = memory.search_messages("owl hunted").hits
    assert (hit.message, hit.thread_title) == (message, "Night birds")
    assert [piece for piece, marked in hit.snippet if marked] == ["owls", "hunting"]
    assert "owls were hunting" in hit.text
    assert len(hit.text) < 200


def test_filters_are_applied_before_the_limit(memory):
    memory.import_thread(
        "old", title="", messages=[("user", "owls", datetime(2024, 5, day, tzinfo=UTC)) for day in (1, 2, 3)]
    )
    before = say(memory, "owls", "owls", "owls")[1]

    def times(**where) -> int:
        return memory.search_messages("owls", limit=2, where=MessageFilter(**where)).total

    assert times() == 6
    assert times(thread_id="old") == 3
    assert times(since=datetime(2024, 5, 2, tzinfo=UTC), until=datetime(2024, 5, 3, tzinfo=UTC)) == 1
    assert times(before=before) == 4


def test_a_word_being_typed_finds_longer_ones(memory):
    say(memory, "Elephants remember")
    assert not memory.search_messages("remember elep", where=MessageFilter(thread_id="x"), typing=True).total
    assert texts(memory.search_messages("eleph", typing=True)) == ["Elephants remember"]


def test_identifiers_are_found_whole(memory):
    say(memory, "See arXiv:2310.08560 for it", "It was 08560 and 2310 apart", "The KZ-914 valve")
    assert texts(memory.search_messages("2310.08560")) == ["See arXiv:2310.08560 for it"]
    assert texts(memory.search_messages("kz-914")) == ["The KZ-914 valve"]


def test_scripts_without_spaces_are_found_inside_their_clauses(memory):
    say(memory, "猫が好き", "Rain", "猫 and KI")
    assert set(texts(memory.search_messages("猫"))) == {"猫が好き", "猫 and KI"}
    assert texts(memory.search_messages("猫 KI"))[0] == "猫 and KI"
    assert memory.search_messages("好き").hits[0].snippet == (("猫が", False), ("好き", True))


def test_parts_of_words_and_signs_are_found_where_no_whole_word_is(memory):
    say(memory, "An interoperability question", "Good night 🦉")
    assert texts(memory.search_messages("operab")) == ["An interoperability question"]
    assert texts(memory.search_messages("🦉")) == ["Good night 🦉"]


@pytest.mark.parametrize("text", ["", "   ", "\x00"])
def test_blank_text_finds_nothing(memory, text: str):
    say(memory, "Owls")
    assert memory.search_messages(text).total == 0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.sampled_from("ab\"*^():-+{}[]NEAR OR'\\,.;%_\ud83d\x00猫") | st.characters(), max_size=40)
)
def test_no_text_is_syntax(memory, text: str):
    for typing in (True, False):
        memory.search_messages(text, typing=typing)


def test_superseded_messages_are_found_only_where_they_are_wanted(memory):
    old = memory.write_conversational_memory("the owl hunts", "user", "t")
    memory.open_turn(
        thread_id="t", query="the heron", key="k", owner="1@1", model="m", place=Place(edit_of=old.id)
    )
    assert memory.search_messages("owl", limit=5).total == 0
    found = memory.search_messages("owl", limit=5, where=MessageFilter(superseded=True))
    assert [hit.message.superseded_at is not None for hit in found.hits] == [True]
