"""What the commands share: errors as sentences with an exit code instead of tracebacks."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from researchassist.errors import ResearchAssistError


class SentenceCommand(BaseCommand):
    """A command whose expected errors are one sentence on stderr and exit code 1."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Runs the command; see BaseCommand.execute."""
        try:
            return super().execute(*args, **options)
        except ResearchAssistError as error:
            raise CommandError(str(error)) from error
