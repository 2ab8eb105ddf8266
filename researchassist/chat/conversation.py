"""The conversation as the page shows it: exchanges, messages without a turn and commands, in order."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import MessageRecord, TurnRecord
from researchassist.memory.thread_records import Size, Window

from . import markdown
from .command_item import CommandItem, command_item
from .forms import new_key
from .remembered import Remembered, remembered_after
from .sources import Sourced, sourced, sources_gone
from .steps import Step, steps_of
from .used import in_short

# What a page shows at once; more is loaded as one scrolls.
SIZE = Size()
_NOTES = {
    "capped": "The limit of model calls was reached.",
    "timed_out": "The time limit was reached.",
    "stopped": "You stopped this answer.",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Versions:
    """Which of a question's versions is shown, counted from 1, and the messages of those beside it."""

    number: int = 1
    count: int = 1
    earlier: str = ""
    later: str = ""

    @classmethod
    def of(cls, message_id: str, ids: Sequence[str]) -> "Versions":
        """The place of a message among its versions."""
        if message_id not in ids:
            return cls()
        place = ids.index(message_id)
        around = ["", *ids, ""]
        return cls(place + 1, len(ids), around[place], around[place + 2])


ONE_VERSION = Versions()
NOTHING_SOURCED = Sourced()


@dataclass(frozen=True)
class Item:
    """One exchange: a turn with its question and answer, or a message without a turn."""

    question: MessageRecord | None = None
    answer: MessageRecord | None = None
    text: Sourced = NOTHING_SOURCED
    turn: TurnRecord | None = None
    retryable: bool = False
    note: str = ""
    steps: tuple[Step, ...] = ()
    short: str = ""
    versions: Versions = ONE_VERSION
    remembered: Remembered | None = None
    key: str = field(default_factory=new_key)

    @property
    def running(self) -> bool:
        """Whether the answer is still being written."""
        return self.turn is not None and self.turn.outcome == "running"

    @property
    def at(self) -> datetime:
        """Its place in the conversation."""
        first = self.question or self.answer
        assert first is not None
        return first.timestamp


@dataclass(frozen=True)
class Part:
    """A part of a conversation, and where to go on from at either end ("" where there is no more)."""

    items: Sequence[Item | CommandItem] = ()
    earlier: str = ""
    later: str = ""


NO_PART = Part()


def part_of(memory: MemoryManager, window: Window) -> Part:
    """The items of a window, in order."""
    versions = memory.versions([message for message in window.messages if message.role == "user"])
    # Where more follows, the last message here is not the last of its thread.
    last = "" if window.later or not window.messages else _last(window)
    asked = {turn.question.id: turn for turn in window.turns}
    gone, kept = sources_gone(memory, window.turns), remembered_after(memory, window.turns)
    items: list[Item | CommandItem] = [command_item(run) for run in window.runs]
    for message in window.messages:
        known = Versions.of(message.id, versions.get(message.id, ()))
        if message.id in asked:
            turn = asked[message.id]
            item = item_of(turn, last=message.id == last, versions=known, gone=gone)
            items.append(replace(item, remembered=kept.get(turn.id)))
        else:
            items.append(_alone(message, known))
    return Part(sorted(items, key=lambda item: item.at), place_of(window.earlier), place_of(window.later))


def _last(window: Window) -> str:
    return max(window.messages, key=lambda message: message.timestamp).id


def turn_item(memory: MemoryManager, turn: TurnRecord) -> Item:
    """One turn by itself, as it stands in its thread now."""
    last = memory.last_message(turn.thread_id)
    ids = memory.versions([turn.question])[turn.question.id]
    is_last = last is not None and last.id == turn.question.id
    known = Versions.of(turn.question.id, ids)
    item = item_of(turn, last=is_last, versions=known, gone=sources_gone(memory, [turn]))
    return replace(item, remembered=remembered_after(memory, [turn]).get(turn.id))


def item_of(turn: TurnRecord, *, last: bool, versions: Versions, gone: Collection[str]) -> Item:
    """One turn; without an answer it can be tried again while it is the `last` of its thread.

    `gone` are the sources that were deleted since.
    """
    text = turn.answer.content if turn.answer else turn.partial_text
    running = turn.outcome == "running"
    return Item(
        question=turn.question,
        answer=turn.answer,
        text=sourced(turn, text, gone) if text and not running else NOTHING_SOURCED,
        turn=turn,
        retryable=last and turn.answer is None and not running,
        note=(_NOTES.get(turn.outcome, "") or str(turn.used.get("notice", ""))) if turn.answer else "",
        steps=steps_of(turn),
        short=in_short(turn),
        versions=versions,
    )


def _alone(message: MessageRecord, versions: Versions) -> Item:
    if message.role == "user":
        return Item(question=message, versions=versions)
    return Item(answer=message, text=Sourced(markdown.render(message.content)))


def place_of(time: datetime | None) -> str:
    """A time as an address has it: microseconds since 1970."""
    return "" if time is None else str((time - _EPOCH) // timedelta(microseconds=1))


def time_of(place: str | None) -> datetime | None:
    """The time an address names; None where it names none."""
    if not place or not place.isascii() or not place.isdecimal() or len(place) > 16:
        return None
    return _EPOCH + timedelta(microseconds=int(place))
