"""Commands and messages told apart"""

import pytest

from researchassist.agent.commands.parse import parse
from researchassist.errors import CommandRefused


@pytest.mark.parametrize(
    ("text", "name", "argument"),
    [
        ("/help", "help", ""),
        ("  /HELP \n", "help", ""),
        ("/arxiv virtual  context", "arxiv", "virtual  context"),
        ("/search one\ntwo", "search", "one\ntwo"),
        ("/forget-document 3", "forget-document", "3"),
    ],
)
def test_a_command_and_its_argument(text: str, name: str, argument: str):
    asked = parse(text)
    assert asked is not None
    assert (asked.command.name, asked.argument) == (name, argument)


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "/usr/bin is full",
        "//",
        "/",
        "/ help",
        "/2310.08560",
        "/etc",
        "see /help",
        "/tmp is full",
        "/r/owls",
        "/file x.pdf",
    ],
)
def test_ordinary_messages(text: str):
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("/hlep", "/help"),
        ("/documnets", "/documents"),
        ("/doc", "/documents"),
        ("/sumarize", "/summarize"),
        ("/arxv x", "/arxiv QUERY"),
    ],
)
def test_a_word_that_is_nearly_one_names_the_nearest(text: str, nearest: str):
    with pytest.raises(CommandRefused, match=f"Did you mean {nearest}"):
        parse(text)
