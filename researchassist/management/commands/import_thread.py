"""`manage.py import_thread FILE`: takes in a conversation that was exported as JSON."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from researchassist.agent.assistant import configured
from researchassist.agent.thread_files import import_thread

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Takes in one conversation, once."""

    help = "Take in a conversation that export_thread wrote as JSON. Twice is the same as once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("file", metavar="FILE", type=Path, help="the file export_thread wrote")
        parser.add_argument("--copy", action="store_true", help="make another conversation of it")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        done = import_thread(configured(), options["file"], copy=options["copy"])
        title = done.thread.title or "New conversation"
        if done.new:
            self.stdout.write(
                f"“{title}” is in memory now: {done.messages} messages, conversation {done.thread.id}."
            )
        else:
            self.stdout.write(f"“{title}” is in memory already; nothing was changed.")
