"""`manage.py ingest PATH…`: Markdown and text files, and folders of them, into memory."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from researchassist.agent.assistant import configured
from researchassist.agent.ingest import ingest_file
from researchassist.errors import UnreadableFile
from researchassist.papers.text import SUFFIXES

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Ingests files; exit code 1 where any of them could not be read."""

    help = (
        "Put Markdown (.md) and text (.txt) files into memory; of a folder, all such files below it. "
        "Files whose content is in memory already are skipped. Safe to run while the server runs: the next "
        "question finds what is new. The exit code is 1 where a file could not be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file or a folder")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        files = list(_files(options["paths"]))
        if not files:
            raise CommandError(f"No {' or '.join(SUFFIXES)} file was found there.")
        assistant = configured()
        counted: Counter[str] = Counter()
        for path in tqdm(files, unit="file", disable=not sys.stderr.isatty()):
            try:
                done = ingest_file(assistant, path)
            except UnreadableFile as error:
                counted["failed"] += 1
                self._line(f"failed     {path}: {error}")
                continue
            counted[done.status] += 1
            warning = f" ({done.document.warning})" if done.document.warning else ""
            self._line(f"{done.status:10} {path}: {done.document.passages} passages{warning}")
        self.stdout.write(", ".join(f"{number} {status}" for status, number in counted.items()))
        if counted["failed"]:
            sys.exit(1)

    def _line(self, text: str) -> None:
        tqdm.write(text, file=self.stdout)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files named, and those below the folders named, hidden ones left out; each once."""
    seen = set()
    for path in paths:
        if not path.exists():
            raise CommandError(f"{path}: there is no such file or folder.")
        below = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in below:
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            wanted = path.is_file() or (file.is_file() and file.suffix.lower() in SUFFIXES and not hidden)
            if wanted and file.resolve() not in seen:
                seen.add(file.resolve())
                yield file
