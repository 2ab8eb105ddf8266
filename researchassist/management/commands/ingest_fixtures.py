"""`manage.py ingest_fixtures`: the invented sample papers and conversation, in or out."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from researchassist.agent.assistant import configured
from researchassist.agent.samples import ingest_samples, remove_samples, were_ingested

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Puts the samples in; running it again changes nothing."""

    help = (
        "Put the sample papers and the sample conversation into memory. They are invented and marked as "
        "samples. Running it again changes nothing; --remove takes them out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Options of the command."""
        parser.add_argument("--remove", action="store_true", help="take the samples out again")
        parser.add_argument(
            "--once",
            action="store_true",
            help="do nothing where the samples were put in before, even if they were removed since",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        assistant = configured()
        if options["remove"]:
            steps = list(remove_samples(assistant))
            self._say(steps or [])
            if not steps:
                self.stdout.write("There are no samples in memory.")
            return
        if options["once"] and were_ingested(assistant):
            return
        self._say(ingest_samples(assistant, settings.BASE_DIR / "fixtures"))

    def _say(self, steps: Any) -> None:
        for step in steps:
            self.stdout.write(f"sample {step.name}: {step.outcome}")
