"""Reflection: what repeats becomes a lasting fact, with its sources, once.

Episodes of the person that repeat and matter become a semantic fact about them; lessons that recur become
a fact about the work, never about the person. A bounded step after a session, or `manage.py reflect`.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TypeVar

from researchassist.errors import ModelError
from researchassist.llm.types import LanguageModel, complete
from researchassist.llm.watched import StreamEnded
from researchassist.memory.fact_records import (
    SUBJECT_WORK,
    FactDecision,
    FactDraft,
    FactRecord,
    LessonRecord,
)
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import FactKind
from researchassist.memory.sameness import content_words, says_part_of, specifics, words

from .assistant import Assistant
from .context import new_fence
from .prompts import render
from .replies import read_json

log = logging.getLogger(__name__)

BY = "reflection"
_TOKENS = 400
_IMPORTANT = 5
_WORK_IMPORTANCE = 6
# Two episodes are of one kind where so many of the words that carry the shorter stand in the other.
_ALIKE = 0.5
_LOOKED_AT = 500
_ABOUT_PERSON = 'Begin with "User".'
_ABOUT_WORK = "It is about the work; nothing about a person."

Note = TypeVar("Note", FactRecord, LessonRecord)


@dataclass(frozen=True)
class Reflected:
    """The texts of the facts that were drawn, and why others were not."""

    drawn: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def reflect(assistant: Assistant, *, most: int = 3) -> Reflected:
    """Draws at most `most` facts from what repeats. Without a writer model only lessons are drawn
    together, by the longest of them."""
    memory, writer = assistant.memory, assistant.writer
    jobs = [
        *((group[-1].told_at, partial(_promote_facts, memory, writer, group)) for group in _repeated(memory)),
        *(
            (group[-1].timestamp, partial(_promote_lessons, memory, writer, group))
            for group in _recurring(memory)
        ),
    ]
    drawn, problems = [], []
    # What grew last comes first: groups that the model draws nothing from stay, and would hold others off.
    for _, job in sorted(jobs, key=itemgetter(0), reverse=True)[:most]:
        try:
            text = job()
        except (ModelError, StreamEnded) as error:
            problems.append(str(error))
        else:
            drawn += [text] if text else []
    if drawn:
        log.info("Reflection drew %d facts.", len(drawn))
    return Reflected(tuple(drawn), tuple(problems))


def _repeated(memory: MemoryManager) -> list[list[FactRecord]]:
    """Groups of episodes of the person that say much the same, matter, and were not drawn from yet."""
    found = [
        fact for fact in memory.facts()[-_LOOKED_AT:] if fact.kind == FactKind.EPISODIC and not fact.promoted
    ]
    groups = _grouped(found, lambda one: one.text, lambda a, b: a.attribute == b.attribute)
    return [
        group
        for group in groups
        if len(group) >= memory.options.reflect_repeats
        and sum(one.importance for one in group) >= _IMPORTANT * len(group)
    ]


def _recurring(memory: MemoryManager) -> list[list[LessonRecord]]:
    """Groups of at least two lessons of one kind of task that were not drawn from yet."""
    found = [one for one in memory.lessons()[-_LOOKED_AT:] if one.promoted_to is None and one.success]
    groups = _grouped(found, lambda one: one.lesson, lambda a, b: _kind(a.meta) == _kind(b.meta), shared=1)
    return [group for group in groups if len(group) > 1]


def _grouped(
    notes: Sequence[Note], text: Callable[[Note], str], may: Callable[[Note, Note], bool], *, shared: int = 0
) -> list[list[Note]]:
    """Notes that are alike, each in one group: `shared` words suffice, or else half of the shorter's."""
    groups: list[list[Note]] = []
    for note in notes:
        for group in groups:
            if may(group[0], note) and _are_alike(text(group[0]), text(note), shared):
                group.append(note)
                break
        else:
            groups.append([note])
    return groups


def _are_alike(one: str, other: str, shared: int) -> bool:
    first, second = content_words(one), content_words(other)
    needed = shared or max(2, round(_ALIKE * min(len(first), len(second))))
    return len(first & second) >= needed


def _promote_facts(memory: MemoryManager, writer: LanguageModel | None, group: list[FactRecord]) -> str:
    """The lasting fact drawn from episodes of the person, "" where there is none."""
    if writer is None:
        return ""
    text = _statement(writer, [one.text for one in group], _ABOUT_PERSON)
    if not text:
        return ""
    draft = FactDraft(
        text=text,
        kind=FactKind.SEMANTIC,
        importance=max(one.importance for one in group),
        subject=group[0].subject,
        attribute=group[0].attribute,
        sources=tuple(f"fact {one.id}" for one in group),
    )
    drawn, fact_id = _kept(memory, draft)
    if fact_id is not None:
        memory.promote_facts([one.id for one in group], fact_id)
    return drawn


def _promote_lessons(memory: MemoryManager, writer: LanguageModel | None, group: list[LessonRecord]) -> str:
    """The fact about the work drawn from lessons that recur."""
    longest = max((one.lesson for one in group), key=len)
    text = _statement(writer, [one.lesson for one in group], _ABOUT_WORK) if writer else longest
    if not text:
        return ""
    known = [
        fact for fact in memory.facts() if fact.subject == SUBJECT_WORK and says_part_of(text, fact.text)
    ]
    sources = tuple(f"episode {one.id}" for one in group)
    draft = FactDraft(
        text=text,
        kind=FactKind.SEMANTIC,
        importance=_WORK_IMPORTANCE,
        subject=SUBJECT_WORK,
        attribute="lesson",
        sources=sources,
    )
    drawn, fact_id = ("", known[0].id) if known else _kept(memory, draft)
    if fact_id is not None:
        memory.promote_lessons([one.id for one in group], fact_id)
    return drawn


def _kept(memory: MemoryManager, draft: FactDraft) -> tuple[str, int | None]:
    """The text and number of a fact that was added; no text where it was known or forgotten."""
    [outcome] = memory.write_facts([FactDecision(draft)], by=BY)
    return (draft.text if outcome.status == "added" else "", outcome.fact_id)


def _statement(writer: LanguageModel, notes: list[str], about: str) -> str:
    """What the notes have in common, "" where the model says nothing that they all but say."""
    prompt = render("reflect", about=about, fence=new_fence(), notes="\n".join(f"- {note}" for note in notes))
    reply = read_json(complete(writer, prompt, max_tokens=_TOKENS)).value
    text = " ".join(str(reply.get("statement", "")).split()) if isinstance(reply, Mapping) else ""
    known, carrying = "\n".join(notes), content_words(text)
    grounded = len(carrying & content_words(known)) * 2 >= len(carrying) > 0
    return text if grounded and specifics(text) <= words(known) else ""


def _kind(meta: Mapping[str, object]) -> str:
    return str(meta.get("task_type", ""))
