"""What is kept after the answer: answer, workflow and turn together, then what is learned from it.

`finish` belongs to the turn; `learn` runs after it, never delays or fails it, and records on the
turn how each of its steps went, so that what failed can be tried again (promise 8).
"""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from researchassist.errors import UnknownTurn
from researchassist.llm.counted import CountedModel
from researchassist.llm.types import LanguageModel
from researchassist.llm.watched import Limits, WatchedModel
from researchassist.memory.models import Outcome
from researchassist.memory.records import TurnRecord
from researchassist.memory.thread_records import WORDS

from .assistant import Assistant
from .condense import alone
from .events import HelperEnded, TurnEvent
from .extract import extract_entities
from .lesson import learn_lesson
from .paging import Pager
from .remember import remember
from .run import Run
from .titles import write_title

log = logging.getLogger(__name__)

PENDING, OK, FAILED, SKIPPED = "pending", "ok", "failed", "skipped"
# Messages embedded after one answer: its own two, and some of an imported or interrupted history.
_EMBEDDED = 32
NO_MODEL = "No language model is set."
PRIVATE = "This conversation is private: nothing of it is kept for others."
OFF = "Memory is off."
# Steps that wait for a later turn where they failed: what they would keep is lost otherwise.
RETRIED = ("lesson", "facts")
_MOST_ATTEMPTS = 3
_CAUGHT_UP = 2


def finish(run: Run) -> TurnRecord:
    """Commits the answer, the workflow where there were steps, and the turn, in one transaction.

    A turn that was stopped before it wrote anything ends without an answer.
    """
    if run.outcome == Outcome.STOPPED and not run.text.strip():
        return finish_without_answer(
            run.assistant, run.turn, run, Outcome.STOPPED, "Stopped before anything was written."
        )
    return run.assistant.memory.finish_turn(
        run.turn,
        outcome=run.outcome,
        answer=run.text,
        steps=run.steps,
        used=run.manifest(),
        helpers={name: {"status": PENDING} for name in _steps(run)},
    )


def _steps(run: Run) -> list[str]:
    """What is to be done after the answer: the thread is named once, all else each time."""
    named = run.assistant.memory.thread(run.turn.thread_id).titled_by != WORDS
    return [name for name in _HELPERS if name != "title" or not named]


def finish_without_answer(
    assistant: Assistant, turn: TurnRecord, run: Run | None, outcome: str, sentence: str
) -> TurnRecord:
    """Ends a turn that has no answer; what was written so far and what was used are kept.

    A turn that was deleted meanwhile is given back as it was.
    """
    try:
        return assistant.memory.end_turn_without_answer(
            turn.id,
            outcome=outcome,
            error=sentence,
            partial_text=run.text if run else "",
            steps=run.steps if run else (),
            used=_used(run) if run else None,
        )
    except UnknownTurn:
        return turn


def _used(run: Run) -> dict[str, Any] | None:
    """The manifest, or none where even that fails: that the turn ends matters more."""
    try:
        return run.manifest()
    except Exception:
        log.warning("What a failed turn used could not be told.", exc_info=True)
        return None


def learn(assistant: Assistant, turn_id: str) -> Iterator[TurnEvent]:
    """Runs the steps after the answer that are pending or failed.

    Does nothing without an answer. What is left to do of a turn that was deleted or superseded
    meanwhile is not done.
    """
    bounded = _bounded(assistant)
    yield from _learn(bounded, turn_id, (PENDING, FAILED))
    for waiting in assistant.memory.turns_with_a_helper_to_retry(RETRIED, besides=turn_id, limit=_CAUGHT_UP):
        yield from _learn(bounded, waiting.id, (PENDING,), only=RETRIED)


def _learn(
    assistant: Assistant, turn_id: str, statuses: Collection[str], only: Collection[str] = ()
) -> Iterator[TurnEvent]:
    """Runs the steps of one turn that have one of these statuses."""
    turn = _still_there(assistant, turn_id)
    for name, state in (turn.helpers if turn else {}).items():
        if state["status"] not in statuses or (only and name not in only):
            continue
        turn = _still_there(assistant, turn_id)
        if turn is None:
            return
        after = _attempt(_HELPERS[name], within_time(assistant), turn)
        if name in RETRIED:
            after = _to_be_retried(state, after)
        assistant.memory.note_helper(turn.id, name, after)
        yield HelperEnded(name, after)


