"""The part of MemoryManager that takes a thread with all that belongs to it: deleting it so that it can be
brought back, erasing it, and handing it out and taking it in as one document."""

from datetime import timedelta

from django.db import transaction

from . import clock
from .embedded import EmbeddedMemory
from .models import Thread
from .records import ThreadRecord
from .stores import deleted_threads, thread_export, thread_import
from .stores.message_recall import MessageRecall
from .stores.summary import SummaryStore
from .stores.thread_import import Stores
from .stores.workflow import WorkflowStore
from .thread_file import ThreadFile
from .thread_records import DeletedThreadRecord


class WholeThreadMemory(EmbeddedMemory):
    """Threads with their messages, turns, tool logs, summaries, workflows and commands."""

    _summary: SummaryStore
    _workflow: WorkflowStore
    _recall: MessageRecall

    def _thread_stores(self) -> Stores:
        return Stores(self._summary, self._workflow, self._recall, lambda: self.embedder)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes a thread with all that belongs to it, for good.

        Documents and entities stay. Deleting one that is gone already does nothing.
        """
        with transaction.atomic():
            deleted_threads.erase_rows(thread_id, self._thread_stores())

    def forget_thread(self, thread_id: str) -> DeletedThreadRecord:
        """Takes a thread out of memory at once; `restore_thread` brings it back for some days (option).

        Raises UnknownThread. Those whose days are over are erased.
        """
        record = deleted_threads.forget(thread_id, self._thread_stores())
        self.erase_forgotten_threads()
        return record

    def restore_thread(self, thread_id: str) -> ThreadRecord:
        """Brings a forgotten thread back as it was; raises UnknownThread where it is gone for good."""
        deleted_threads.restore(thread_id, self._thread_stores())
        return self.thread(thread_id)

    def forgotten_thread(self, thread_id: str) -> DeletedThreadRecord | None:
        """The forgotten thread of this id, also one that is erased."""
        return deleted_threads.find(thread_id)

    def forgotten_threads(self) -> list[DeletedThreadRecord]:
        """Those that can be brought back, the latest first."""
        return deleted_threads.listed()

    def erase_forgotten_threads(self, thread_ids: list[str] | None = None) -> int:
        """Erases forgotten threads for good: these, or those whose days are over; says how many."""
        if thread_ids is not None:
            return deleted_threads.erase(thread_ids)
        return deleted_threads.erase(before=clock.now() - timedelta(days=self.options.deleted_thread_days))

    def export_thread(self, thread_id: str) -> ThreadFile:
        """A thread as one document; raises UnknownThread."""
        return thread_export.export(thread_id).file

    def write_thread_file(self, file: ThreadFile, thread_id: str) -> ThreadRecord:
        """Makes a thread of this id, which must be free, out of a document, all or nothing."""
        thread_import.write(file, thread_id, self._thread_stores())
        deleted_threads.erase([thread_id])
        return self.thread(thread_id)

    def has_thread(self, thread_id: str) -> bool:
        """Whether there is a thread of this id."""
        return Thread.objects.filter(pk=thread_id).exists()
