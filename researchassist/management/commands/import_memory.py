"""`manage.py import_memory FILE`: personal memory from a file of export_memory."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from researchassist.agent.assistant import configured
from researchassist.agent.personal_file import read
from researchassist.errors import UnreadableFile

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Restores an empty memory as it was, or adds the facts to one that is not empty."""

    help = (
        "Read a file of export_memory. An empty memory is restored with its history; else the facts that "
        "hold are added, and what was forgotten here does not come back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("file", metavar="FILE", type=Path, help="a file that export_memory wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        path = options["file"]
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UnreadableFile(f"{path} cannot be read: {error}.") from error
        done = read(configured().memory, text)
        if done.restored:
            self.stdout.write(f"Restored, {done.added} facts with their history.")
            return
        self.stdout.write(f"{done.added} facts added, {done.known} were known, {len(done.refused)} refused.")
        for one in done.refused:
            self.stdout.write(f"  {one}")
