"""The part of MemoryManager that is about threads as wholes: naming, listing, and their branches.

What is said in a thread stands in exact.py; which of it is part of the conversation is decided in
stores/branches.py.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from researchassist.options import Options

from .models import Thread
from .records import MessageRecord, ThreadRecord
from .stores import branches, conversational, threads, turns, windows
from .thread_records import Size, Window


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

    def latest_threads(self, limit: int, after: tuple[datetime, str] | None = None) -> list[ThreadRecord]:
        """At most `limit` threads, the one with the latest message first; those that come after the one
        of this (`updated_at`, `id`)."""
        return threads.latest(limit, after)

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
        speakers: Mapping[str, str] | None = None,
    ) -> ThreadRecord:
        """Makes a thread of (role, text, time) in one transaction; times that do not rise are moved on.

        `speakers` are the names of who is "user" and who "assistant", where others than these two spoke.
        """
        return conversational.import_thread(
            thread_id, title=title, messages=messages, sample=sample, speakers=speakers or {}
        )

    def rename_thread(self, thread_id: str, title: str) -> ThreadRecord:
        """Gives a thread a person's title; raises UnknownThread."""
        return threads.rename(thread_id, title)

    def title_thread(self, thread_id: str, title: str) -> None:
        """Gives a thread a model's title, unless it has one of a model or a person by now."""
        threads.title_by_model(thread_id, title)

    def first_exchange(self, thread_id: str) -> tuple[str, str]:
        """The first question of a thread's active branch and the answer to it, "" where there is none."""
        return conversational.first_exchange(thread_id)

    def is_being_titled(self, thread_id: str, since: datetime) -> bool:
        """Whether a turn that ended after `since` has yet to name the thread."""
        return turns.has_pending_helper(thread_id, "title", since)

    # What a page shows of a thread

    def latest_window(self, thread_id: str, size: Size, before: datetime | None = None) -> Window:
        """The latest part of a thread, or the one before a time."""
        return windows.before(thread_id, before, size)

    def later_window(self, thread_id: str, size: Size, after: datetime) -> Window:
        """The part of a thread after a time."""
        return windows.after(thread_id, after, size)

    def window_around(self, message: MessageRecord, size: Size) -> Window:
        """The latest part of a message's thread where it has the message, else one around it."""
        return windows.around(message.thread_id, message, size)

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
