import pytest

from researchassist.llm.thinking import Thinking, without_thinking


def fed(text: str, size: int) -> tuple[str, str]:
    """What was shown as it came, and what the answer is at the end."""
    thinking, shown = Thinking(), ""
    for start in range(0, len(text), size):
        more, taken_back = thinking.feed(text[start : start + size])
        shown = more if taken_back else shown + more
    return shown + thinking.finish(), thinking.shown


@pytest.mark.parametrize("size", [1, 3, 7, 500])
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("An owl.", "An owl."),
        ("<think>Owl or wren?</think>An owl.", "An owl."),
        ("\n<thinking>\nOwl?\n</thinking>\n\nAn owl.", "An owl."),
        ("<think></think>An owl.", "An owl."),
        ("Owl or wren?</think>\nAn owl.", "An owl."),
        ("Write `</think>` to end it.", "Write `</think>` to end it."),
        ("It is a < b and <b>bold</b>.", "It is a < b and <b>bold</b>."),
        ("It ends with <", "It ends with <"),
        ("<think>never ended", ""),
        ("", ""),
    ],
)
def test_reasoning_is_not_part_of_the_answer(text: str, answer: str, size: int):
    assert fed(text, size) == (answer, answer)


def test_a_whole_reply_is_cleaned_at_once():
    assert without_thinking("<think>Owl?</think>An owl.") == "An owl."
