"""What the commands share: errors as sentences with an exit code instead of tracebacks."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from researchassist.errors import ResearchAssistError


class SentenceCommand(BaseCommand):
    """A command whose expected errors are one sentence on stderr and exit code 1."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Runs the command; see BaseCommand.execute. Refuses a memory that this version has not prepared."""
        _refuse_unprepared()
        try:
            return super().execute(*args, **options)
        except ResearchAssistError as error:
            raise CommandError(str(error)) from error


def _refuse_unprepared() -> None:
    """Raises CommandError where the database is new, or of an earlier version of the project."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError(
            "The memory is new, or was written by an earlier version. Prepare it with "
            "python manage.py migrate, which loses nothing, and run this again; make run does both."
        )
