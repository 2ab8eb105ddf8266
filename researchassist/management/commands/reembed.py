"""`manage.py reembed`: moves the database to another embedding model."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from tqdm import tqdm

from researchassist.agent.reembed import move_database, target

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Embeds every row of the vector stores by the configured model; may be cut off and run again."""

    help = (
        "Move the database to another embedding model: set RESEARCHASSIST_EMBEDDING_MODEL to it and run "
        "this. Every passage, message, summary, tool, name and fact is embedded anew. A run that was "
        "cut off goes on where it was; meanwhile searches say what is not moved yet. A running server has "
        "to be started anew to use the new model."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument(
            "--model",
            default=settings.RESEARCHASSIST.embedding_model,
            help="the model to move to: packaged, a sentence-transformers name, or a folder",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        embedder = target(options["model"])
        done: dict[str, int] = {}
        with tqdm(unit="row", disable=not sys.stderr.isatty()) as bar:
            for step in move_database(settings.RESEARCHASSIST, embedder):
                bar.set_description(f"{step.store} {step.done:,} of {step.total:,}")
                bar.update(step.done - done.get(step.store, 0))
                done[step.store] = step.done
        moved = sum(done.values())
        self.stdout.write(f"{moved:,} rows moved; the database is bound to {embedder.name}.")
