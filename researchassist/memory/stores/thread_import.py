"""A ThreadFile as rows of a new thread, in one transaction.

Ids of turns, runs, summaries and of the thread itself are kept where they are free; messages and tool
logs get new ones, unless they come back to where they were.
"""

import base64
import secrets
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models, transaction

from researchassist.memory.embedding import Embedder
from researchassist.memory.models import (
    CommandRun,
    ConversationalMemory,
    SummaryMemory,
    Thread,
    ToolLogMemory,
    Turn,
    WorkflowMemory,
)
from researchassist.memory.models.base import VectorRow
from researchassist.memory.text import content_hash, utf8_head
from researchassist.memory.thread_file import FileTurn, ThreadFile

from .message_recall import MessageRecall
from .summary import SummaryStore
from .thread_export import with_logs
from .tool_log import PREVIEW_BYTES
from .vector_store import VectorStore
from .workflow import WorkflowStore


@dataclass(frozen=True)
class Identity:
    """What rows were before they were taken out: the thread's branch, ids by number, form keys and sessions
    by id, vectors by the text's hash (as model and base64)."""

    branch: int = 0
    messages: Mapping[str, int] = field(default_factory=dict)
    logs: Mapping[str, int] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    sessions: Mapping[str, int] = field(default_factory=dict)
    vectors: Mapping[str, Sequence[str]] = field(default_factory=dict)


NONE_BEFORE = Identity()


@dataclass(frozen=True)
class Stores:
    """Where rows with vectors go, and what gives the model that makes vectors where it is needed."""

    summary: SummaryStore
    workflow: WorkflowStore
    recall: MessageRecall
    embedder: Callable[[], Embedder]


@dataclass(frozen=True)
class Placed:
    """The ids of the new rows: of messages and tool logs by number, of the others by their old id."""

    messages: dict[int, int]
    logs: dict[int, int]
    turns: dict[str, str]
    summaries: dict[str, str]


def write(file: ThreadFile, thread_id: str, stores: Stores, identity: Identity = NONE_BEFORE) -> Placed:
    """Makes the thread of this id, which must be free; all embedding is done before the transaction."""
    summaries, workflows = _summaries(file, thread_id), _workflows(file, thread_id, stores.workflow)
    embedder = stores.embedder() if summaries or workflows else None
    if embedder is not None:
        _embed(stores.summary.store, summaries, embedder, identity)
        _embed(stores.workflow.store, workflows, embedder, identity)
    with transaction.atomic():
        Thread.objects.create(
            id=thread_id,
            title=file.title,
            titled_by=file.titled_by,
            sample=file.sample,
            branch=identity.branch,
            privacy=file.privacy,
            created_at=file.created_at,
            updated_at=file.updated_at,
        )
        turns = _free(Turn, [turn.id for turn in file.turns], lambda: uuid.uuid4().hex)
        renamed = _free(SummaryMemory, [one.id for one in file.summaries], lambda: secrets.token_hex(4))
        messages = _messages(file, thread_id, turns, renamed, identity)
        logs = _logs(file, thread_id, turns, identity)
        placed = Placed(messages, logs, turns, renamed)
        _turns(file, thread_id, placed, identity)
        _commands(file, thread_id, identity)
        for row, one in zip(summaries, file.summaries, strict=True):
            row.summary_id = renamed[one.id]
            row.metadata = {"messages": [messages[n] for n in one.messages]} if one.messages else {}
        for flow, entry in zip(workflows, file.workflows, strict=True):
            flow.turn_id = None if entry.turn is None else turns[entry.turn]
        stores.summary.store.save(summaries)
        stores.workflow.store.save(workflows)
    return placed


def _free(model: type[models.Model], ids: Sequence[str], new: Any) -> dict[str, str]:
    """For each id itself where it is free, else a new one."""
    name = "summary_id" if model is SummaryMemory else "pk"
    rows = model._default_manager.filter(**{f"{name}__in": list(ids)})
    taken = set(rows.values_list(name, flat=True))
    return {one: new() if one in taken else one for one in ids}


def _messages(
    file: ThreadFile,
    thread_id: str,
    turns: Mapping[str, str],
    summaries: Mapping[str, str],
    identity: Identity,
) -> dict[int, int]:
    rows = [
        ConversationalMemory(
            pk=identity.messages.get(str(one.number)),
            thread_id=thread_id,
            role=one.role,
            content=one.content,
            timestamp=one.timestamp,
            metadata=_of_turn(one.metadata, turns),
            summary_id=None if one.summary is None else summaries[one.summary],
            superseded_at=one.superseded_at,
        )
        for one in file.messages
    ]
    ConversationalMemory.objects.bulk_create(rows)
    placed = {one.number: row.pk for one, row in zip(file.messages, rows, strict=True)}
    for one, row in zip(file.messages, rows, strict=True):
        row.parent_id = None if one.follows is None else placed[one.follows]
    ConversationalMemory.objects.bulk_update(rows, ["parent"], batch_size=200)
    return placed


