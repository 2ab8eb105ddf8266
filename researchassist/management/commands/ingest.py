"""`manage.py ingest PATH|ARXIV-ID|DOI|URL…`: files, folders and papers into memory."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from researchassist.agent.assistant import configured
from researchassist.agent.batch import ingest_files
from researchassist.agent.ingest import ingest_reference
from researchassist.agent.keep import Ingested
from researchassist.errors import ResearchAssistError
from researchassist.papers.formats import SUFFIXES
from researchassist.papers.identify import is_ambiguous, reference

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Ingests files and papers; exit code 1 where any of them could not be read."""

    help = (
        "Put papers, notes and reference lists into memory: PDF, Markdown, text, HTML, BibTeX and RIS "
        "files, folders of them, arXiv ids, DOIs and addresses. Files whose content is in memory already "
        "are skipped, so a run that was cut off is simply run again. Safe to run while the server runs: "
        "the next question finds what is new. The exit code is 1 where anything could not be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument(
            "what", nargs="+", metavar="PATH|ARXIV-ID|DOI|URL", help="a file, folder or paper"
        )
        parser.add_argument(
            "--jobs", type=int, default=0, help="files read at a time (default: one a processor)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        paths = [given for given in options["what"] if not _is_reference(given)]
        references = [given for given in options["what"] if _is_reference(given)]
        files = list(_files(paths))
        if not files and not references:
            raise CommandError(f"No file that can be read was found there ({', '.join(SUFFIXES)}).")
        lines = list(self._ingest(files, references, options["jobs"]))
        for status, name, text in lines:
            self.stdout.write(f"{status:10} {name}: {text}")
        counted = Counter(status for status, _, _ in lines)
        self.stdout.write(", ".join(f"{number} {status}" for status, number in counted.items()))
        if counted["failed"]:
            sys.exit(1)

    def _ingest(
        self, files: Sequence[Path], references: Sequence[str], jobs: int
    ) -> Iterator[tuple[str, str, str]]:
        """What became of each: status, name, and what to say of it."""
        assistant = configured()
        with tqdm(total=len(files) + len(references), unit="file", disable=not sys.stderr.isatty()) as bar:
            for path, done in ingest_files(assistant, files, jobs=jobs):
                bar.update()
                yield _line(str(path), done)
            for given in references:
                try:
                    ingested: Ingested | ResearchAssistError = ingest_reference(assistant, given)
                except ResearchAssistError as error:
                    ingested = error
                bar.update()
                yield _line(given, ingested)


def _line(name: str, done: Ingested | ResearchAssistError) -> tuple[str, str, str]:
    if isinstance(done, ResearchAssistError):
        return "failed", name, str(done)
    document = done.document
    notes = " ".join(note for note in (document.warning, done.note) if note)
    if done.status == "failed":
        return "failed", name, done.note or document.warning
    if done.entries:
        news = sum(one.status == "new" for one in done.entries)
        return done.status, name, f"{len(done.entries)} references, {news} new"
    pages = f"{document.pages} pages, " if document.pages else ""
    return done.status, name, f"{pages}{document.passages} passages{f' ({notes})' if notes else ''}"


def _is_reference(given: str) -> bool:
    return not Path(given).exists() and (reference(given) is not None or is_ambiguous(given))


def _files(named: Sequence[str]) -> Iterator[Path]:
    """The files named, and those below the folders named, hidden ones left out; each once."""
    seen = set()
    for given in named:
        path = Path(given)
        if not path.exists():
            raise CommandError(
                f"{given}: there is no such file or folder, and it is no arXiv id, DOI or link."
            )
        below = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in below:
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            wanted = path.is_file() or (file.is_file() and file.suffix.lower() in SUFFIXES and not hidden)
            if wanted and file.resolve() not in seen:
                seen.add(file.resolve())
                yield file
