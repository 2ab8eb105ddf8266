"""Running commands of the composer on worker threads of the one server process.

Owns which run and what each is doing in words; one key is one run, and a run whose process died is
told from one that still runs by its owner.
"""

import logging
import threading
import weakref
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from researchassist.errors import (
    CommandStopped,
    ModelError,
    ResearchAssistError,
    UnknownCommandRun,
    UnreadableFile,
    WebError,
)
from researchassist.memory.manager import MemoryManager
from researchassist.memory.records import CommandRunRecord

from . import uploads
from .commands import BY_NAME, COMMANDS
from .commands.definition import Command, CommandContext, CommandResult
from .ownership import is_alive, owner
from .runner import TurnRunner, runner

log = logging.getLogger(__name__)

INTERRUPTED = "This was interrupted before it was complete."
# More at once only wait for the same processors.
_AT_ONCE = 3
_LOOK_SECONDS = 0.2
_ORPHAN_SECONDS = 3600.0


@dataclass(frozen=True)
class CommandRequest:
    """What starts a run. One `key`, one run: sent again, it finds the run it started.

    `file` is where the person's file waits, see uploads.py.
    """

    thread_id: str
    name: str
    argument: str = ""
    key: str = field(default_factory=lambda: uuid4().hex)
    file: uploads.Waiting | None = None


@dataclass
class _Live:
    """A run of this process: what it is doing, and whether it was asked to stop."""

    thread_id: str
    words: str
    stop: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)


class CommandRunner:
    """Runs commands on the worker threads of a TurnRunner."""

    def __init__(self, turns: TurnRunner) -> None:
        self._turns = turns
        self._memory = turns.assistant.memory
        self._live: dict[str, _Live] = {}
        self._changed = threading.Condition()
        self._room = threading.Semaphore(_AT_ONCE)

    def start(self, request: CommandRequest) -> CommandRunRecord:
        """Starts a run, which is kept when this returns; a key that was used before starts nothing."""
        run, new = self._memory.start_command(
            thread_id=request.thread_id,
            name=request.name,
            argument=request.argument,
            key=request.key,
            owner=owner(),
            run_id=request.file.id if request.file else "",
        )
        if new:
            self._begin(run)
        elif request.file and request.file.id != run.id:
            uploads.drop(request.file.id)
        return run

    def add_file(
        self, thread_id: str, name: str, size: int, pieces: Iterable[bytes], key: str
    ) -> CommandRunRecord:
        """Takes a file in and starts reading it. Raises UnreadableFile where it is too large."""
        name, most = uploads.name_of(name), self._turns.assistant.options.file_megabytes
        if size > most * 1_000_000:
            raise UnreadableFile(f"{name}: larger than {most} MB.")
        return self.start(CommandRequest(thread_id, "file", name, key, uploads.receive(pieces)))

    def again(self, run_id: str) -> CommandRunRecord:
        """Runs one that failed or was interrupted once more; one that runs or is done stays as it is.

        Of one that failed, the page offers it where `result` says that the reason may pass.
        """
        run, new = self._memory.start_command_again(run_id, owner=owner())
        if new:
            self._begin(run)
        return run

    def stop(self, run_id: str) -> None:
        """Asks a run of this process to end at its next step."""
        if live := self._live.get(run_id):
            live.stop.set()

    def stop_thread(self, thread_id: str, timeout: float = 10.0) -> None:
        """Stops the runs of a thread and waits until they have ended; their files go with them."""
        some = [live for live in list(self._live.values()) if live.thread_id == thread_id]
        for live in some:
            live.stop.set()
        for live in some:
            live.ended.wait(timeout)
        for run in self._memory.command_runs(thread_id):
            uploads.drop(run.id)

    def words(self, run_ids: Collection[str]) -> dict[str, str]:
        """What those of these runs that this process runs are doing."""
        with self._changed:
            return {run_id: self._live[run_id].words for run_id in run_ids if run_id in self._live}

    def news(self, known: Mapping[str, str], timeout: float) -> dict[str, str]:
        """What the runs in `known` are doing, once that differs from `known` or time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self.words(known) != known, timeout)
            return self.words(known)

    def _begin(self, run: CommandRunRecord) -> None:
        command = BY_NAME[run.name]
        live = _Live(run.thread_id, command.doing(run.argument))
        with self._changed:
            self._live[run.id] = live
        self._turns.spawn(lambda: self._work(run, command, live), name=f"command-{run.id[:8]}")

    def _work(self, run: CommandRunRecord, command: Command, live: _Live) -> None:
        """Runs it to its end, which is a row whatever happens."""
        try:
            self._wait_for_room(live)
            try:
                result = self._run(run, command, live)
            finally:
                self._room.release()
            self._memory.end_command(run.id, status="done", result=result.as_json())
        except ResearchAssistError as error:
            passing = {"passing": isinstance(error, WebError | ModelError | CommandStopped)}
            self._memory.end_command(run.id, status="failed", result=passing, error=str(error))
        except Exception as error:
            log.exception("A command failed.")
            sentence = f"Something went wrong inside ResearchAssist ({type(error).__name__})."
            self._memory.end_command(run.id, status="failed", error=sentence)
        finally:
            uploads.drop(run.id)
            with self._changed:
                self._live.pop(run.id, None)
                self._changed.notify_all()
            live.ended.set()

    def _wait_for_room(self, live: _Live) -> None:
        while not self._room.acquire(timeout=_LOOK_SECONDS):
            _refuse_stopped(live)

    def _run(self, run: CommandRunRecord, command: Command, live: _Live) -> CommandResult:
        def tell(words: str) -> None:
            _refuse_stopped(live)
            with self._changed:
                live.words = words
                self._changed.notify_all()

        tell(command.doing(run.argument))
        file = uploads.path_of(run.id)
        return command.run(
            CommandContext(self._turns.assistant, run.thread_id, COMMANDS, tell, file), run.argument
        )


def _refuse_stopped(live: _Live) -> None:
    if live.stop.is_set():
        raise CommandStopped("You stopped this.")


def settle_interrupted_commands(memory: MemoryManager) -> int:
    """Ends the runs whose process died as interrupted; says how many there were."""
    dead = [run for run in memory.running_commands() if not is_alive(run.owner)]
    for run in dead:
        memory.end_command(run.id, status="interrupted", error=INTERRUPTED)
    return len(dead)


def drop_orphans(memory: MemoryManager) -> None:
    """Removes files that were received but whose run was never started, since the process died."""
    for run_id in uploads.waiting_for(_ORPHAN_SECONDS):
        try:
            memory.command_run(run_id)
        except UnknownCommandRun:
            uploads.drop(run_id)


_lock = threading.Lock()
_runners: weakref.WeakKeyDictionary[TurnRunner, CommandRunner] = weakref.WeakKeyDictionary()


def commands_of(turns: TurnRunner) -> CommandRunner:
    """The one runner of commands on the threads of `turns`."""
    with _lock:
        return _runners.setdefault(turns, CommandRunner(turns))


def command_runner() -> CommandRunner:
    """The runner of this process, on the threads of its turn runner."""
    return commands_of(runner())
