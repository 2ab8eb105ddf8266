import json

import pytest

from researchassist.agent import budget
from researchassist.options import Options


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abc", 0), ("abcd", 1), ("a" * 4003, 1000), ("日本語の", 1)]
)
def test_a_token_is_four_characters_rounded_down(text: str, tokens: int):
    assert budget.estimate(text) == tokens


@pytest.mark.parametrize(
    ("tokens", "status"),
    [(0, "ok"), (499, "ok"), (500, "warning"), (799, "warning"), (800, "critical"), (5000, "critical")],
)
def test_half_is_a_warning_and_eighty_percent_critical(tokens: int, status: str):
    assert budget.monitor(tokens, Options(token_budget=1000)).status == status


def test_a_budget_can_be_handed_in():
    use = budget.monitor(400, Options(), 1000)
    assert (use.status, use.percent) == ("ok", 40)


def test_the_models_budget_is_known_by_its_name():
    assert Options().budget() == 256_000
    assert Options(loop_model="other").budget() == 128_000
    assert Options(loop_model="other", token_budget=9).budget() == 9


def test_a_request_counts_contents_calls_and_schemas():
    messages, tools = [{"role": "user", "content": "x" * 400}], [{"name": "y" * 400}]
    assert budget.request_tokens(messages, tools) >= 200
    assert budget.request_tokens(messages, tools) == len(json.dumps([*messages, *tools])) // 4


def exchange(rounds: int, size: int = 3000) -> list[dict]:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "# Question\n" + "q" * 900}]
    for number in range(rounds):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "r" * size})
    return messages


def shrunk(rounds: int, tokens: int) -> list[dict]:
    log_ids = {f"c{number}": str(70 + number) for number in range(rounds)}
    return budget.shrink_tool_results(exchange(rounds), log_ids, lambda messages: fits(messages, tokens))


def fits(messages: list[dict], tokens: int) -> bool:
    return (
        budget.monitor(budget.request_tokens(messages, []), Options(token_budget=tokens)).status != "critical"
    )


def test_what_fits_is_left_alone():
    assert shrunk(3, 100_000) == exchange(3)


def test_the_oldest_results_become_pointers_until_it_fits():
    messages = shrunk(4, 4000)
    results = [m["content"] for m in messages if m["role"] == "tool"]
    assert "Tool log 70" in results[0]
    assert results[-1] == "r" * 3000
    assert fits(messages, 4000)


def test_the_latest_round_and_the_question_are_never_touched():
    messages = shrunk(4, 10)
    assert messages[:2] == exchange(4)[:2]
    assert messages[-2:] == exchange(4)[-2:]
    assert all("read_tool_log" in m["content"] for m in messages[3:-2] if m["role"] == "tool")


def test_every_call_is_still_answered_once():
    messages = shrunk(4, 10)
    asked = [call["id"] for m in messages for call in m.get("tool_calls", [])]
    assert asked == [m["tool_call_id"] for m in messages if m["role"] == "tool"]


def test_the_careful_estimate_counts_a_token_for_every_wide_character():
    assert budget.weigh("abcd" * 10) == budget.estimate("abcd" * 10) == 10
    assert budget.weigh("密封件" * 100) == 300
    assert budget.weigh("🦉" * 8) == 8


def test_what_a_server_counts_corrects_the_estimate_upwards_only():
    calibration = budget.Calibration()
    assert calibration.corrected(1000) == 1000
    calibration.note(estimated=1000, counted=1500)
    calibration.note(estimated=1000, counted=700)
    assert calibration.corrected(1000) == 1500


def test_an_old_correction_is_forgotten():
    calibration = budget.Calibration()
    calibration.note(estimated=1000, counted=3000)
    for _ in range(10):
        calibration.note(estimated=1000, counted=1000)
    assert calibration.corrected(1000) == 1000


def test_a_server_that_counts_nothing_corrects_nothing():
    calibration = budget.Calibration()
    calibration.note(estimated=0, counted=10)
    calibration.note(estimated=10, counted=0)
    assert calibration.corrected(1000) == 1000
