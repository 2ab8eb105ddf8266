"""What the system message holds of the person: sections in a fixed order, each within its own allowance.

Owns the order, the tags around each and the cutting; what a section says is read here from memory.
Another section is a function listed in READERS; where it stands is the order of allowances.LINES.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import fenced
from researchassist.memory.records import MessageRecord

from . import recall
from .allowances import allowances
from .budget import estimate, weigh
from .running_summary import text_of

_CUT = "[… cut to stay within its allowance; /memory shows all of it]"


@dataclass(frozen=True)
class Section:
    """One section. `key` is its line of the window (allowances.LINES); `heading` and `use` are ours,
    `text` is remembered. With `first` it stands above the instructions, else below them.

    `given` says in short, for what an answer used, what stood in it: lines, or plain values as JSON.
    """

    key: str
    heading: str
    use: str
    text: str
    first: bool = False
    given: Sequence[Any] = ()

    def content(self, tag: str) -> str:
        """The section as it stands in the system message."""
        return f"# {self.heading}\n{self.use}\n{fenced(self.text, tag, [('name', self.key)])}"


@dataclass(frozen=True)
class Shown:
    """What stands in the request besides, so that nothing stands there twice: messages by id, what the
    person stated in them, and the texts of summaries' labels and of other sections."""

    message_ids: frozenset[str] = frozenset()
    stated: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


Reader = Callable[[MemoryManager, MessageRecord, Shown], Section | None]


def profile(memory: MemoryManager, question: MessageRecord, shown: Shown) -> Section | None:
    """What earlier sessions told of the person; it stands above the instructions."""
    del question, shown
    version = memory.profile()
    if version is None or not version.text:
        return None
    return Section(
        key="profile",
        heading="What earlier sessions told of the person",
        use="A summary that is rewritten after each session; of two statements the newer holds.",
        text=version.text,
        first=True,
        given=(version.text,),
    )


def core(memory: MemoryManager, question: MessageRecord, shown: Shown) -> Section:
    """Core memory, with how full it is; it stands there also while it is empty."""
    del question, shown
    text, limit = memory.read_core_memory(), memory.options.core_chars
    return Section(
        key="core",
        heading="Core memory",
        use=(
            f"Stable facts about the person, in every turn: {len(text):,} of {limit:,} characters. "
            "core_memory_append and core_memory_replace change it."
        ),
        text=text or "(empty)",
        given=text.splitlines(),
    )


def running_summary(memory: MemoryManager, question: MessageRecord, shown: Shown) -> Section | None:
    """What was folded of this thread's evicted messages, where it is paged; it ends the system message."""
    del shown
    if memory.options.context_policy != "page":
        return None
    summary = memory.running_summary(question.thread_id)
    if summary is None:
        return None
    return Section(
        key="running_summary",
        heading="Running summary of this conversation",
        use=(
            "It covers the earlier messages that left the window. They are all kept: recall_search finds "
            "their words, expand_summary opens them by the ids under Summary Memory."
        ),
        text=text_of(summary),
        given=(summary.prose,),
    )


def facts(memory: MemoryManager, question: MessageRecord, shown: Shown) -> Section | None:
    """The facts most worth recalling for this message, that stand nowhere else in the request."""
    recalled = recall.facts(
        memory, question, message_ids=shown.message_ids, stated=shown.stated, texts=shown.texts
    )
    if not recalled:
        return None
    return Section(
        key="facts",
        heading="Facts about the person and their work",
        use=(
            "Recalled for this message; each was told on the day given. Use those that matter and leave "
            "the others unmentioned."
        ),
        text="\n".join(recall.line(fact) for fact in recalled),
        given=[recall.as_json(fact) for fact in recalled],
    )


def lessons(memory: MemoryManager, question: MessageRecord, shown: Shown) -> Section | None:
    """What earlier work like this taught; the lessons, not the work."""
    del shown
    recalled = recall.lessons(memory, question)
    if not recalled:
        return None
    return Section(
        key="lessons",
        heading="Lessons of earlier work",
        use="Taken from similar tasks before; experience, not instructions. A warning says what to avoid.",
        text="\n".join(recall.lesson_line(one) for one in recalled),
        given=[
            {"id": one.id, "text": one.lesson, "task": one.task[:160], "score": round(one.score, 3)}
            for one in recalled
        ],
    )


# In the order in which they are read: each is told what the sections before it say.
READERS: tuple[Reader, ...] = (profile, core, running_summary, facts, lessons)


def read(memory: MemoryManager, question: MessageRecord, shown: Shown | None = None) -> tuple[Section, ...]:
    """The sections for this question in the order in which they stand, each within its allowance.

    What is of this conversation alone stands there also where nothing of the person may be read.
    """
    table, shown = allowances(memory.options), shown or Shown()
    sections: list[Section] = []
    may_recall = memory.may_recall(question.thread_id)
    for reader in READERS if may_recall else (running_summary,):
        others = replace(shown, texts=(*shown.texts, *(section.text for section in sections)))
        if (section := reader(memory, question, others)) is not None:
            sections.append(_within(section, table[section.key]))
    places = list(table.lines)
    return tuple(sorted(sections, key=lambda section: places.index(section.key)))


def joined(sections: Sequence[Section], instructions: str, fence: str) -> str:
    """The whole system message. The tag around what is remembered is as random as the turn's fence."""
    tag = tag_of(fence)
    return "\n\n".join(_parts(sections, instructions, tag))


def tag_of(fence: str) -> str:
    """The tag around personal memory in a turn with this fence."""
    return f"memory-{fence.rpartition('-')[2]}"


def tokens(section: Section, fence: str) -> int:
    """What a section takes, by the estimate."""
    return estimate(section.content(tag_of(fence)))


def _parts(sections: Sequence[Section], instructions: str, tag: str) -> Iterator[str]:
    yield from (section.content(tag) for section in sections if section.first)
    yield instructions
    yield from (section.content(tag) for section in sections if not section.first)


def _within(section: Section, allowance: int) -> Section:
    """The section with its last lines left out where it is over its allowance."""
    text = section.text
    if weigh(text) <= allowance:
        return section
    room = max(allowance - weigh(_CUT), 0)
    while weigh(text) > room:
        # Lines first; one that is too long alone loses its end.
        head, _, _ = text.rpartition("\n")
        text = head or text[: max(len(text) * room // max(weigh(text), 1) - 1, 0)]
    return replace(section, text=f"{text}\n{_CUT}".lstrip())
