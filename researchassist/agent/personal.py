"""What the system message holds of the person: sections in a fixed order, each within its own allowance.

Owns the order, the tags around each and the cutting; what a section says is read here from memory.
Another section is a function listed in READERS at the place where it is to stand.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import fenced
from researchassist.memory.records import MessageRecord

from .allowances import allowances
from .budget import estimate, weigh
from .running_summary import text_of

_CUT = "[… cut to stay within its allowance; /memory shows all of it]"


@dataclass(frozen=True)
class Section:
    """One section. `key` is its line of the window (allowances.LINES); `heading` and `use` are ours,
    `text` is remembered. With `first` it stands above the instructions, else below them.

    `given` says in short, for what an answer used, what stood in it.
    """

    key: str
    heading: str
    use: str
    text: str
    first: bool = False
    given: Sequence[str] = ()

    def content(self, tag: str) -> str:
        """The section as it stands in the system message."""
        return f"# {self.heading}\n{self.use}\n{fenced(self.text, tag, [('name', self.key)])}"


Reader = Callable[[MemoryManager, MessageRecord], Section | None]


def core(memory: MemoryManager, question: MessageRecord) -> Section:
    """Core memory, with how full it is; it stands there also while it is empty."""
    del question
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


def running_summary(memory: MemoryManager, question: MessageRecord) -> Section | None:
    """What was folded of this thread's evicted messages, where it is paged; it ends the system message."""
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


# In the order in which they stand in the system message.
READERS: tuple[Reader, ...] = (core, running_summary)


def read(memory: MemoryManager, question: MessageRecord) -> tuple[Section, ...]:
    """The sections for this question, in order, each within its allowance."""
    table = allowances(memory.options)
    found = (reader(memory, question) for reader in READERS)
    return tuple(_within(section, table[section.key]) for section in found if section is not None)


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
