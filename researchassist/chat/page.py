"""What the templates are given: one page, its conversation and its composer, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.safestring import SafeString

from researchassist.agent.assistant import Assistant
from researchassist.agent.commands import TYPED
from researchassist.agent.commands.definition import Command
from researchassist.errors import UnknownThread
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import MessageRecord, ThreadRecord, TurnRecord

from . import markdown
from .command_item import CommandItem, command_item
from .forms import new_key
from .steps import Step, steps_of
from .used import in_short

_EXAMPLES = (
    "What does “{}” claim, and on what evidence?",
    "Summarize “{}” in five sentences.",
    "What are the limits of “{}”?",
    "How could the findings of “{}” be checked?",
)
_NOTES = {
    "capped": "The limit of model calls was reached.",
    "timed_out": "The time limit was reached.",
    "stopped": "You stopped this answer.",
}


@dataclass(frozen=True)
class Item:
    """One exchange: a turn with its question and answer, or a message without a turn."""

    question: MessageRecord | None = None
    answer: MessageRecord | None = None
    answer_html: SafeString = markdown.NOTHING
    turn: TurnRecord | None = None
    retryable: bool = False
    note: str = ""
    steps: tuple[Step, ...] = ()
    short: str = ""
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
class Example:
    """A question to start with."""

    text: str
    key: str = field(default_factory=new_key)


@dataclass(frozen=True)
class Notice:
    """A sentence beside the composer. `too_long` offers to keep the text as a document, `plain` to send
    what looks like a command as a message."""

    text: str
    kind: str = "error"
    too_long: bool = False
    plain: bool = False
    thread_id: str = ""


@dataclass(frozen=True)
class Page:
    """The whole page. `thread` is None while nothing has been sent in it."""

    thread_id: str
    thread: ThreadRecord | None
    threads: Sequence[ThreadRecord]
    model_set: bool
    items: Sequence[Item | CommandItem] = ()
    examples: Sequence[Example] = ()
    running: TurnRecord | None = None
    text: str = ""
    notice: Notice | None = None
    first: bool = False
    megabytes: int = 0
    key: str = field(default_factory=new_key)

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


def page_of(
    assistant: Assistant, thread_id: str, *, text: str = "", notice: Notice | None = None, new: bool = False
) -> Page:
    """The page of a thread; with `new` also of one that is not there yet. Raises UnknownThread."""
    memory = assistant.memory
    thread = _thread(memory, thread_id, new=new)
    items = conversation(memory, thread_id) if thread else []
    return Page(
        thread_id=thread_id,
        thread=thread,
        threads=memory.threads(),
        model_set=assistant.writer is not None,
        items=items,
        examples=[] if thread else _examples(memory),
        running=next((item.turn for item in items if isinstance(item, Item) and item.running), None),
        text=text,
        notice=notice,
        megabytes=assistant.options.file_megabytes,
    )


def surroundings(assistant: Assistant, thread_id: str, *, first: bool = False) -> Page:
    """What stands around the conversation, for a fragment that brings it up to date."""
    memory = assistant.memory
    running = [turn for turn in memory.running_turns() if turn.thread_id == thread_id]
    return Page(
        thread_id=thread_id,
        thread=memory.thread(thread_id),
        threads=memory.threads(),
        model_set=assistant.writer is not None,
        running=running[0] if running else None,
        first=first,
    )


def conversation(memory: MemoryManager, thread_id: str) -> list[Item | CommandItem]:
    """Every message of a thread with the turn it belongs to, and every command, in order."""
    messages = memory.messages(thread_id)
    turns = memory.turns(thread_id)
    asked = {turn.question.id: turn for turn in turns}
    answered = {turn.answer.id for turn in turns if turn.answer}
    items: list[Item | CommandItem] = [command_item(run) for run in memory.command_runs(thread_id)]
    for message in messages:
        if message.id in asked:
            items.append(item_of(asked[message.id], last=message.id == messages[-1].id))
        elif message.id not in answered:
            items.append(_alone(message))
    return sorted(items, key=lambda item: item.at)


def item_of(turn: TurnRecord, *, last: bool) -> Item:
    """One turn; without an answer it can be tried again while it is the `last` of its thread."""
    text = turn.answer.content if turn.answer else turn.partial_text
    running = turn.outcome == "running"
    return Item(
        question=turn.question,
        answer=turn.answer,
        answer_html=markdown.render(text) if text and not running else markdown.NOTHING,
        turn=turn,
        retryable=last and turn.answer is None and not running,
        note=(_NOTES.get(turn.outcome, "") or str(turn.used.get("notice", ""))) if turn.answer else "",
        steps=steps_of(turn),
        short=in_short(turn),
    )


def _alone(message: MessageRecord) -> Item:
    if message.role == "user":
        return Item(question=message)
    return Item(answer=message, answer_html=markdown.render(message.content))


def _thread(memory: MemoryManager, thread_id: str, *, new: bool) -> ThreadRecord | None:
    try:
        return memory.thread(thread_id)
    except UnknownThread:
        if new:
            return None
        raise


def _examples(memory: MemoryManager) -> list[Example]:
    """Questions about documents in memory, each about another one where there are enough."""
    titles = list(dict.fromkeys(document.title for document in memory.documents()))
    if not titles:
        return []
    return [Example(pattern.format(titles[i % len(titles)])) for i, pattern in enumerate(_EXAMPLES)]
