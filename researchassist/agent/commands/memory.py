"""/memory: all that is remembered of the person, in one place, and the switch for all of it."""

from researchassist.errors import CommandRefused
from researchassist.memory.manager import MemoryManager

from .core import core_card
from .definition import Command, CommandContext, CommandResult, Entry
from .entries import counted
from .fact_entries import lesson_entry, with_buttons
from .profile import profile_card

_MOST = 100
_OFF = "Memory is **off**: nothing is remembered, and nothing of this is used. `/memory on` turns it on."
_ON = "Memory is on. `/memory off` turns it off; what is remembered stays."


def run(context: CommandContext, argument: str) -> CommandResult:
    """Core memory, the profile and the facts, each with the buttons that change it; "off" and "on"."""
    memory, word = context.assistant.memory, argument.strip().casefold()
    if word in ("on", "off"):
        memory.set_personal_memory(on=word == "on")
        return CommandResult(_ON if word == "on" else _OFF)
    if word == "lessons":
        return _lessons(memory)
    if word not in ("", "facts"):
        raise CommandRefused("Type /memory, or /memory with facts, lessons, off or on after it.")
    facts = memory.facts()
    rows = tuple(with_buttons(fact) for fact in facts[: -_MOST - 1 : -1])
    cards = () if word == "facts" else _cards(memory)
    return CommandResult(f"{_told(len(facts))} {_state(memory)}".strip(), cards=cards, rows=rows)


def _lessons(memory: MemoryManager) -> CommandResult:
    """What earlier work taught, the latest first."""
    lessons = memory.lessons()
    rows = tuple(lesson_entry(one) for one in lessons[: -_MOST - 1 : -1])
    text = (
        f"{counted(len(lessons), 'lesson')} of earlier work, the latest first."
        if lessons
        else "No lessons yet."
    )
    return CommandResult(text, rows=rows)


def _cards(memory: MemoryManager) -> tuple[Entry, ...]:
    version = memory.profile()
    return (core_card(memory), *((profile_card(version),) if version else ()))


def _told(count: int) -> str:
    if not count:
        return "What is remembered of you. No facts yet."
    shown = f"; the first {_MOST} are shown, `/forget WORDS` finds any" if count > _MOST else ""
    return f"What is remembered of you, with {counted(count, 'fact')}, the latest first{shown}."


def _state(memory: MemoryManager) -> str:
    return "" if memory.personal_memory_is_on() else _OFF


COMMAND = Command(
    "memory",
    "all that is remembered of you; off and on",
    run,
    "[facts, lessons, off, on]",
    "Reading what is remembered…",
)
