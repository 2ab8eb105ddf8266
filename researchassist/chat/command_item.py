"""A run of a command as the conversation shows it."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.safestring import SafeString

from researchassist.agent.command_runner import command_runner
from researchassist.agent.commands import BY_NAME
from researchassist.agent.commands.definition import CommandResult, Entry
from researchassist.memory.records import CommandRunRecord

from . import markdown
from .forms import new_key

# A longer text is folded in behind its beginning.
_SHOWN_CHARS = 320


@dataclass(frozen=True)
class Button:
    """A button that sends a command, or with `edit` puts it into the message field; its key is new with
    each rendering."""

    label: str
    command: str
    edit: bool = False
    key: str = field(default_factory=new_key)


@dataclass(frozen=True)
class ShownEntry:
    """An entry of a result. `link` is its address where a browser may open it."""

    entry: Entry
    link: str
    folded: bool
    buttons: tuple[Button, ...]


@dataclass(frozen=True)
class CommandItem:
    """One run: what was given, what it is doing or what came of it."""

    run: CommandRunRecord
    words: str
    text_html: SafeString
    cards: tuple[ShownEntry, ...]
    rows: tuple[ShownEntry, ...]
    again: bool

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.run.status == "running"

    @property
    def is_file(self) -> bool:
        """Whether it is a file that was added."""
        return self.run.name == "file"

    @property
    def line(self) -> str:
        """What the person gave."""
        return self.run.argument if self.is_file else f"/{self.run.name} {self.run.argument}".strip()

    @property
    def at(self) -> datetime:
        """Its place in the conversation."""
        return self.run.started_at


def command_item(run: CommandRunRecord) -> CommandItem:
    """One run of a command."""
    result = CommandResult.from_json(run.result)
    known = BY_NAME.get(run.name)
    running = run.status == "running"
    words = command_runner().words([run.id]).get(run.id, "") if running else ""
    return CommandItem(
        run=run,
        words=words or (known.doing(run.argument) if known and running else ""),
        text_html=markdown.render(result.text) if result.text else markdown.NOTHING,
        cards=tuple(_shown(one) for one in result.cards),
        rows=tuple(_shown(one) for one in result.rows),
        again=run.status == "interrupted" or (bool(run.result.get("passing")) and run.name != "file"),
    )


def _shown(entry: Entry) -> ShownEntry:
    return ShownEntry(
        entry=entry,
        link=entry.url if entry.url.lower().startswith(("http://", "https://")) else "",
        folded=len(entry.text) > _SHOWN_CHARS,
        buttons=tuple(Button(one.label, one.command, one.edit) for one in entry.actions),
    )
