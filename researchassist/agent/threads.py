"""What the person does to a thread besides asking in it."""

import uuid

from researchassist.memory.records import MessageRecord, ThreadRecord

from .command_runner import commands_of
from .ownership import settle_interrupted
from .runner import TurnRunner


def new_thread_id() -> str:
    """An id for a thread that does not exist until its first message is sent."""
    return uuid.uuid4().hex[:12]


def rename_thread(runner: TurnRunner, thread_id: str, title: str) -> ThreadRecord:
    """Gives a thread another title; raises UnknownThread."""
    return runner.assistant.memory.rename_thread(thread_id, title)


def show_version(runner: TurnRunner, message_id: str) -> MessageRecord:
    """Makes the branch of a message the conversation again; the other one is superseded, not lost.

    Raises UnknownMessage, and TurnRefused while a turn of the thread runs.
    """
    settle_interrupted(runner.assistant)
    return runner.assistant.memory.show_version(message_id)


def delete_thread(runner: TurnRunner, thread_id: str) -> None:
    """Stops what runs in a thread and deletes it with all that was said and done in it.

    Documents and entities stay. Deleting one that is gone already does nothing.
    """
    commands_of(runner).stop_thread(thread_id)
    runner.stop_thread(thread_id)
    runner.assistant.memory.delete_thread(thread_id)
