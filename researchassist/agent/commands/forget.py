"""/forget N or words: take a fact about the person out of memory, with a way back."""

import re

from researchassist.agent.fact_control import matching
from researchassist.errors import CommandRefused, UnknownFact

from .definition import Command, CommandContext, CommandResult, Entry
from .fact_entries import fact_entry, undo_button, with_buttons

_LESSON = re.compile(r"lesson #?(\d{1,15})", re.IGNORECASE)


def run(context: CommandContext, argument: str) -> CommandResult:
    """The fact that is gone with the button that brings it back; where several match, which one is meant."""
    memory, text = context.assistant.memory, argument.strip()
    if not text:
        raise CommandRefused("Say which fact: its number from /memory, or words it has: /forget seafood")
    if text.lstrip("#").isdecimal():
        return _forget(context, int(text.lstrip("#")[:15] or 0))
    if (number := _LESSON.fullmatch(text)) is not None:
        gone = memory.forget_lesson(int(number.group(1)))
        return CommandResult("Forgotten. It is not learned again.", cards=(Entry(title=gone.lesson),))
    found = matching(memory, text)
    if not found:
        raise CommandRefused("No fact has these words. /memory lists them all.")
    if len(found) == 1:
        return _forget(context, found[0].id)
    rows = tuple(with_buttons(fact) for fact in found)
    return CommandResult(f"{len(found)} facts have these words. Which one is to be forgotten?", rows=rows)


def _forget(context: CommandContext, number: int) -> CommandResult:
    memory = context.assistant.memory
    if not memory.forget_fact(number):
        raise UnknownFact(f"There is no fact {number}; /memory lists them all.")
    undo = undo_button(memory, number)
    return CommandResult(
        "Forgotten. It is not learned again by itself; its history stays until "
        "“manage.py forget_everything”.",
        cards=(fact_entry(memory.fact(number), actions=undo),),
    )


COMMAND = Command("forget", "take a fact about you out of memory", run, "N or WORDS", "Forgetting “{}”…")
