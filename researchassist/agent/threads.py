"""What the person does to a thread besides asking in it."""

import uuid

from researchassist.memory.records import MessageRecord, ThreadRecord
from researchassist.memory.thread_records import DeletedThreadRecord

from .command_runner import commands_of, settle_interrupted_commands
from .ownership import settle_interrupted
from .runner import TurnRunner


def new_thread_id() -> str:
    """An id for a thread that does not exist until its first message is sent."""
    return uuid.uuid4().hex[:12]


def rename_thread(runner: TurnRunner, thread_id: str, title: str) -> ThreadRecord:
    """Gives a thread another title; raises UnknownThread."""
    return runner.assistant.memory.rename_thread(thread_id, title)


def show_version(runner: TurnRunner, message_id: str) -> MessageRecord:
    """Makes the branch of a message the conversation again; the other one is superseded, not lost. What
    was remembered of either goes and comes with it.

    Raises UnknownMessage, and TurnRefused while a turn of the thread runs.
    """
    settle_interrupted(runner.assistant)
    memory = runner.assistant.memory
    shown = memory.show_version(message_id)
    memory.settle_facts()
    return shown


def delete_thread(runner: TurnRunner, thread_id: str) -> DeletedThreadRecord:
    """Stops what runs in a thread and deletes it with all that was said and done in it.

    `restore_thread` brings it back for some days (option). Documents and entities stay. Raises
    UnknownThread where there is none of that id.
    """
    commands_of(runner).stop_thread(thread_id)
    with runner.stopped(thread_id):
        return runner.assistant.memory.forget_thread(thread_id)


def restore_thread(runner: TurnRunner, thread_id: str) -> ThreadRecord:
    """Brings a deleted thread back as it was; what ran in it is interrupted.

    Raises UnknownThread where it is gone for good.
    """
    memory = runner.assistant.memory
    thread = memory.restore_thread(thread_id)
    settle_interrupted(runner.assistant)
    settle_interrupted_commands(memory)
    return thread


def erase_deleted_thread(runner: TurnRunner, thread_id: str) -> None:
    """Erases a deleted thread for good, before its days are over."""
    runner.assistant.memory.erase_forgotten_threads([thread_id])
