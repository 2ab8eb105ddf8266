"""Telling a command from an ordinary message that happens to begin with a slash."""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from researchassist.errors import CommandRefused

from . import TYPED
from .definition import Command

# A slash and one word: "/usr/bin", "//" and "/ 2" are ordinary messages.
_WORD = re.compile(r"/([A-Za-z][A-Za-z-]*)(?:\s+(.*))?", re.DOTALL)
_NEAR = 0.75


@dataclass(frozen=True)
class Asked:
    """A command and what was written after it."""

    command: Command
    argument: str


def parse(text: str) -> Asked | None:
    """The command a text is, or None where it is an ordinary message.

    Raises CommandRefused, naming the nearest, where the word is only like that of a command.
    """
    match = _WORD.fullmatch(text.strip())
    if match is None:
        return None
    word, argument = match.group(1).lower(), (match.group(2) or "").strip()
    by_name = {command.name: command for command in TYPED}
    if word in by_name:
        return Asked(by_name[word], argument)
    near = [name for name in by_name if name.startswith(word)] or get_close_matches(word, by_name, 1, _NEAR)
    if not near:
        return None
    raise CommandRefused(
        f"There is no command /{word}. Did you mean {by_name[near[0]].usage}? /help lists them all."
    )
