"""`manage.py export_thread THREAD`: a conversation as JSON or Markdown."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from researchassist.agent.assistant import configured
from researchassist.agent.thread_files import export_json, export_markdown

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Writes a conversation with all that belongs to it."""

    help = (
        "Write a conversation as JSON, which import_thread reads back without loss, or as Markdown to be "
        "read. Earlier versions are in it, marked."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("thread", metavar="THREAD", help="id of the conversation, as in its address")
        parser.add_argument("--format", choices=["json", "markdown"], default="json")
        parser.add_argument("--output", metavar="FILE", type=Path, help="where to write it (default: here)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        write = export_json if options["format"] == "json" else export_markdown
        text = write(configured(), options["thread"])
        if options["output"] is None:
            self.stdout.write(text, ending="")
            return
        try:
            options["output"].write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(
                f"{options['output']} cannot be written: {error.strerror or error}."
            ) from error
