"""The part of MemoryManager that is read by exact key and in order, never by similarity.

Owns messages, tool logs, turns and facts about the database; needs no embedding model. Threads as
wholes stand in thread_memory.py.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction

from . import consent
from .found_records import FoundMessages
from .models import Document, SemanticMemory, StoreState
from .readings import Reading
from .records import CommandRunRecord, MessageRecord, SummaryRecord, ToolLogRecord, TurnRecord
from .stores import commands, conversational, message_search, sessions, tool_log, turns
from .stores.message_search import MessageFilter
from .stores.turns import AT_THE_END, Place
from .thread_memory import ThreadMemory


class ExactMemory(ThreadMemory):
    """CONVERSATIONAL_MEMORY, TOOL_LOG_MEMORY, and the threads and turns they belong to."""

    # CONVERSATIONAL_MEMORY

    def write_conversational_memory(
        self, content: str, role: str, thread_id: str, metadata: dict[str, object] | None = None
    ) -> MessageRecord:
        """Adds a message at the end of a thread (R1)."""
        return conversational.write(content=content, role=role, thread_id=thread_id, metadata=metadata)

    def read_conversational_memory(
        self, thread_id: str, limit: int | None = None, before: MessageRecord | None = None
    ) -> Reading[MessageRecord]:
        """The latest unconsolidated messages of one thread, oldest first (R3)."""
        limit = limit or self.options.conversation_limit
        return conversational.read(thread_id, limit, self.options.message_chars, before)

    def unconsolidated_messages(
        self, thread_id: str, before: MessageRecord | None = None
    ) -> list[MessageRecord]:
        """All messages of a thread that no summary covers, oldest first."""
        return conversational.unconsolidated(thread_id, before=before)

    def hidden_messages(
        self, *, shown: Sequence[MessageRecord], listed: Sequence[SummaryRecord], before: MessageRecord
    ) -> int:
        """How many earlier messages are neither shown nor under a listed summary (promise 2)."""
        ids = [summary.id for summary in listed]
        return conversational.hidden_count(before.thread_id, shown=shown, listed=ids, before=before)

    def messages(self, thread_id: str) -> list[MessageRecord]:
        """Every message of a thread's active branch, oldest first."""
        return conversational.all_of(thread_id)

    def messages_of_summary(self, summary_id: str) -> list[MessageRecord]:
        """The originals behind a summary, oldest first (R9)."""
        return conversational.of_summary(summary_id)

    def search_messages(
        self, text: str, *, limit: int = 30, where: MessageFilter | None = None, typing: bool = False
    ) -> FoundMessages:
        """Messages of all threads with words of `text`, best first, with the place where they stand.

        `typing`: the last word may be unfinished. Any text may be given; none of it is syntax.
        """
        return message_search.search(text, limit=limit, where=where or MessageFilter(), typing=typing)

    def search_threads(self, text: str, *, limit: int, typing: bool = False) -> FoundMessages:
        """The same for the person's search of all conversations: superseded messages are in it too, and
        say so by their `superseded_at`."""
        where = MessageFilter(superseded=True)
        return message_search.search(text, limit=limit, where=where, typing=typing)

    # TOOL_LOG_MEMORY

    def write_tool_log(  # noqa: PLR0913  (the fields of one record)
        self,
        *,
        thread_id: str,
        tool_name: str,
        tool_args: str,
        result: str,
        tool_call_id: str | None = None,
        turn_id: str | None = None,
        error_message: str | None = None,
        metadata: dict[str, object] | None = None,
    ) -> ToolLogRecord:
        """Keeps one tool call whole (R10)."""
        return tool_log.write(
            thread_id=thread_id,
            turn_id=turn_id,
            tool_call_id=tool_call_id,
            tool_name=tool_name,
            tool_args=tool_args,
            result=result,
            error_message=error_message,
            metadata=metadata or {},
        )

    def read_tool_log(self, thread_id: str, limit: int = 20) -> list[ToolLogRecord]:
        """The latest tool calls of a thread, oldest first."""
        return tool_log.read(thread_id, limit)

    def tool_log(self, log_id: str, thread_id: str | None = None) -> ToolLogRecord:
        """One tool call; raises UnknownToolLog."""
        return tool_log.get(log_id, thread_id)

    def tool_logs_of_turn(self, turn_id: str) -> list[ToolLogRecord]:
        """The tool calls of one turn in order."""
        return tool_log.of_turn(turn_id)

    # Turns

    def turn(self, turn_id: str) -> TurnRecord:
        """One turn; raises UnknownTurn."""
        return turns.get(turn_id)

    def turn_by_key(self, key: str) -> TurnRecord | None:
        """The turn a form with this key started, if it did."""
        return turns.by_key(key)

    def turns(self, thread_id: str) -> list[TurnRecord]:
        """The turns of a thread's active branch, oldest first; of those for one question the latest."""
        return turns.of_thread(thread_id)

    def running_turns(self) -> list[TurnRecord]:
        """Turns that have not ended, whichever process runs them."""
        return turns.running()

    def open_turn(
        self,
        *,
        thread_id: str,
        query: str,
        key: str,
        owner: str,
        model: str,
        place: Place = AT_THE_END,
    ) -> TurnRecord:
        """Commits the person's message and a running turn of their session; raises TurnRefused."""
        with transaction.atomic():
            turn = turns.open_turn(
                thread_id=thread_id, query=query, key=key, owner=owner, model=model, place=place
            )
            return self._in_session(turn)

    def reopen_turn(self, turn_id: str, *, key: str, owner: str, model: str) -> TurnRecord:
        """A new running turn for an unanswered question; raises TurnRefused."""
        with transaction.atomic():
            return self._in_session(turns.reopen(turn_id, key=key, owner=owner, model=model))

    def _in_session(self, turn: TurnRecord) -> TurnRecord:
        options = self.options
        if not consent.may_remember(options.user, turn.thread_id):
            return turn
        sessions.join(options.user, turn.id, timedelta(minutes=options.session_idle_minutes))
        return turn

    def checkpoint_turn(self, turn_id: str, partial_text: str) -> None:
        """Keeps what has been written so far."""
        turns.checkpoint(turn_id, partial_text)

    def end_turn_without_answer(
        self,
        turn_id: str,
        *,
        outcome: str,
        error: str,
        partial_text: str,
        steps: Sequence[str] = (),
        used: Mapping[str, Any] | None = None,
    ) -> TurnRecord:
        """Ends a turn that has no answer; the person's message and the partial text stay."""
        turns.end(
            turn_id, outcome=outcome, error=error, partial_text=partial_text, steps=tuple(steps), used=used
        )
        return turns.get(turn_id)

    def turns_with_a_helper_to_retry(
        self, names: Collection[str], *, besides: str, limit: int
    ) -> list[TurnRecord]:
        """Answered turns, oldest first, where a step of these names is to be tried again."""
        return turns.with_a_helper_to_retry(names, besides=besides, limit=limit)

    def note_helper(self, turn_id: str, name: str, state: Mapping[str, Any]) -> None:
        """Records on the turn how one step after the answer went (promise 8)."""
        turns.note_helper(turn_id, name, state)

    # Runs of commands: on the page, in no context

    def command_run(self, run_id: str) -> CommandRunRecord:
        """One run of a command; raises UnknownCommandRun."""
        return commands.get(run_id)

    def command_runs(self, thread_id: str) -> list[CommandRunRecord]:
        """A thread's runs of commands, oldest first."""
        return commands.of_thread(thread_id)

    def running_commands(self) -> list[CommandRunRecord]:
        """Runs of commands that have not ended, whichever process runs them."""
        return commands.running()

    def start_command(
        self, *, thread_id: str, name: str, argument: str, key: str, owner: str, run_id: str = ""
    ) -> tuple[CommandRunRecord, bool]:
        """Keeps a running run of a command; False where the key has started one before."""
        return commands.start(
            thread_id=thread_id, name=name, argument=argument, key=key, owner=owner, run_id=run_id
        )

    def start_command_again(self, run_id: str, *, owner: str) -> tuple[CommandRunRecord, bool]:
        """Makes a failed or interrupted run a running one; False where it runs or is done."""
        return commands.again(run_id, owner=owner)

    def end_command(
        self, run_id: str, *, status: str, result: Mapping[str, Any] | None = None, error: str = ""
    ) -> None:
        """Ends a running run of a command."""
        commands.end(run_id, status=status, result=result or {}, error=error)

    # Where passages came from

    def sources_gone(self, sources: Collection[str]) -> set[str]:
        """Those of `sources` that no document and no passage in memory comes from any more."""
        documents = Document.objects.filter(source__in=list(sources), forgotten_at__isnull=True)
        missing = set(sources) - set(documents.values_list("source", flat=True))
        loose = SemanticMemory.objects.filter(document__isnull=True, metadata__source__in=list(missing))
        return missing - set(loose.values_list("metadata__source", flat=True)) if missing else missing

    # Facts about this database

    def state(self, key: str) -> str | None:
        """One fact about this database, such as when the samples were first ingested."""
        return StoreState.objects.filter(key=key).values_list("value", flat=True).first()

    def set_state(self, key: str, value: str) -> None:
        """Keeps one fact about this database."""
        StoreState.objects.update_or_create(key=key, defaults={"value": value})
