"""The worker threads of the one server process: starting, watching and stopping turns.

Owns the threads and the numbered events of each turn; what a turn does is turn.py's.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import connections

from .assistant import Assistant, configured
from .events import TurnEnded, TurnEvent, TurnStarted
from .turn import TurnRequest, stream_turn
from .writeback import learn

log = logging.getLogger(__name__)

_LOGS_KEPT = 100


@dataclass
class EventLog:
    """The events of one turn, numbered from 1, for any number of watchers."""

    thread_id: str = ""
    stop: threading.Event = field(default_factory=threading.Event)
    drained: threading.Event = field(default_factory=threading.Event)
    events: list[TurnEvent] = field(default_factory=list)
    closed: bool = False
    # While its thread is being deleted nothing is shown: what follows is that it is gone.
    held: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def add(self, event: TurnEvent) -> None:
        """Adds an event; the turn's end closes the log for watchers."""
        with self.changed:
            self.events.append(event)
            self.closed = self.closed or isinstance(event, TurnEnded)
            self.changed.notify_all()

    def close(self) -> None:
        """Lets watchers go, whatever happened."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def after(self, number: int, timeout: float) -> tuple[list[TurnEvent], bool]:
        """The events after `number`, waiting up to `timeout` seconds for one, and whether it is over."""
        with self.changed:
            news = self.changed.wait_for(
                lambda: not self.held and (len(self.events) > number or self.closed), timeout
            )
            return (self.events[number:], self.closed) if news else ([], False)

    def hold(self, held: bool) -> None:
        """Keeps what happens from watchers, or lets them have it."""
        with self.changed:
            self.held = held
            self.changed.notify_all()


class TurnRunner:
    """Runs turns on threads of their own, so that they outlive the request that started them."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self._lock = threading.Lock()
        self._logs: OrderedDict[str, EventLog] = OrderedDict()
        self._threads: set[threading.Thread] = set()

    def start(self, request: TurnRequest) -> TurnStarted:
        """Starts a turn; its question is committed when this returns.

        Raises TurnRefused in the caller's thread. A key that was used before starts nothing.
        """
        log_ = EventLog()
        stream = stream_turn(self.assistant, request, log_.stop.is_set)
        first = next(stream)
        assert isinstance(first, TurnStarted)
        if first.new:
            log_.thread_id = first.thread_id
            log_.add(first)
            with self._lock:
                self._logs[first.turn_id] = log_
                while len(self._logs) > _LOGS_KEPT:
                    self._logs.popitem(last=False)
            self.spawn(lambda: self._drain(stream, log_), name=f"turn-{first.turn_id[:8]}")
        return first

    def retry_helpers(self, turn_id: str) -> None:
        """Runs the failed steps after an answer again, in the background."""
        self.spawn(lambda: list(learn(self.assistant, turn_id)), name=f"learn-{turn_id[:8]}")

    def events(self, turn_id: str) -> EventLog | None:
        """The event log of a turn that this process started lately."""
        with self._lock:
            return self._logs.get(turn_id)

    def stop(self, turn_id: str) -> bool:
        """Asks a running turn to end; False where this process does not run it."""
        log_ = self.events(turn_id)
        if log_ is None or log_.closed:
            return False
        log_.stop.set()
        return True

    @contextmanager
    def stopped(self, thread_id: str, timeout: float = 10.0) -> Iterator[None]:
        """Stops the turn of a thread, if this process runs one; within, it has ended.

        Its watchers hear of the end after it, so that a page never looks between the stop and the
        deletion it was stopped for.
        """
        with self._lock:
            logs = [log_ for log_ in self._logs.values() if log_.thread_id == thread_id]
        for log_ in logs:
            log_.hold(True)
            log_.stop.set()
        try:
            for log_ in logs:
                log_.drained.wait(timeout)
            yield
        finally:
            for log_ in logs:
                log_.hold(False)

    def wait_idle(self, timeout: float = 30.0) -> bool:
        """Waits until no turn and no step after one runs; False where `timeout` seconds pass first."""
        with self._lock:
            threads = list(self._threads)
        end = time.monotonic() + timeout
        for thread in threads:
            thread.join(max(end - time.monotonic(), 0))
        return not any(thread.is_alive() for thread in threads)

    def shut_down(self, timeout: float = 5.0) -> None:
        """Stops all turns and waits for their threads."""
        with self._lock:
            logs = list(self._logs.values())
        for log_ in logs:
            log_.stop.set()
        self.wait_idle(timeout)

    @staticmethod
    def _drain(stream: Iterator[TurnEvent], log_: EventLog) -> None:
        try:
            for event in stream:
                log_.add(event)
        finally:
            log_.close()
            log_.drained.set()

    def spawn(self, work: Callable[[], object], *, name: str) -> None:
        """Runs `work` on a thread of its own that `wait_idle` waits for."""

        def run() -> None:
            try:
                work()
            finally:
                # Each thread has its own connections; nobody else closes them.
                connections.close_all()
                with self._lock:
                    self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=run, name=name, daemon=True)
        with self._lock:
            self._threads.add(thread)
        thread.start()


_lock = threading.Lock()
_runner: TurnRunner | None = None


def runner() -> TurnRunner:
    """The runner of this process, over its configured assistant."""
    global _runner
    assistant = configured()
    with _lock:
        if _runner is None or _runner.assistant is not assistant:
            _runner = TurnRunner(assistant)
        return _runner
