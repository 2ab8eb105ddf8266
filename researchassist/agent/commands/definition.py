"""What a command of the composer is, what it is handed, and what it gives: plain values for the page."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from researchassist.papers.pdf import Progress

if TYPE_CHECKING:
    from researchassist.agent.assistant import Assistant


@dataclass(frozen=True)
class Action:
    """A button: what it says, and the command it sends as if that had been typed.

    With `edit` the command is put into the message field, for the person to change and send.
    """

    label: str
    command: str
    edit: bool = False


@dataclass(frozen=True)
class Entry:
    """One thing a result shows: a title, short facts, a longer text, a warning. All are plain text.

    `url` is where it comes from; `thread_id` and `message_id` are where in the conversations it stands.
    """

    title: str
    number: str = ""
    facts: tuple[str, ...] = ()
    text: str = ""
    warning: str = ""
    url: str = ""
    thread_id: str = ""
    message_id: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True)
class CommandResult:
    """What came of a command. `text` is Markdown: our own words, or a summary; what comes from outside
    stands in the cards (one thing each, framed) and rows (a list)."""

    text: str = ""
    cards: tuple[Entry, ...] = ()
    rows: tuple[Entry, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """What is kept of it."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CommandResult":
        """The result that was kept."""
        cards, rows = (tuple(_entry(one) for one in kept.get(part, ())) for part in ("cards", "rows"))
        return cls(str(kept.get("text", "")), cards, rows)


def _entry(kept: Mapping[str, Any]) -> Entry:
    actions = tuple(Action(**one) for one in kept["actions"])
    return Entry(**{**kept, "facts": tuple(kept["facts"]), "actions": actions})


@dataclass(frozen=True)
class CommandContext:
    """What a command works with. `tell` says what it is doing, and raises where it was stopped;
    `file` is the file the person added."""

    assistant: "Assistant"
    thread_id: str
    commands: tuple["Command", ...] = ()
    tell: Progress = field(default=lambda words: None)  # noqa: ARG005
    file: Path | None = None


@dataclass(frozen=True)
class Command:
    """A command: its name, its arguments in words, one line of help, and what it does.

    `working` is what it does in words, with {} for the argument. One that is not `typed` is started by
    the page, as adding a file is.
    """

    name: str
    help: str
    run: Callable[[CommandContext, str], CommandResult]
    arguments: str = ""
    working: str = "Working…"
    typed: bool = True

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"/{self.name} {self.arguments}".strip()

    def doing(self, argument: str) -> str:
        """What it does with this argument, in words."""
        short = " ".join(argument.split())
        return self.working.format(short if len(short) <= 80 else f"{short[:79]}…")
