"""Plain values about threads beside their record: the part of one that a page shows, who titled it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from .records import CommandRunRecord, MessageRecord, TurnRecord

TITLE_CHARS = 80
# Who gave a title. One of a person is never overwritten.
WORDS, MODEL, PERSON = "words", "model", "person"


@dataclass(frozen=True)
class Window:
    """A part of a thread, oldest first. `messages` are those that begin an item, `turns` those of the
    questions among them. `earlier` and `later` are where to go on from, None at either end."""

    messages: tuple[MessageRecord, ...]
    turns: tuple[TurnRecord, ...]
    runs: tuple[CommandRunRecord, ...]
    earlier: datetime | None = None
    later: datetime | None = None

    @property
    def times(self) -> list[datetime]:
        """When its items began."""
        return sorted([*(m.timestamp for m in self.messages), *(run.started_at for run in self.runs)])

    def cut(self, times: Sequence[datetime]) -> "Window":
        """The same with the items that began at these times alone."""
        kept = set(times)
        messages = tuple(m for m in self.messages if m.timestamp in kept)
        ids = {message.id for message in messages}
        return Window(
            messages,
            tuple(turn for turn in self.turns if turn.question.id in ids),
            tuple(run for run in self.runs if run.started_at in kept),
        )


@dataclass(frozen=True)
class Size:
    """How much a part holds: at most `items`; fewer, but at least `least`, where they are long."""

    items: int = 20
    least: int = 4
    characters: int = 60_000


@dataclass(frozen=True, kw_only=True)
class DeletedThreadRecord:
    """A deleted conversation; one that cannot come back has no title any more."""

    id: str
    title: str
    deleted_at: datetime
    can_come_back: bool
