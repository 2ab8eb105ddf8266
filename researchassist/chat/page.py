"""What the templates are given: one page, its conversation and its composer, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.utils import timezone

from researchassist.agent.assistant import Assistant
from researchassist.agent.commands import TYPED
from researchassist.agent.commands.definition import Command
from researchassist.errors import UnknownMessage, UnknownThread
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import MessageRecord, ThreadRecord, TurnRecord
from researchassist.memory.thread_records import WORDS, Window

from .command_item import CommandItem
from .conversation import NO_PART, SIZE, Item, Part, part_of, time_of
from .forms import new_key
from .greeting import Example, examples
from .thread_list import ThreadList, thread_list
from .used import PENDING_FOR


@dataclass(frozen=True)
class Notice:
    """A sentence beside the composer. `too_long` offers to keep the text as a document, `plain` to send
    what looks like a command as a message, `gone` to send it in the new conversation of that id."""

    text: str
    kind: str = "error"
    too_long: bool = False
    plain: bool = False
    gone: str = ""
    thread_id: str = ""
    # The deleted conversation that can be brought back from here.
    undo: str = ""


def deleted_notice(assistant: Assistant, thread_id: str) -> Notice | None:
    """That a conversation was deleted, with the way back while there is one."""
    gone = assistant.memory.forgotten_thread(thread_id) if thread_id else None
    if gone is None or not gone.can_come_back:
        return None
    days = assistant.options.deleted_thread_days
    kept = f" It can be brought back for {days} {'day' if days == 1 else 'days'}." if days else ""
    text = f"“{gone.title or 'New conversation'}” was deleted.{kept}"
    return Notice(text, kind="done", undo=thread_id)


@dataclass(frozen=True)
class Page:
    """The whole page. `thread` is None while nothing has been sent in it."""

    thread_id: str
    thread: ThreadRecord | None
    threads: ThreadList
    model_set: bool
    part: Part = NO_PART
    examples: Sequence[Example] = ()
    running: TurnRecord | None = None
    text: str = ""
    notice: Notice | None = None
    first: bool = False
    megabytes: int = 0
    # Whether the thread is about to get its name from the model.
    titling: bool = False
    # A message that was asked for and is in another version of the conversation.
    superseded: MessageRecord | None = None
    key: str = field(default_factory=new_key)

    @property
    def items(self) -> Sequence[Item | CommandItem]:
        """The part of the conversation that is shown."""
        return self.part.items

    @property
    def branch(self) -> int:
        """Which change of branch it was made after."""
        return self.thread.branch if self.thread else 0

    @property
    def first_start(self) -> bool:
        """Whether the person has said nothing yet."""
        return not self.thread and all(one.sample for group in self.threads.groups for one in group.threads)

    @property
    def changing(self) -> bool:
        """Whether something on it has not ended, so that it must be looked at again."""
        return any(item.running for item in self.items)

    @property
    def commands(self) -> Sequence[Command]:
        """What can be typed after a slash."""
        return TYPED

    @property
    def title(self) -> str:
        """The thread's title."""
        return (self.thread.title if self.thread else "") or "New conversation"


@dataclass(frozen=True)
class Wanted:
    """Which part of a conversation is wanted: the latest, the one before or after a place, or one with a
    message."""

    before: str = ""
    after: str = ""
    message_id: str = ""


LATEST = Wanted()


def page_of(
    assistant: Assistant,
    thread_id: str,
    *,
    text: str = "",
    notice: Notice | None = None,
    new: bool = False,
    wanted: Wanted = LATEST,
) -> Page:
    """The page of a thread; with `new` also of one that is not there yet. Raises UnknownThread."""
    memory = assistant.memory
    thread = _thread(memory, thread_id, new=new)
    message = _message(memory, thread_id, wanted.message_id)
    part = part_of(memory, _window(memory, thread_id, wanted, message)) if thread else NO_PART
    return Page(
        thread_id=thread_id,
        thread=thread,
        threads=thread_list(memory),
        model_set=assistant.writer is not None,
        part=part,
        examples=() if thread else examples(memory, model_set=assistant.writer is not None),
        running=_running(memory, thread_id),
        text=text,
        notice=notice,
        megabytes=assistant.options.file_megabytes,
        titling=_titling(assistant, thread),
        superseded=message if message and message.superseded_at else None,
    )


def _titling(assistant: Assistant, thread: ThreadRecord | None) -> bool:
    if thread is None or thread.titled_by != WORDS or assistant.writer is None:
        return False
    return assistant.memory.is_being_titled(thread.id, timezone.now() - PENDING_FOR)


def _message(memory: MemoryManager, thread_id: str, message_id: str) -> MessageRecord | None:
    """The message an address names, where it is one of this thread."""
    if not message_id:
        return None
    try:
        message = memory.message(message_id)
    except UnknownMessage:
        return None
    return message if message.thread_id == thread_id else None


def _window(memory: MemoryManager, thread_id: str, wanted: Wanted, message: MessageRecord | None) -> Window:
    if message is not None and message.superseded_at is None:
        return memory.window_around(message, SIZE)
    if (after := time_of(wanted.after)) is not None:
        window = memory.later_window(thread_id, SIZE, after)
        return replace(window, earlier=min(window.times, default=None))
    if (before := time_of(wanted.before)) is not None:
        window = memory.latest_window(thread_id, SIZE, before)
        return replace(window, later=max(window.times, default=None))
    return memory.latest_window(thread_id, SIZE)


def _running(memory: MemoryManager, thread_id: str) -> TurnRecord | None:
    return next((turn for turn in memory.running_turns() if turn.thread_id == thread_id), None)


def surroundings(assistant: Assistant, thread_id: str, *, first: bool = False) -> Page:
    """What stands around the conversation, for a fragment that brings it up to date."""
    memory = assistant.memory
    thread = memory.thread(thread_id)
    return Page(
        thread_id=thread_id,
        thread=thread,
        threads=thread_list(memory),
        model_set=assistant.writer is not None,
        running=_running(memory, thread_id),
        first=first,
        titling=_titling(assistant, thread),
    )


def _thread(memory: MemoryManager, thread_id: str, *, new: bool) -> ThreadRecord | None:
    try:
        return memory.thread(thread_id)
    except UnknownThread:
        if new:
            return None
        raise
