"""`manage.py export_memory [FILE]`: all personal memory as JSON."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from researchassist.agent.assistant import configured
from researchassist.agent.personal_file import written

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Writes facts, their history, core memory and profile; no model is needed."""

    help = "Write all that is remembered of you as JSON, to FILE or to the terminal."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a file that is not there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command; an existing file is never overwritten."""
        text, path = written(configured().memory), options["file"]
        if path is None:
            self.stdout.write(text, ending="")
            return
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}.") from error
        self.stdout.write(f"Written to {path}.")
