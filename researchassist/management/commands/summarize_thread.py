"""`manage.py summarize_thread THREAD`: condenses a conversation; its messages stay."""

from typing import Any

from django.core.management.base import CommandParser

from researchassist.agent.assistant import configured

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Condenses the messages of a thread that no summary covers yet."""

    help = (
        "Condense the messages of a conversation that no summary covers yet. The messages stay and can be "
        "opened from the summary. Without a language model the summary is made by rule."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("thread", metavar="THREAD", help="id of the conversation, as in its address")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        assistant = configured()
        thread = assistant.memory.thread(options["thread"])
        condensed = assistant.condenser.condense_thread(thread.id)
        if not condensed:
            self.stdout.write("Nothing to summarize: every message is covered by a summary already.")
        for one in condensed:
            self.stdout.write(
                f"[Summary ID: {one.record.id}] {one.record.description}\n\n{one.record.summary}\n"
            )
            if one.problem:
                self.stderr.write(f"Made without the model: {one.problem}")
