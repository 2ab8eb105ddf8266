"""The partitioned context: the question, then the five segments, always all, always in order.

Owns what a turn reads before the model is asked (R2, D9) and how it is written down; what a
segment says of itself belongs to memory's readings.
"""

import secrets
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.utils import timezone

from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import Item, Reading
from researchassist.memory.records import (
    EntityRecord,
    MessageRecord,
    PassageRecord,
    SummaryRecord,
    WorkflowRecord,
)
from researchassist.memory.stores.summary import reference

from . import personal
from .allowances import Allowances
from .budget import weigh
from .prompts import render

# Small models lose a question that stands thousands of tokens above the end.
CLOSING = "That was memory. Now answer the question under # Question, at the top."
OFFLOAD_STUB = (
    "[The messages of this conversation were condensed to keep the context within its budget. "
    "Their summaries are referenced under Summary Memory; expand_summary opens the originals.]"
)

LEFT_OUT = "Nothing is shown, to stay within the budget."
NOT_SHOWN = "No earlier message is shown, to stay within the budget."
_ALL = 1_000_000
# Of a long conversation so many of the latest messages are compared with what is recalled.
_LOOKED_AT = 60
Record = TypeVar("Record")


@dataclass(frozen=True)
class Context:
    """What one model call is given to read. `fence` is the tag around text from outside.

    `hidden` messages are not shown and `cut` ones in part; recall_search finds both.
    """

    question: MessageRecord
    fence: str
    conversation: Reading[MessageRecord]
    knowledge_base: Reading[PassageRecord]
    workflow: Reading[WorkflowRecord]
    entity: Reading[EntityRecord]
    summary: Reading[SummaryRecord]
    hidden: int = 0
    cut: int = 0
    offloaded: bool = False
    remembered: tuple[personal.Section, ...] = ()

    @property
    def segments(self) -> tuple[Reading[Any], ...]:
        """The five segments in their fixed order."""
        return (self.conversation, self.knowledge_base, self.workflow, self.entity, self.summary)

    def user_content(self) -> str:
        """The whole user content: the question byte for byte, the segments, and a pointer back."""
        parts = [f"# Question\n{self.question.content}"]
        return "\n\n".join([*parts, *(segment.text(self.fence) for segment in self.segments), CLOSING])

    @property
    def given_facts(self) -> tuple[int, ...]:
        """The numbers of the facts that stand in it."""
        return tuple(
            fact["id"] for section in self.remembered if section.key == "facts" for fact in section.given
        )

    def system_content(self) -> str:
        """The instructions with what is remembered of the person, each in its place."""
        return personal.joined(self.remembered, self.instructions(), self.fence)

    def instructions(self) -> str:
        """The memory-aware instructions (R16)."""
        now = timezone.localtime()
        return render(
            "system",
            now=now.strftime("%A %Y-%m-%d %H:%M"),
            zone=f"{timezone.get_default_timezone_name()}, UTC{now.strftime('%z')}",
            fence=self.fence,
            memory=personal.tag_of(self.fence),
        )

    def messages(self) -> list[dict[str, Any]]:
        """The two messages every model call starts with."""
        return [
            {"role": "system", "content": self.system_content()},
            {"role": "user", "content": self.user_content()},
        ]


def new_fence() -> str:
    """A tag nobody can guess, so that nothing inside can close it."""
    return f"source-{secrets.token_hex(4)}"


def assemble(memory: MemoryManager, question: MessageRecord, fence: str) -> Context:
    """The five reads of a turn, in order, then what is remembered of the person.

    The question itself is not in the conversation segment.
    """
    query, thread_id = question.content, question.thread_id
    context = Context(
        question=question,
        fence=fence,
        conversation=memory.read_conversational_memory(thread_id, _limit(memory), before=question),
        knowledge_base=memory.read_knowledge_base(query),
        workflow=memory.read_workflow(query),
        entity=memory.read_entity(query),
        summary=memory.read_summary_context(query, thread_id),
    )
    context = replace(context, remembered=personal.read(memory, question, _shown(context)))
    return _with_hidden_line(context, memory)


