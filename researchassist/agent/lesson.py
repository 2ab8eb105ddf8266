"""What a piece of work taught: one lesson beside its workflow, by the writer model, checked in code.

The model is given the task, the steps and the outcome, never what tools returned; a lesson is about the
work and never about the person, and says nothing that was not there.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from researchassist.errors import MemoryRefused, ModelError
from researchassist.llm.types import LanguageModel, complete
from researchassist.memory.fact_records import LessonRecord
from researchassist.memory.models import Outcome
from researchassist.memory.records import TurnRecord
from researchassist.memory.sameness import content_words, specifics, words

from .assistant import Assistant
from .context import new_fence
from .own_words import speaks_of_oneself
from .prompts import render
from .quotes import has_new_address
from .replies import read_json

LESSON_TOKENS = 800
NO_LESSON = "The model's reply was no lesson."
PERSONAL = "The lesson was about the person and was not kept."
UNSAID = "The lesson said more than the work and was not kept."
_PERSON = re.compile(r"\b(?:users?|person|people|he|she|his|her|prefers?|likes?|wants?)\b", re.IGNORECASE)
_GROUNDED = 0.5
_SHOWN = 3
_EXCERPT_CHARS = 400


def learn_lesson(assistant: Assistant, writer: LanguageModel, turn: TurnRecord) -> dict[str, Any]:
    """Keeps what a turn with tool calls taught; raises ModelError where the model could not tell.

    A turn without a workflow teaches nothing and costs no model call.
    """
    memory = assistant.memory
    workflow = memory.workflow_of_turn(turn.id) if turn.steps else None
    if workflow is None:
        return {"lesson": ""}
    earlier = memory.recall_lessons(turn.question.content, _SHOWN)
    reply = read_json(complete(writer, _prompt(turn, earlier), max_tokens=LESSON_TOKENS)).value
    if not isinstance(reply, Mapping) or not isinstance(reply.get("lesson"), str):
        raise ModelError(NO_LESSON)
    text = " ".join(reply["lesson"].split())
    if not text:
        return {"lesson": ""}
    if problem := why_not(text, turn):
        return {"lesson": "", "problem": problem}
    meta = {"task_type": " ".join(str(reply.get("task_type", "")).casefold().split())[:40]}
    try:
        kept = memory.write_lesson(workflow, text, meta, _contradicted(reply.get("contradicts"), earlier))
    except MemoryRefused as error:
        return {"lesson": "", "problem": str(error)}
    return {"lesson": kept.lesson}


def why_not(lesson: str, turn: TurnRecord) -> str:
    """Why a lesson is not kept, "" where it may be."""
    if _PERSON.search(lesson) or speaks_of_oneself(lesson):
        return PERSONAL
    known = _material(turn)
    carrying = content_words(lesson)
    grounded = len(carrying & content_words(known)) >= _GROUNDED * len(carrying)
    if not carrying or not grounded or not specifics(lesson) <= words(known):
        return UNSAID
    return UNSAID if has_new_address(lesson, turn.question.content) else ""


def _material(turn: TurnRecord) -> str:
    """All that a lesson of this turn may rest on."""
    outcome = turn.answer.content[:_EXCERPT_CHARS] if turn.answer else ""
    return "\n".join([turn.question.content, *turn.steps, outcome])


def _prompt(turn: TurnRecord, earlier: Sequence[LessonRecord]) -> str:
    numbered = (f"{number}. {one.lesson}" for number, one in enumerate(earlier, 1))
    return render(
        "lesson",
        earlier="\n".join(numbered) or "(none)",
        fence=new_fence(),
        task=turn.question.content[: 2 * _EXCERPT_CHARS],
        steps="\n".join(f"{number}. {step}" for number, step in enumerate(turn.steps, 1)),
        ended="ended with an answer" if turn.outcome == Outcome.ANSWERED else "did not end with an answer",
        outcome=turn.answer.content[:_EXCERPT_CHARS] if turn.answer else "(none)",
    )


def _contradicted(value: Any, earlier: Sequence[LessonRecord]) -> list[int]:
    """The lessons that were shown and are named."""
    numbers = value if isinstance(value, list) else []
    return [one.id for number, one in enumerate(earlier, 1) if number in numbers]
