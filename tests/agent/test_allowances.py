import pytest
from hypothesis import given
from hypothesis import strategies as st

from researchassist.agent.allowances import LINES, allowances
from researchassist.errors import ConfigurationError
from researchassist.options import Options


def test_every_line_of_the_table_has_an_option_and_every_option_a_line():
    named = {name.removeprefix("allow_") for name in Options.model_fields if name.startswith("allow_")}
    assert named == set(LINES)


def test_the_defaults_are_kept_as_they_are_in_the_window_they_are_made_for():
    table = allowances(Options())
    assert table.window == 256_000
    assert all(table[line] == getattr(Options(), f"allow_{line}") for line in LINES if line != "question")
    assert table["question"] == 64_000
    assert table.total < table.window


def test_instructions_and_tools_do_not_shrink_before_they_must():
    table = allowances(Options(token_budget=32_000))
    assert table["question"] == 8000
    assert (table["system"], table["tools"]) == (1600, 2500)
    assert table["exchange"] < Options().allow_exchange


def test_a_line_that_was_set_stays_and_the_others_give_way():
    table = allowances(Options(token_budget=32_000, allow_conversation=20_000))
    assert table["conversation"] == 20_000
    assert table["exchange"] < Options().allow_exchange


def test_lines_that_leave_no_room_are_refused_and_named():
    with pytest.raises(ConfigurationError, match="RESEARCHASSIST_ALLOW_EXCHANGE"):
        allowances(Options(token_budget=32_000, allow_exchange=32_000))


def test_the_question_has_its_share_of_the_window_or_the_line_that_was_set():
    assert allowances(Options(token_budget=32_000))["question"] == 8000
    assert allowances(Options(token_budget=32_000, allow_question=800))["question"] == 800


@given(window=st.integers(100, 2_000_000), share=st.integers(1, 80))
def test_the_lines_are_less_than_any_window(window: int, share: int):
    table = allowances(Options(token_budget=window, question_percent=share))
    assert table.total < window
    assert min(table.lines.values()) >= 0


def test_in_a_small_window_what_is_remembered_of_the_person_shrinks_after_all_else():
    table = allowances(Options(token_budget=8000))
    share = {
        line: table[line] / getattr(Options(), f"allow_{line}") for line in ("core", "entity", "exchange")
    }
    assert share["core"] > share["entity"] > share["exchange"]
