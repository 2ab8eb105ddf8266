"""Deleting threads so that they can be brought back whole, and erasing them for good.

A deleted thread is packed into one row, its file and what its rows were, and all its rows are deleted:
no search, in no process, can find anything of it. What others' rows pointed at in it is kept too.
"""

import base64
import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import models, transaction

from researchassist.errors import UnknownThread
from researchassist.memory import clock
from researchassist.memory.models import (
    CommandRun,
    ConversationalMemory,
    DeletedThread,
    Lesson,
    SummaryMemory,
    Thread,
    ToolLogMemory,
    Turn,
    WorkflowMemory,
)
from researchassist.memory.thread_file import ThreadFile
from researchassist.memory.thread_records import DeletedThreadRecord

from . import thread_import
from .thread_export import Exported, export
from .thread_import import Identity, Stores


def record(row: DeletedThread) -> DeletedThreadRecord:
    """The deleted thread as a plain value."""
    return DeletedThreadRecord(
        id=row.pk, title=row.title, deleted_at=row.deleted_at, can_come_back=row.packed is not None
    )


def find(thread_id: str) -> DeletedThreadRecord | None:
    """The deleted thread of this id, also an erased one."""
    row = DeletedThread.objects.filter(pk=thread_id).first()
    return record(row) if row else None


def listed() -> list[DeletedThreadRecord]:
    """Those that can be brought back, the latest first."""
    rows = DeletedThread.objects.filter(packed__isnull=False).order_by("-deleted_at")
    return [record(row) for row in rows]


def forget(thread_id: str, stores: Stores) -> DeletedThreadRecord:
    """Packs a thread and deletes its rows in one step; raises UnknownThread."""
    with transaction.atomic():
        exported = export(thread_id)
        packed = {
            "file": exported.file.model_dump(mode="json"),
            "identity": _identity(exported, thread_id),
            "pointers": list(_pointers(thread_id)),
        }
        data = gzip.compress(json.dumps(packed).encode(), compresslevel=3)
        values = {"title": exported.file.title, "packed": data, "deleted_at": clock.now()}
        row, _ = DeletedThread.objects.update_or_create(pk=thread_id, defaults=values)
        erase_rows(thread_id, stores)
    return record(row)


def restore(thread_id: str, stores: Stores) -> None:
    """Brings a deleted thread back as it was; does nothing where it is back already.

    Raises UnknownThread where it was erased or never deleted.
    """
    if Thread.objects.filter(pk=thread_id).exists():
        return
    row = DeletedThread.objects.filter(pk=thread_id).first()
    if row is None or row.packed is None:
        raise UnknownThread("This conversation is gone for good and cannot be brought back.")
    packed = json.loads(gzip.decompress(bytes(row.packed)))
    file = ThreadFile.model_validate_json(json.dumps(packed["file"]))
    thread_import.write(file, thread_id, stores, Identity(**packed["identity"]))
    with transaction.atomic():
        for label, name, pk, target in packed["pointers"]:
            rows = apps.get_model(label)._default_manager.filter(**{"pk": pk, f"{name}__isnull": True})
            rows.update(**{f"{name}_id": target})
        row.delete()


def erase(thread_ids: list[str] | None = None, before: datetime | None = None) -> int:
    """Erases packed threads for good, those of these ids or deleted before a time; says how many."""
    rows = DeletedThread.objects.filter(packed__isnull=False)
    rows = rows.filter(pk__in=thread_ids) if thread_ids is not None else rows
    rows = rows.filter(deleted_at__lt=before) if before is not None else rows
    return rows.update(packed=None, title="")


def erase_rows(thread_id: str, stores: Stores) -> None:
    """Deletes a thread's rows, whatever they are, in the transaction under way."""
    Turn.objects.filter(thread_id=thread_id).update(answer=None)
    ToolLogMemory.objects.filter(thread_id=thread_id).delete()
    workflows = WorkflowMemory.objects.filter(thread_id=thread_id)
    # What the work taught outlives it, as facts do.
    Lesson.objects.filter(workflow__in=workflows).update(workflow=None)
    stores.workflow.store.delete(workflows.values_list("pk", flat=True))
    Turn.objects.filter(thread_id=thread_id).delete()
    # Those of messages are made anew when the messages come back.
    stores.recall.delete_of_thread(thread_id)
    ConversationalMemory.objects.filter(thread_id=thread_id).delete()
    summaries = SummaryMemory.objects.filter(thread_id=thread_id)
    stores.summary.store.delete(summaries.values_list("pk", flat=True))
    Thread.objects.filter(pk=thread_id).delete()


def _identity(exported: Exported, thread_id: str) -> dict[str, Any]:
    """What an export leaves out: ids, keys and vectors."""
    keys = dict(Turn.objects.filter(thread_id=thread_id).values_list("pk", "key"))
    keys |= dict(CommandRun.objects.filter(thread_id=thread_id).values_list("pk", "key"))
    sessions = Turn.objects.filter(thread_id=thread_id, session__isnull=False)
    vectors = {}
    for model in (SummaryMemory, WorkflowMemory):
        rows = model._default_manager.filter(thread_id=thread_id)
        for digest, name, vector in rows.values_list("content_hash", "embedding_model", "embedding"):
            vectors[digest] = [name, base64.b64encode(bytes(vector)).decode()]
    return {
        "branch": Thread.objects.get(pk=thread_id).branch,
        "messages": {str(number): pk for pk, number in exported.messages.items()},
        "logs": {str(number): pk for pk, number in exported.logs.items()},
        "keys": keys,
        "sessions": dict(sessions.values_list("pk", "session_id")),
        "vectors": vectors,
    }


def _pointers(thread_id: str) -> Iterator[tuple[str, str, Any, Any]]:
    """Rows of other tables that point at messages or turns of the thread and outlive them."""
    for model in (ConversationalMemory, Turn):
        gone = model._default_manager.filter(thread_id=thread_id)
        for relation in model._meta.related_objects:
            field = relation.field
            owner = field.model
            if relation.on_delete is not models.SET_NULL:
                continue
            rows = owner._default_manager.filter(**{f"{field.name}__in": gone})
            for pk, target in rows.values_list("pk", field.attname):
                yield owner._meta.label, field.name, pk, target
