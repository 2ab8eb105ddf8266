"""The quiet line under an answer: what was remembered of the message, with undo."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from researchassist.agent import fact_control
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import TurnRecord

# A page looks again for so long after the answer, ever more seldom.
_LOOKS_FOR = timedelta(minutes=5)
_SOON, _LATER = 2, 10
_HURRY = timedelta(seconds=20)


@dataclass(frozen=True)
class Remembered:
    """What was remembered after one answer and stands. `again` is the seconds after which to look
    again, 0 where it is known; `undone` where it was just taken back."""

    turn_id: str
    texts: tuple[str, ...] = ()
    again: int = 0
    undone: bool = False


def remembered_after(memory: MemoryManager, turns: Sequence[TurnRecord]) -> dict[str, Remembered]:
    """By turn, where there is something to say or to wait for."""
    changes = memory.fact_changes_of_turns([turn.id for turn in turns]) if turns else []
    found = {}
    for turn in turns:
        texts = tuple(fact_control.kept_by([one for one in changes if one.turn_id == turn.id]))
        again = 0 if texts else _again(turn)
        if texts or again:
            found[turn.id] = Remembered(turn.id, texts, again)
    return found


def _again(turn: TurnRecord) -> int:
    """After how many seconds to look whether the step after the answer has been done; 0 for not again."""
    state = turn.helpers.get("facts", {})
    if turn.finished_at is None or state.get("status") != "pending" or state.get("attempts"):
        return 0
    age = timezone.now() - turn.finished_at
    return 0 if age > _LOOKS_FOR else _SOON if age < _HURRY else _LATER
