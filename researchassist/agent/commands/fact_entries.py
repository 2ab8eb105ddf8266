"""Facts and what was done to them as entries of a result, and the number a command means one by."""

from researchassist.errors import CommandRefused
from researchassist.memory.fact_records import SUBJECT_PERSON, FactChangeRecord, FactRecord, LessonRecord
from researchassist.memory.manager import MemoryManager

from .definition import Action, Entry
from .entries import counted, day, moment

_DONE = {
    "ADD": "remembered",
    "UPDATE": "completed",
    "DELETE": "replaced",
    "NOOP": "nothing changed",
    "FORGET": "forgotten",
    "LIFT": "no longer held back",
    "UNDO": "taken back",
}
_BY = {
    "writer": "by the assistant",
    "person": "by you",
    "reflection": "drawn together",
    "import": "by an import",
    "branch": "with its message",
}
_STATES = {"replaced": "replaced since", "forgotten": "forgotten"}


def fact_entry(fact: FactRecord, *, actions: tuple[Action, ...] = ()) -> Entry:
    """A fact: its number, kind, since when, how often used, and the message it came from."""
    facts = (
        _STATES.get(fact.state, ""),
        fact.kind,
        fact.attribute if fact.subject == SUBJECT_PERSON else f"{fact.attribute} of {fact.subject}",
        f"since {day(fact.told_at)}",
        f"importance {fact.importance}",
        f"used {counted(fact.uses, 'time')}" if fact.uses else "not used yet",
    )
    return Entry(
        title=fact.text,
        number=str(fact.id),
        facts=tuple(one for one in facts if one),
        thread_id=(fact.thread_id or "") if fact.message_id else "",
        message_id=fact.message_id or "",
        actions=actions,
    )


def with_buttons(fact: FactRecord) -> Entry:
    """A fact with what can be done about it."""
    return fact_entry(
        fact, actions=(Action("Why", f"/why {fact.id}"), Action("Forget", f"/forget {fact.id}"))
    )


def lesson_entry(lesson: LessonRecord) -> Entry:
    """A lesson of earlier work, with the button that takes it out."""
    kind = str(lesson.meta.get("task_type", ""))
    facts = (
        kind,
        "" if lesson.success else "from work that failed",
        f"since {day(lesson.timestamp)}",
        f"drawn into fact {lesson.promoted_to}" if lesson.promoted_to else "",
    )
    return Entry(
        title=lesson.lesson,
        number=str(lesson.id),
        facts=tuple(one for one in facts if one),
        text=lesson.task,
        actions=(Action("Forget", f"/forget lesson {lesson.id}"),),
    )


def undo_button(memory: MemoryManager, fact_id: int) -> tuple[Action, ...]:
    """The button that takes back the latest change of a fact, whatever is changed meanwhile."""
    undoable = [change for change in memory.fact_changes(fact_id) if change.undoable]
    own = [change for change in undoable if change.fact_id == fact_id]
    return (Action("Undo", f"/undo {own[-1].id}"),) if own else ()


def change_entry(change: FactChangeRecord) -> Entry:
    """One operation of the history: what, by whom, when, on what, before and after."""
    before, after = change.before.get("text", ""), change.after.get("text", "")
    facts = (
        moment(change.at),
        _BY.get(change.by, change.by),
        f"fact {change.fact_id}" if change.fact_id else "",
        change.reason,
        "undone since" if change.undone_at else "",
    )
    return Entry(
        title=f"{change.operation}: {_DONE.get(change.operation, '')}".strip(": "),
        number=str(change.id),
        facts=tuple(one for one in facts if one),
        text=_changed(str(before), str(after)) or change.candidate,
        actions=(Action("Undo", f"/undo {change.id}"),) if change.undoable else (),
    )


def _changed(before: str, after: str) -> str:
    if before and after and before != after:
        return f"{before}\n→ {after}"
    return after or before


def fact_number(argument: str, usage: str) -> int:
    """The number a person typed; raises CommandRefused where it is none."""
    text = argument.strip().lstrip("#")
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise CommandRefused(f"Give the number of one fact, as /memory lists them: {usage} 3")
    return int(text)