def _to_be_retried(before: Mapping[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """A failed attempt as one that waits for the next, while there may be one."""
    attempts = int(before.get("attempts", 0)) + 1
    if after["status"] != FAILED:
        return after
    return after | {"status": PENDING if attempts < _MOST_ATTEMPTS else FAILED, "attempts": attempts}


def _bounded(assistant: Assistant) -> Assistant:
    """The assistant with a writer that answers only as often as the steps of one turn may ask."""
    if assistant.writer is None:
        return assistant
    return _with_writer(assistant, CountedModel(assistant.writer, assistant.options.helper_calls))


def _still_there(assistant: Assistant, turn_id: str) -> TurnRecord | None:
    """The turn while it is part of its conversation."""
    try:
        turn = assistant.memory.turn(turn_id)
    except UnknownTurn:
        return None
    return None if turn.question.superseded_at else turn


def within_time(assistant: Assistant) -> Assistant:
    """The assistant with a writer that is given up after the time a turn may take."""
    if assistant.writer is None:
        return assistant
    options = assistant.options
    deadline = time.monotonic() + options.turn_seconds
    limits = Limits(deadline, options.first_token_timeout, options.token_timeout)
    return _with_writer(assistant, WatchedModel(assistant.writer, lambda: False, limits))


def _with_writer(assistant: Assistant, writer: LanguageModel) -> Assistant:
    return replace(assistant, writer=writer, condenser=replace(assistant.condenser, writer=writer))


def _attempt(
    helper: Callable[[Assistant, TurnRecord], dict[str, Any]], assistant: Assistant, turn: TurnRecord
) -> dict[str, Any]:
    """How one step went. Whatever it raises stays here: the answer stands (R12)."""
    try:
        return helper(assistant, turn)
    except Exception as error:
        log.warning("A step after the answer failed.", exc_info=True)
        return {"status": FAILED, "error": str(error) or type(error).__name__}


def _title(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    """Names the thread by its first exchange, unless the person did meanwhile."""
    if assistant.writer is None:
        return {"status": SKIPPED, "error": NO_MODEL}
    question, answer = assistant.memory.first_exchange(turn.thread_id)
    title = write_title(question or turn.question.content, answer, assistant.writer)
    assistant.memory.title_thread(turn.thread_id, title)
    return {"status": OK, "names": [title]}


def _entities_of_question(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    return _entities(assistant, turn, turn.question.content)


def _entities_of_answer(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    return _entities(assistant, turn, turn.answer.content if turn.answer else "")


def _entities(assistant: Assistant, turn: TurnRecord, text: str) -> dict[str, Any]:
    """R12: extracts and keeps the entities of a text; a private thread leaves none."""
    if assistant.writer is None:
        return {"status": SKIPPED, "error": NO_MODEL}
    if assistant.memory.privacy(turn.thread_id):
        return {"status": SKIPPED, "error": PRIVATE}
    found = extract_entities(text, assistant.writer)
    names = [assistant.memory.write_entity(d.name, d.type, d.description).name for d in found.drafts]
    return {"status": OK, "names": names} | ({"problem": found.problem} if found.problem else {})


def _condense(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    """Keeps the window small, by the policy; a thread that is being condensed already is left alone."""
    with alone(turn.thread_id) as free:
        if not free:
            return {"status": OK, "summaries": []}
        paged = assistant.options.context_policy == "page"
        return _evict(assistant, turn) if paged else _condense_old(assistant, turn)


def _evict(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    """Evicts the oldest messages where the next request would be above the threshold."""
    pager = Pager(assistant.memory, assistant.writer, assistant.tokens)
    made = pager.evict(turn.thread_id, beside=turn.used.get("beside", 0))
    state: dict[str, Any] = {"status": OK, "summaries": [one.record.id for one in made]}
    if made:
        before, after = made[0].running.tokens_before, made[-1].running.tokens_after
        state |= {"tokens_before": before, "tokens_after": after}
    problems = [one.running.problem for one in made if one.running.problem]
    return state | ({"problem": problems[0]} if problems else {})


def _condense_old(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    """Condenses what fell out of the window once it is more than `condense_after` messages."""
    options = assistant.options
    waiting = len(assistant.memory.unconsolidated_messages(turn.thread_id)) - options.conversation_limit
    if waiting <= options.condense_after:
        return {"status": OK, "summaries": []}
    made = assistant.condenser.condense_thread(turn.thread_id, keep=options.conversation_limit)
    problems = [one.problem for one in made if one.problem]
    state: dict[str, Any] = {"status": OK, "summaries": [one.record.id for one in made]}
    return state | ({"problem": problems[0]} if problems else {})


def _lesson(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    """Keeps what a turn with tool calls taught."""
    if assistant.writer is None:
        return {"status": SKIPPED, "error": NO_MODEL}
    if not assistant.memory.may_remember(turn.thread_id):
        return {"status": SKIPPED, "error": PRIVATE if assistant.memory.privacy(turn.thread_id) else OFF}
    return {"status": OK, **learn_lesson(assistant, assistant.writer, turn)}


def _facts(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    """Remembers what the person said of themselves."""
    # Also what a process that died between an edit and this left to do.
    assistant.memory.settle_facts()
    if assistant.writer is None:
        return {"status": SKIPPED, "error": NO_MODEL}
    if not assistant.memory.may_remember(turn.thread_id):
        return {"status": SKIPPED, "error": PRIVATE if assistant.memory.privacy(turn.thread_id) else OFF}
    return {"status": OK, **remember(assistant, assistant.writer, turn)}


def _recall(assistant: Assistant, turn: TurnRecord) -> dict[str, Any]:
    """Embeds what was said in this turn, and some of what was not embedded before, for recall_search."""
    del turn
    return {"status": OK, "waiting": assistant.memory.embed_messages(_EMBEDDED)}


_HELPERS: dict[str, Callable[[Assistant, TurnRecord], dict[str, Any]]] = {
    "recall": _recall,
    "entities_question": _entities_of_question,
    "entities_answer": _entities_of_answer,
    "condense": _condense,
    "title": _title,
    "lesson": _lesson,
    "facts": _facts,
}
