"""Facts in the person's hands: told, looked for, forgotten and taken back at their word.

What the model learns by itself is remember.py's; the rules of writing are the store's.
"""

from collections.abc import Sequence
from dataclasses import replace

from researchassist.errors import MemoryRefused, ModelError
from researchassist.llm.types import LanguageModel
from researchassist.memory import clock
from researchassist.memory.fact_records import (
    FactChangeRecord,
    FactDecision,
    FactDraft,
    FactOutcome,
    FactRecord,
)
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import FactKind
from researchassist.memory.records import MessageRecord
from researchassist.memory.sameness import content_words
from researchassist.memory.stores.fact_changes import unfit
from researchassist.memory.text import storable

from .assistant import Assistant
from .fact_extraction import Said, extract_facts
from .fact_update import decide

PERSON = "person"
# What somebody takes the trouble to type is not trivial.
_IMPORTANCE = 7
OFF = "Not remembered: memory is off. /memory on turns it on."
PRIVATE = "Not remembered: this conversation is private. /private off ends that."
NOTHING_TO_UNDO = "Nothing was changed in memory that could be undone."


def tell(assistant: Assistant, text: str, thread_id: str) -> FactOutcome:
    """Keeps what the person types as a fact, whatever was forgotten before; raises MemoryRefused.

    With a writer model it is filed and compared with what is known; where that fails it is kept as it
    was typed.
    """
    memory, writer = assistant.memory, assistant.writer
    if not memory.may_remember(thread_id):
        raise MemoryRefused(PRIVATE if memory.privacy(thread_id) else OFF)
    draft = _filed(writer, text)
    if why := unfit(draft):
        raise MemoryRefused(f"Not remembered: {why}")
    decision = FactDecision(draft)
    if writer is not None:
        try:
            decision = decide(draft, memory.similar_facts(draft), writer).decision or decision
        except ModelError:
            decision = FactDecision(draft)
    [outcome] = memory.write_facts([decision], by=PERSON, lift=True)
    if outcome.status == "refused":
        raise MemoryRefused(f"Not remembered: {outcome.reason}")
    return outcome


def matching(memory: MemoryManager, words: str) -> list[FactRecord]:
    """The facts that have all these words, in the order they were told."""
    wanted = words.casefold().split()
    carrying = content_words(words)
    return [
        fact
        for fact in memory.facts()
        if all(word in fact.text.casefold() for word in wanted)
        or (carrying and carrying <= content_words(fact.text))
    ]


def undo_latest(memory: MemoryManager) -> list[FactChangeRecord]:
    """Takes the newest change of facts back, with what was done in the same step."""
    latest = memory.latest_fact_change()
    if latest is None:
        raise MemoryRefused(NOTHING_TO_UNDO)
    return memory.undo_facts([latest.batch])


def undo_change(memory: MemoryManager, change_id: int) -> list[FactChangeRecord]:
    """Takes one change back by its number, with what was done in the same step; raises MemoryRefused."""
    for change in memory.fact_changes():
        if change.id == change_id and change.undoable:
            return memory.undo_facts([change.batch])
    raise MemoryRefused(f"There is no change {change_id} that could be undone.")


def undo_turn(memory: MemoryManager, turn_id: str) -> list[FactChangeRecord]:
    """Takes back all that was remembered after one answer; raises MemoryRefused."""
    changes = memory.fact_changes_of_turns([turn_id])
    if not changes:
        raise MemoryRefused(NOTHING_TO_UNDO)
    return memory.undo_facts(list(dict.fromkeys(change.batch for change in changes)))


def kept_by(changes: Sequence[FactChangeRecord]) -> list[str]:
    """The texts that changes added or completed, in order."""
    return [
        str(change.after["text"])
        for change in changes
        if change.operation in ("ADD", "UPDATE") and "text" in change.after
    ]


def _filed(writer: LanguageModel | None, text: str) -> FactDraft:
    """What was typed as a draft: as the writer model puts it where that passes all checks, else as it is."""
    line = " ".join(storable(text).split())
    plain = FactDraft(text=line, kind=FactKind.SEMANTIC, importance=_IMPORTANCE, quote=line)
    if writer is None or unfit(plain):
        return plain
    message = MessageRecord(id="", thread_id="", role="user", content=line, timestamp=clock.now())
    try:
        found = extract_facts(Said(message), writer, most=2).drafts
    except ModelError:
        return plain
    if len(found) != 1 or content_words(found[0].text) != content_words(line):
        # Several facts, or fewer words than were typed: the person's own sentence is what they want kept.
        kind = found[0] if len(found) == 1 else plain
        return replace(plain, kind=kind.kind, subject=kind.subject, attribute=kind.attribute)
    return replace(found[0], importance=max(found[0].importance, _IMPORTANCE), message_id=None, quote=line)
