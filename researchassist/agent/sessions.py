"""Closing sessions: what was said in them is folded into the profile, once, by the writer model.

Owns when that happens (a timer in the server, a command, the start of the next turn), what the model
is given and what of its reply is taken; the rows are memory's.
"""

import logging
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import connections
from django.utils import timezone

from researchassist.errors import ModelError
from researchassist.llm.thinking import without_thinking
from researchassist.llm.types import LanguageModel, complete
from researchassist.llm.watched import StreamEnded
from researchassist.memory.readings import message_line
from researchassist.memory.records import MessageRecord, ProfileVersion, SessionRecord
from researchassist.memory.sameness import specifics, words
from researchassist.memory.text import count_words, head_and_tail

from .assistant import Assistant
from .own_words import is_short_answer, own_words
from .ownership import is_alive, owner
from .prompts import render
from .quotes import has_new_address
from .reflect import reflect
from .summaries import is_echo
from .writeback import within_time

log = logging.getLogger(__name__)

_TOKENS = 3000
_ANSWER_CHARS = 300
_LEAST_CHARS = 500
_CUT_OFF = "It was cut off."
_NAMES_OF_PERSON = frozenset(["user", "person", "i"])
_SPELLED = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_DIGIT_OF = {word: str(number) for number, word in enumerate(_SPELLED, 1)}
_CHANGED = "The profile was changed meanwhile."


@dataclass(frozen=True)
class Closed:
    """What closing did: the sessions it folded in and the words the profile has now, or why it did not;
    `waiting` sessions are folded in when the next one has ended."""

    folded: tuple[int, ...] = ()
    words: int = 0
    problem: str = ""
    waiting: int = 0


def close_sessions(assistant: Assistant) -> Closed:
    """Ends idle sessions and folds those that wait into the profile; once each, however often it runs.

    Where the model fails, or writes too much, the profile stays and they wait for the next session.
    """
    memory = assistant.memory
    memory.end_idle_sessions()
    claimed = memory.claim_sessions(owner(), is_alive) if assistant.writer is not None else []
    ids = [one.id for one in claimed]
    problem = _CUT_OFF
    try:
        if claimed:
            words, problem = _fold(assistant, claimed)
            if not problem:
                log.info("Profile: %d words after session %s.", words, ", ".join(map(str, ids)))
                reflect(within_time(assistant))
                return Closed(tuple(ids), words)
            log.warning("Session %s is not in the profile yet: %s", ", ".join(map(str, ids)), problem)
    finally:
        if problem:
            memory.release_sessions(ids, problem)
    waiting = sum(one.state == "ended" for one in memory.sessions())
    return Closed(problem=problem if claimed else "", waiting=waiting)


def _fold(assistant: Assistant, claimed: Sequence[SessionRecord]) -> tuple[int, str]:
    """The words the profile has with these sessions in it, or why they are not."""
    memory = assistant.memory
    before = memory.profile()
    ids = [one.id for one in claimed]
    said = [(one, messages) for one in claimed if (messages := memory.session_messages(one.id))]
    if not said:
        # All of it was deleted meanwhile, or superseded.
        words = before.words if before else 0
        memory.fold_sessions(ids, words)
        return words, ""
    text, problem = _rewritten(assistant, before, said)
    if problem:
        return 0, problem
    after = memory.write_profile(text, folded=ids, before=before)
    return (after.words, "") if after else (0, _CHANGED)


