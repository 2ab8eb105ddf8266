"""Condensing a thread or a text into summaries, and opening them again (R8, R9).

A summary takes the oldest whole messages that fit the input limit and marks exactly those;
what is marked is never taken again. The originals stay where they are.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from researchassist.llm.types import LanguageModel
from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import message_line
from researchassist.memory.records import MessageRecord, SummaryRecord
from researchassist.memory.text import head_and_tail

from .summaries import WrittenSummary, write_summary

_lock = threading.Lock()
_busy: set[str] = set()


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
            batch = first_batch(pending, self.memory.options.summary_input_chars)
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
        written = self._written(text)
        record = self.memory.write_summary(
            full_content=text, summary=written.text, description=written.label, thread_id=thread_id
        )
        assert record is not None, "without messages there is nothing that could have been taken"
        return Condensed(record, written.problem)

    def _written(self, text: str) -> WrittenSummary:
        """The summary of a text of any length; of a long one the model reads head and tail."""
        options = self.memory.options
        return write_summary(
            head_and_tail(text, options.summary_input_chars), self.writer, options, whole=text
        )

    def _condense(self, batch: Sequence[MessageRecord], thread_id: str) -> Condensed | None:
        transcript = "\n".join(message_line(message) for message in batch)
        written = self._written(transcript)
        record = self.memory.write_summary(
            full_content=transcript,
            summary=written.text,
            description=written.label,
            thread_id=thread_id,
            messages=batch,
        )
        return None if record is None else Condensed(record, written.problem)


@contextmanager
def alone(thread_id: str) -> Iterator[bool]:
    """Whether no other thread of this process is at condensing this conversation; while inside, none is.

    A slow writer model would else be asked for the same messages turn after turn.
    """
    with _lock:
        free = thread_id not in _busy
        _busy.add(thread_id)
    try:
        yield free
    finally:
        if free:
            with _lock:
                _busy.discard(thread_id)


def first_batch(messages: Sequence[MessageRecord], limit: int) -> list[MessageRecord]:
    """The oldest whole messages whose lines together have at most `limit` characters; at least one."""
    batch: list[MessageRecord] = []
    length = 0
    for message in messages:
        length += len(message_line(message)) + 1
        if batch and length > limit:
            break
        batch.append(message)
    return batch


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
