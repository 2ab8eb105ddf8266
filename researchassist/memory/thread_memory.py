"""The part of MemoryManager that is about threads as wholes: naming, listing, and their branches.

What is said in a thread stands in exact.py; which of it is part of the conversation is decided in
stores/branches.py.
"""

from collections.abc import Sequence
from datetime import datetime

from researchassist.options import Options

from .models import Thread
from .records import MessageRecord, ThreadRecord
from .stores import branches, conversational, threads


class ThreadMemory:
    """Threads and their branches; needs no embedding model."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def thread(self, thread_id: str) -> ThreadRecord:
        """One thread; raises UnknownThread."""
        return threads.record(threads.get(thread_id))

    def threads(self) -> list[ThreadRecord]:
        """All threads, the one with the latest message first."""
        return [threads.record(row) for row in Thread.objects.order_by("-updated_at", "pk")]

    def write_thread(self, thread_id: str, *, title: str = "", sample: bool = False) -> ThreadRecord:
        """Makes a thread where it is not there yet."""
        return threads.record(threads.ensure(thread_id, title=title, sample=sample))

    def import_thread(
        self,
        thread_id: str,
        *,
        title: str,
        messages: Sequence[tuple[str, str, datetime]],
        sample: bool = False,
    ) -> ThreadRecord:
        """Makes a thread of (role, text, time) in one transaction; times that do not rise are moved on."""
        return conversational.import_thread(thread_id, title=title, messages=messages, sample=sample)

    def rename_thread(self, thread_id: str, title: str) -> ThreadRecord:
        """Gives a thread a person's title; raises UnknownThread."""
        return threads.rename(thread_id, title)

    # Branches

    def message(self, message_id: str) -> MessageRecord:
        """One message, also a superseded one; raises UnknownMessage."""
        return conversational.record(branches.message(message_id))

    def last_message(self, thread_id: str) -> MessageRecord | None:
        """The last message of a thread's active branch."""
        return conversational.last(thread_id)

    def show_version(self, message_id: str) -> MessageRecord:
        """Makes the branch of this message the active one of its thread, and supersedes the other.

        Raises UnknownMessage, and TurnRefused while a turn of the thread runs.
        """
        branches.show(message_id)
        return self.message(message_id)

    def versions(self, messages: Sequence[MessageRecord]) -> dict[str, tuple[str, ...]]:
        """For each of these questions of one thread the ids of its versions, itself among them, in order."""
        return branches.versions(messages)