def _rewritten(
    assistant: Assistant,
    before: ProfileVersion | None,
    said: Sequence[tuple[SessionRecord, Sequence[MessageRecord]]],
) -> tuple[str, str]:
    """The new text, or "" and why there is none."""
    options = assistant.options
    previous = before.text if before else ""
    share = max(options.session_log_chars // len(said), _LEAST_CHARS)
    logs = "\n\n".join(_log(session, messages, share) for session, messages in said)
    prompt = render(
        "profile", previous=previous or "(none)", session_log=logs, max_words=str(options.profile_words)
    )
    try:
        reply = _ask(assistant, prompt)
    except (ModelError, StreamEnded) as error:
        return "", str(error)
    if not reply:
        return "", "The model wrote nothing."
    if is_echo(reply, logs, prompt):
        return "", "The model only repeated what was said."
    if count_words(reply) > options.profile_words:
        return "", f"The model wrote {count_words(reply)} words; {options.profile_words} are allowed."
    text = _as_said(reply, f"{previous}\n{_known_from(said)}")
    return text, "" if text else "The model wrote nothing that the person said."


def _ask(assistant: Assistant, prompt: str) -> str:
    writer: LanguageModel | None = within_time(assistant).writer
    assert writer is not None, "without a writer no session is claimed"
    return without_thinking(complete(writer, prompt, max_tokens=_TOKENS)).strip()


def _log(session: SessionRecord, messages: Sequence[MessageRecord], limit: int) -> str:
    """A session as the model reads it: the person's own words, and the beginnings of the answers."""
    start = timezone.localtime(session.started_at).strftime("%A %Y-%m-%d %H:%M")
    lines = [line for message in messages if (line := _line(message))]
    return f"Session of {start}:\n" + head_and_tail("\n".join(lines), limit)


def _line(message: MessageRecord) -> str:
    if message.role == "user":
        own = own_words(message.content)
        return message_line(replace(message, content=own)) if own else ""
    return message_line(message, _ANSWER_CHARS)


def _known_from(said: Sequence[tuple[SessionRecord, Sequence[MessageRecord]]]) -> str:
    """All that a profile may take names, numbers and addresses from: the person's own words, what a few
    words of theirs answer, and the days of the sessions."""
    known = []
    for session, messages in said:
        start = timezone.localtime(session.started_at)
        known += [f"{day:%A %B %Y-%m-%d %Y %d %H:%M} {day.day}" for day in (start, start + timedelta(1))]
        answer = ""
        for message in messages:
            if message.role != "user":
                answer = message.content
                continue
            known.append(own_words(message.content))
            if is_short_answer(message.content, answer):
                known.append(answer)
    return "\n".join(known)


def _as_said(text: str, known: str) -> str:
    """The text without the sentences that hold an address, a name or a number that does not stand in
    `known`: whatever an answer quoted from a document, it does not become part of the profile (promise 6)."""
    allowed = words(known) | {_DIGIT_OF[word] for word in words(known) if word in _DIGIT_OF}
    kept, left_out = [], 0
    for line in text.splitlines():
        sentences = re.split(r"(?<=[.!?])(?=\s)", line)
        told = [
            one
            for one in sentences
            if not has_new_address(one, known) and specifics(one) - _NAMES_OF_PERSON <= allowed
        ]
        left_out += len(sentences) - len(told)
        kept.append("".join(told))
    if left_out:
        log.warning("%d sentences of the new profile named what the person never did; left out.", left_out)
    return "\n".join(line for line in kept if line.strip() or not left_out).strip()


# Closing in the background: one thread of this process at a time.

_lock = threading.Lock()
_closing: threading.Thread | None = None


def catch_up(assistant: Assistant) -> None:
    """Starts folding in a session that ended before this turn, and waits for it a moment only."""
    if assistant.writer is None or not assistant.memory.has_ended_sessions():
        return
    _in_background(assistant).join(assistant.options.session_wait_seconds)


def wait_idle(timeout: float = 30.0) -> None:
    """Waits until no session is being closed in the background."""
    if _closing is not None:
        _closing.join(timeout)


def _in_background(assistant: Assistant) -> threading.Thread:
    global _closing
    with _lock:
        if _closing is None or not _closing.is_alive():
            _closing = threading.Thread(
                target=_close_and_disconnect, args=(assistant,), name="close-sessions", daemon=True
            )
            _closing.start()
        return _closing


def _close_and_disconnect(assistant: Assistant) -> None:
    try:
        close_sessions(assistant)
    finally:
        connections.close_all()


class SessionTimer:
    """Closes sessions from time to time while the server runs."""

    def __init__(self, assistant: Assistant, seconds: float = 60.0) -> None:
        self._assistant = assistant
        self._seconds = min(seconds, assistant.options.session_idle_minutes * 60)
        self._ended = threading.Event()

    def start(self) -> None:
        """Starts the clock on a thread of its own."""
        threading.Thread(target=self._run, name="session-timer", daemon=True).start()

    def stop(self) -> None:
        """Stops it; a closing under way is not waited for, its sessions are taken up again later."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(self._seconds):
            _in_background(self._assistant).join()
