"""Remembering after the answer: facts out of the person's message, in one step or not at all.

Everything that asks the model comes first; then all that was decided is written in one transaction. How
it went is kept on the turn by writeback.py, which also tries again what failed.
"""

from typing import Any

from researchassist.llm.types import LanguageModel
from researchassist.memory.fact_records import FactDecision, FactOutcome
from researchassist.memory.records import TurnRecord

from .assistant import Assistant
from .fact_extraction import Said, extract_facts
from .fact_update import decide
from .own_words import may_tell

WRITER = "writer"
KEPT = ("added", "replaced", "updated")


def remember(assistant: Assistant, writer: LanguageModel, turn: TurnRecord) -> dict[str, Any]:
    """Keeps what the person said in this turn; raises ModelError where the model could not tell.

    Gives what was remembered, and why something was not, for the turn's own record. A message that
    tells nothing by its words costs no model call.
    """
    memory, options = assistant.memory, assistant.options
    before, summary = memory.said_before(turn.question)
    if not may_tell(turn.question.content, before):
        return {"remembered": []}
    answer = turn.answer.content if turn.answer else ""
    said = Said(turn.question, before, answer, summary)
    extracted = extract_facts(said, writer, most=options.facts_per_turn)
    decisions: list[FactDecision] = []
    problems = list(extracted.refused)
    for draft in extracted.drafts:
        judged = decide(draft, memory.similar_facts(draft), writer)
        if judged.decision is None:
            problems.append(judged.problem)
        else:
            decisions.append(judged.decision)
    outcomes = memory.write_facts(decisions, by=WRITER, turn_id=turn.id) if decisions else []
    return _told(outcomes, problems)


def _told(outcomes: list[FactOutcome], problems: list[str]) -> dict[str, Any]:
    """What became of it, as the turn keeps it."""
    kept = [one.draft.text for one in outcomes if one.status in KEPT]
    problems += [one.reason for one in outcomes if one.status == "refused"]
    told: dict[str, Any] = {"remembered": kept}
    return told | ({"problem": " ".join(dict.fromkeys(problems))} if problems else {})
