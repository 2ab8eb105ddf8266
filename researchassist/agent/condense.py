"""Condensing a thread or a text into summaries, and opening them again (R8, R9).

A summary takes the oldest whole messages that fit the input limit and marks exactly those;
what is marked is never taken again. The originals stay where they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from researchassist.llm.types import LanguageModel
from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import message_line
from researchassist.memory.records import MessageRecord, SummaryRecord
from researchassist.memory.text import head_and_tail

from .summaries import write_summary


@dataclass(frozen=True)
class Condensed:
    """A new summary; `problem` says why the model did not write it or its label, if so."""

    record: SummaryRecord
    problem: str


@dataclass(frozen=True)
class Condenser:
    """Summarises with the writer model, or by rule where there is none."""

    memory: MemoryManager
    writer: LanguageModel | None

    def condense_thread(
        self, thread_id: str, *, before: MessageRecord | None = None, keep: int = 0
    ) -> list[Condensed]:
        """Condenses the unconsolidated messages of a thread but for the latest `keep`, oldest first.

        `before` is the running turn's question: it and what follows are left alone. An empty list
        says that there was nothing to summarize.
        """
        pending = self.memory.unconsolidated_messages(thread_id, before)
        pending = pending[: len(pending) - keep] if keep else pending
        made: list[Condensed] = []
        while pending:
            batch = self._batch(pending)
            condensed = self._condense(batch, thread_id)
            if condensed is None:
                # Another process condensed one of these meanwhile: look again at what is left.
                known = {message.id for message in pending}
                now = self.memory.unconsolidated_messages(thread_id, before)
                pending = [message for message in now if message.id in known]
                continue
            made.append(condensed)
            pending = pending[len(batch) :]
        return made

    def condense_text(self, text: str, thread_id: str | None) -> Condensed:
        """Condenses one text; all of it is kept behind the summary."""
        written = write_summary(head_and_tail(text, self._limit), self.writer, self.memory.options)
        record = self.memory.write_summary(
            full_content=text, summary=written.text, description=written.label, thread_id=thread_id
        )
        assert record is not None, "without messages there is nothing that could have been taken"
        return Condensed(record, written.problem)

    @property
    def _limit(self) -> int:
        return self.memory.options.summary_input_chars

    def _batch(self, messages: Sequence[MessageRecord]) -> list[MessageRecord]:
        """The oldest whole messages that fit the input limit; at least one."""
        batch: list[MessageRecord] = []
        length = 0
        for message in messages:
            length += len(message_line(message)) + 1
            if batch and length > self._limit:
                break
            batch.append(message)
        return batch

    def _condense(self, batch: Sequence[MessageRecord], thread_id: str) -> Condensed | None:
        transcript = "\n".join(message_line(message) for message in batch)
        written = write_summary(head_and_tail(transcript, self._limit), self.writer, self.memory.options)
        record = self.memory.write_summary(
            full_content=transcript,
            summary=written.text,
            description=written.label,
            thread_id=thread_id,
            messages=batch,
        )
        return None if record is None else Condensed(record, written.problem)


def expanded(memory: MemoryManager, summary_id: str) -> str:
    """A summary's text and all its original messages in order, with times (R9).

    For a text that was no conversation, the text itself. Raises UnknownSummary.
    """
    record = memory.read_summary_memory(summary_id)
    messages = memory.messages_of_summary(record.id)
    if messages:
        originals = f"Original messages ({len(messages)}):\n" + "\n".join(
            message_line(message) for message in messages
        )
    else:
        originals = f"Original text:\n{record.full_content}"
    return f"[Summary ID: {record.id}] {record.description}\n\n{record.summary}\n\n{originals}"
