"""`manage.py ingest_metadata FILE.jsonl[.gz]`: the public arXiv metadata dump into memory."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from tqdm import tqdm

from researchassist.agent.assistant import configured
from researchassist.agent.batch import ingest_metadata

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Ingests titles and abstracts; exit code 1 where lines could not be read."""

    help = (
        "Put the titles and abstracts of an arXiv metadata dump into memory: JSON lines (gzip or not) "
        "with id, title, authors, categories and abstract, as arXiv publishes them. Read line by line, "
        "however long the file is; what is in memory already is skipped, so a run that was cut off is "
        "simply run again. The exit code is 1 where lines could not be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("file", type=Path, metavar="FILE.jsonl[.gz]", help="the dump")
        parser.add_argument("--batch", type=int, default=256, help="papers embedded together (default: 256)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        counted = dict.fromkeys(("new", "changed", "unchanged", "unreadable"), 0)
        with tqdm(unit="paper", disable=not sys.stderr.isatty()) as bar:
            for done in ingest_metadata(configured(), options["file"], batch=max(options["batch"], 1)):
                for name in counted:
                    counted[name] += getattr(done, name)
                bar.update(done.new + done.changed + done.unchanged + done.unreadable)
        self.stdout.write(", ".join(f"{number} {name}" for name, number in counted.items()))
        if counted["unreadable"]:
            sys.exit(1)
