"""A thread's rows as a ThreadFile, and which row became which number of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from researchassist.memory import clock
from researchassist.memory.models import (
    CommandRun,
    ConversationalMemory,
    Document,
    Outcome,
    Privacy,
    SummaryMemory,
    ToolLogMemory,
    Turn,
    WorkflowMemory,
)
from researchassist.memory.thread_file import (
    FORMAT,
    VERSION,
    FileCommand,
    FileMessage,
    FileSource,
    FileSummary,
    FileToolLog,
    FileTurn,
    FileWorkflow,
    ThreadFile,
)

from . import threads


@dataclass(frozen=True)
class Exported:
    """The file, and the numbers in it of messages and tool logs by their row's id."""

    file: ThreadFile
    messages: Mapping[int, int]
    logs: Mapping[int, int]


def export(thread_id: str) -> Exported:
    """Everything that was said and done in a thread; raises UnknownThread."""
    thread = threads.get(thread_id)
    rows = list(ConversationalMemory.objects.filter(thread=thread).order_by("timestamp"))
    logs = list(ToolLogMemory.objects.filter(thread=thread).order_by("pk"))
    turns = list(Turn.objects.filter(thread=thread).order_by("started_at", "pk"))
    numbers = {row.pk: number for number, row in enumerate(rows, 1)}
    log_numbers = {log.pk: number for number, log in enumerate(logs, 1)}
    named = {str(pk): str(number) for pk, number in log_numbers.items()}
    summaries = SummaryMemory.objects.filter(thread=thread).order_by("timestamp", "pk")
    workflows = WorkflowMemory.objects.filter(thread=thread).order_by("timestamp", "pk")
    runs = CommandRun.objects.filter(thread=thread).order_by("started_at", "pk")
    file = ThreadFile(
        format=FORMAT,
        version=VERSION,
        exported_at=clock.now(),
        id=thread.id,
        title=thread.title,
        titled_by=thread.titled_by,
        sample=thread.sample,
        privacy=Privacy(thread.privacy),
        created_at=thread.created_at,
        updated_at=thread.updated_at,
        messages=[_message(row, numbers) for row in rows],
        turns=[_turn(row, numbers, named) for row in turns],
        tool_logs=[_log(row, log_numbers) for row in logs],
        summaries=[_summary(row, numbers) for row in summaries],
        workflows=[_workflow(row) for row in workflows],
        commands=[_command(row) for row in runs],
        sources=_sources(turns),
    )
    return Exported(file, numbers, log_numbers)


def with_logs(used: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """What a turn used, with other ids for the tool logs of its calls; one that is gone has none."""
    if not isinstance(used.get("calls"), list):
        return dict(used)
    calls = [
        {**call, "log_id": ids.get(str(call["log_id"]), "")}
        if isinstance(call, dict) and call.get("log_id")
        else call
        for call in used["calls"]
    ]
    return {**used, "calls": calls}


def _message(row: ConversationalMemory, numbers: Mapping[int, int]) -> FileMessage:
    return FileMessage(
        number=numbers[row.pk],
        follows=None if row.parent_id is None else numbers[row.parent_id],
        role=row.role,
        content=row.content,
        timestamp=row.timestamp,
        metadata=row.metadata,
        summary=row.summary_id,
        superseded_at=row.superseded_at,
    )


def _turn(row: Turn, numbers: Mapping[int, int], logs: Mapping[str, str]) -> FileTurn:
    return FileTurn(
        id=row.pk,
        question=numbers[row.question_id],
        answer=None if row.answer_id is None else numbers[row.answer_id],
        outcome=Outcome(row.outcome),
        partial_text=row.partial_text,
        error=row.error,
        model=row.model,
        steps=row.steps,
        used=with_logs(row.used, logs),
        helpers=row.helpers,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def _log(row: ToolLogMemory, numbers: Mapping[int, int]) -> FileToolLog:
    return FileToolLog(
        number=numbers[row.pk],
        turn=row.turn_id,
        tool_call_id=row.tool_call_id,
        tool_name=row.tool_name,
        tool_args=row.tool_args,
        result=row.result,
        error_message=row.error_message,
        metadata=row.metadata,
        timestamp=row.timestamp,
    )


def _summary(row: SummaryMemory, numbers: Mapping[int, int]) -> FileSummary:
    return FileSummary(
        id=row.summary_id,
        summary=row.summary,
        description=row.description,
        full_content=row.full_content,
        messages=[numbers[pk] for pk in row.metadata.get("messages", ())],
        timestamp=row.timestamp,
    )


def _workflow(row: WorkflowMemory) -> FileWorkflow:
    return FileWorkflow(
        turn=row.turn_id,
        query=row.query,
        steps=row.steps,
        answer_excerpt=row.answer_excerpt,
        success=row.success,
        timestamp=row.timestamp,
    )


def _command(row: CommandRun) -> FileCommand:
    return FileCommand(
        id=row.pk,
        name=row.name,
        argument=row.argument,
        status=row.status,
        result=row.result,
        error=row.error,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def _sources(turns: list[Turn]) -> list[FileSource]:
    """The documents that passages given to these turns came from, where they are in memory."""
    names = set()
    for turn in turns:
        given = turn.used.get("given", {}).get("knowledge_base", ())
        names |= {passage["source"] for passage in given if passage.get("source")}
    documents = Document.objects.filter(source__in=names, forgotten_at=None).defer("forgotten")
    return [
        FileSource(
            source=one.source,
            title=one.title,
            authors=one.authors,
            published=one.published,
            kind=one.kind,
            url=one.url,
        )
        for one in documents.order_by("source")
    ]
