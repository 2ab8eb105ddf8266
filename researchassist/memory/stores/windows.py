"""A part of a thread as the page shows it: the latest, what came before, what comes after.

Owns which messages, turns and runs of commands belong to a part, in a number of queries and rows that
does not grow with the thread. An item of the page begins with a question, a message that belongs to no
turn, or a run of a command; an answer goes with its question.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from researchassist.memory.models import CommandRun, ConversationalMemory, Turn
from researchassist.memory.records import MessageRecord
from researchassist.memory.thread_records import Size, Window

from . import commands, conversational, turns


def before(thread_id: str, time: datetime | None, size: Size) -> Window:
    """The latest part of a thread, or the one before `time`."""
    rows, runs = _messages(thread_id), _runs(thread_id)
    if time is not None:
        rows, runs = rows.filter(timestamp__lt=time), runs.filter(started_at__lt=time)
    most = 2 * size.items + 1
    read = list(rows.order_by("-timestamp")[:most])
    ran = list(runs.order_by("-started_at")[: size.items + 1])
    window = _window(read, ran)
    times = window.times
    # Runs of commands and messages are read apart: what is older than all of one kind that was read,
    # where there is more of it, may have something between.
    floors = [read[-1].timestamp] if len(read) == most else []
    floors += [ran[-1].started_at] if len(ran) > size.items else []
    whole = [at for at in times if not floors or at > max(floors)] or times[-1:]
    kept = _fitting(window, list(reversed(whole)), size)
    part = window.cut(kept)
    more = bool(floors) or len(kept) < len(times)
    return Window(part.messages, part.turns, part.runs, earlier=min(kept) if more and kept else None)


def after(thread_id: str, time: datetime, size: Size) -> Window:
    """The part of a thread after `time`."""
    most = 2 * size.items + 1
    read = list(_messages(thread_id).filter(timestamp__gt=time).order_by("timestamp")[:most])
    ran = list(_runs(thread_id).filter(started_at__gt=time).order_by("started_at")[: size.items + 1])
    window = _window(read, ran)
    times = window.times
    ceilings = [read[-1].timestamp] if len(read) == most else []
    ceilings += [ran[-1].started_at] if len(ran) > size.items else []
    whole = [at for at in times if not ceilings or at < min(ceilings)] or times[:1]
    kept = _fitting(window, whole, size)
    part = window.cut(kept)
    more = bool(ceilings) or len(kept) < len(times)
    return Window(part.messages, part.turns, part.runs, later=max(kept) if more and kept else None)


def around(thread_id: str, message: MessageRecord, size: Size) -> Window:
    """The latest part where it has the message, else one with the message in it."""
    head = _head(message)
    latest = before(thread_id, None, size)
    if latest.earlier is None or latest.earlier <= head:
        return latest
    half = Size(size.items // 2, size.least, size.characters // 2)
    first = before(thread_id, head + timedelta(microseconds=1), half)
    second = after(thread_id, head, half)
    return Window(
        first.messages + second.messages,
        first.turns + second.turns,
        first.runs + second.runs,
        earlier=first.earlier,
        later=second.later,
    )


def _messages(thread_id: str) -> QuerySet[ConversationalMemory]:
    return ConversationalMemory.objects.filter(thread_id=thread_id, superseded_at=None)


def _runs(thread_id: str) -> QuerySet[CommandRun]:
    return CommandRun.objects.filter(thread_id=thread_id)


def _head(message: MessageRecord) -> datetime:
    """When the item of this message began."""
    asked = Turn.objects.filter(answer_id=int(message.id)).select_related("question").first()
    return asked.question.timestamp if asked else message.timestamp


def _window(rows: Iterable[ConversationalMemory], runs: Iterable[CommandRun]) -> Window:
    """Everything that begins among these rows."""
    ids = [row.pk for row in rows]
    asked = Turn.objects.select_related("question", "answer").filter(
        Q(question_id__in=ids) | Q(answer_id__in=ids)
    )
    found = list(asked.order_by("started_at", "pk"))
    answers = {turn.answer_id for turn in found}
    latest = {turn.question_id: turn for turn in found if turn.question_id in set(ids)}
    return Window(
        tuple(conversational.record(row) for row in rows if row.pk not in answers),
        tuple(turns.record(turn) for turn in latest.values()),
        tuple(commands.record(run) for run in runs),
    )


def _fitting(window: Window, times: Sequence[datetime], size: Size) -> list[datetime]:
    """The first of `times` that fit the size."""
    lengths = {m.timestamp: len(m.content) for m in window.messages}
    for turn in window.turns:
        lengths[turn.question.timestamp] += len(turn.answer.content if turn.answer else turn.partial_text)
    lengths |= {run.started_at: len(str(run.result)) for run in window.runs}
    kept: list[datetime] = []
    total = 0
    for time in times[: size.items]:
        total += lengths[time]
        if total > size.characters and len(kept) >= size.least:
            break
        kept.append(time)
    return kept