def _of_turn(metadata: Mapping[str, Any], turns: Mapping[str, str]) -> dict[str, Any]:
    turn = metadata.get("turn")
    return {**metadata, "turn": turns[turn]} if isinstance(turn, str) and turn in turns else dict(metadata)


def _logs(file: ThreadFile, thread_id: str, turns: Mapping[str, str], identity: Identity) -> dict[int, int]:
    rows = [
        ToolLogMemory(
            pk=identity.logs.get(str(one.number)),
            thread_id=thread_id,
            turn_id=None if one.turn is None else turns[one.turn],
            tool_call_id=one.tool_call_id,
            tool_name=one.tool_name,
            tool_args=one.tool_args,
            result=one.result,
            result_preview=utf8_head(one.result, PREVIEW_BYTES),
            status="success" if one.error_message is None else "failed",
            error_message=one.error_message,
            metadata=one.metadata,
            timestamp=one.timestamp,
        )
        for one in file.tool_logs
    ]
    ToolLogMemory.objects.bulk_create(rows)
    return {one.number: row.pk for one, row in zip(file.tool_logs, rows, strict=True)}


def _turns(file: ThreadFile, thread_id: str, placed: Placed, identity: Identity) -> None:
    """The turns; one that was running has no process any more and is ended where turns are looked at."""
    names = {str(number): str(pk) for number, pk in placed.logs.items()}
    Turn.objects.bulk_create(_turn_row(one, thread_id, placed, names, identity) for one in file.turns)


def _turn_row(
    one: FileTurn, thread_id: str, placed: Placed, logs: Mapping[str, str], identity: Identity
) -> Turn:
    return Turn(
        id=placed.turns[one.id],
        thread_id=thread_id,
        key=identity.keys.get(one.id, uuid.uuid4().hex),
        question_id=placed.messages[one.question],
        answer_id=None if one.answer is None else placed.messages[one.answer],
        outcome=one.outcome,
        owner="",
        session_id=identity.sessions.get(one.id),
        partial_text=one.partial_text,
        error=one.error,
        model=one.model,
        steps=one.steps,
        used=with_logs(one.used, logs),
        helpers=one.helpers,
        started_at=one.started_at,
        finished_at=one.finished_at,
    )


def _commands(file: ThreadFile, thread_id: str, identity: Identity) -> None:
    ids = _free(CommandRun, [one.id for one in file.commands], lambda: uuid.uuid4().hex)
    CommandRun.objects.bulk_create(
        CommandRun(
            id=ids[one.id],
            thread_id=thread_id,
            key=identity.keys.get(one.id, uuid.uuid4().hex),
            name=one.name,
            argument=one.argument,
            status=one.status,
            result=one.result,
            error=one.error,
            owner="",
            started_at=one.started_at,
            finished_at=one.finished_at,
        )
        for one in file.commands
    )


def _summaries(file: ThreadFile, thread_id: str) -> list[SummaryMemory]:
    return [
        SummaryMemory(
            text=f"{one.description}\n{one.summary}",
            summary=one.summary,
            description=one.description,
            full_content=one.full_content,
            thread_id=thread_id,
            timestamp=one.timestamp,
        )
        for one in file.summaries
    ]


def _workflows(file: ThreadFile, thread_id: str, store: WorkflowStore) -> list[WorkflowMemory]:
    rows = [
        store.draft(
            query=one.query,
            steps=one.steps,
            answer=one.answer_excerpt,
            success=one.success,
            thread_id=thread_id,
        )
        for one in file.workflows
    ]
    for row, one in zip(rows, file.workflows, strict=True):
        row.timestamp = one.timestamp
    return rows


def _embed(
    store: VectorStore[Any], rows: Sequence[VectorRow], embedder: Embedder, identity: Identity
) -> None:
    """Gives rows the vectors they had, where the model is still the same; embeds the others."""
    missing = []
    for row in rows:
        model, vector = identity.vectors.get(content_hash(row.text), ("", ""))
        if model != embedder.name:
            missing.append(row)
            continue
        row.embedding, row.embedding_model = base64.b64decode(vector), model
        row.content_hash = content_hash(row.text)
    store.embed(missing, embedder)