def _limit(memory: MemoryManager) -> int | None:
    """How many messages stand verbatim: the option's, or all that no summary covers where the thread
    is paged."""
    return _ALL if memory.options.context_policy == "page" else None


def _shown(context: Context) -> personal.Shown:
    """What the user content holds of what was said."""
    messages = context.conversation.records
    return personal.Shown(
        frozenset(message.id for message in (context.question, *messages)),
        # A question holds the words of a fact without stating it.
        tuple(m.content for m in messages[-_LOOKED_AT:] if m.role == "user" and "?" not in m.content),
        tuple(summary.description for summary in context.summary.records),
    )


def _with_hidden_line(context: Context, memory: MemoryManager) -> Context:
    """Ends the conversation segment with how many earlier messages are not shown (promise 2)."""
    hidden = memory.hidden_messages(
        shown=context.conversation.records, listed=context.summary.records, before=context.question
    )
    return _noted(context, hidden, memory.options.message_chars)


def _noted(context: Context, hidden: int, longest: int) -> Context:
    """The context with `hidden` messages counted, and those shown only in part."""
    notes = []
    cut = sum(len(message.content) > longest for message in context.conversation.records)
    if cut:
        verb = "message above is" if cut == 1 else "messages above are"
        notes.append(f"[{cut} {verb} shown in part; recall_search finds the rest.]")
    if hidden:
        plural = "message" if hidden == 1 else "messages"
        notes.append(
            f"[{hidden} earlier {plural} of this conversation not shown here; recall_search finds them.]"
        )
    conversation = replace(context.conversation, notes=tuple(notes))
    return replace(context, conversation=conversation, hidden=hidden, cut=cut)


def within_lines(context: Context, table: Allowances, memory: MemoryManager) -> Context:
    """The context with every segment but the conversation within its line of the window: its last
    entries are left out, and counted."""
    shorter = replace(
        context,
        knowledge_base=_within(context.knowledge_base, table["knowledge_base"]),
        workflow=_within(context.workflow, table["workflow"]),
        entity=_within(context.entity, table["entity"]),
        # The stub in place of the messages says that their reference stands here (R7).
        summary=_within(context.summary, table["summary"], least=1 if context.offloaded else 0),
    )
    return _with_hidden_line(shorter, memory)


def _within(segment: Reading[Record], line: int, least: int = 0) -> Reading[Record]:
    shown = len(segment.items)
    while shown > least and weigh(replace(segment, items=segment.items[:shown]).text()) > line:
        shown -= 1
    if shown == len(segment.items):
        return segment
    note = f"[{len(segment.items) - shown} more left out here, to stay within the budget.]"
    kept = replace(segment, records=segment.records[:shown], items=segment.items[:shown], empty=LEFT_OUT)
    return replace(kept, notes=(*segment.notes, note))


def without_oldest(context: Context, count: int, longest: int) -> Context:
    """The context with `count` more of its oldest messages not shown, and counted as such."""
    if count == 0:
        return context
    read = context.conversation
    left = replace(read, records=read.records[count:], items=read.items[count:], empty=NOT_SHOWN)
    return _noted(replace(context, conversation=left), context.hidden + count, longest)


def offloaded(context: Context, new: list[SummaryRecord], memory: MemoryManager) -> Context:
    """The context after its conversation was condensed (R7): a stub in place of the messages, the
    new summaries' references under the summary segment, the question as it was."""
    listed = {record.id for record in new}
    others = [record for record in context.summary.records if record.id not in listed]
    records = (*new, *others[: max(memory.options.summary_k - len(new), 0)])
    items = [Item(reference(record, context.question.thread_id)) for record in records]
    after = replace(
        context,
        conversation=replace(context.conversation.replaced(OFFLOAD_STUB), notes=()),
        summary=replace(context.summary, records=records, items=tuple(items)),
        offloaded=True,
    )
    return _with_hidden_line(after, memory)
