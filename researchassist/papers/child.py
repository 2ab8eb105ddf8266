"""The child process that opens what came from outside: `python -m researchassist.papers.child KIND …`.

Reads the file from its standard input and writes JSON lines; limits itself in memory and processor
time before it opens anything. Started by process.py only, with no secret in its environment.
"""

import contextlib
import json
import resource
import shutil
import subprocess
import sys
from dataclasses import asdict
from typing import Any

from researchassist.papers.layout import Line, read

_OCR_DPI = 200
_OCR_SECONDS = 60


def say(**fields: Any) -> None:
    """One line to the parent."""
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def limit(*, memory_mb: int, seconds: int) -> None:
    """Bounds this process; what needs more ends with an error instead of taking the machine."""
    size = memory_mb * 1_000_000
    wanted = {
        resource.RLIMIT_AS: (size, size),
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_CORE: (0, 0),
    }
    for what, bounds in wanted.items():
        # macOS has no bound on address space; the time limits hold there too.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, bounds)


def read_pdf(data: bytes, *, pages: int, characters: int) -> None:
    """Writes a line about the document, then one for each page."""
    document = open_pdf(data)
    if document is None:
        say(refused="damaged")
        return
    if not document.is_pdf:
        say(refused="type")
        return
    if document.needs_pass:
        say(refused="password")
        return
    say(
        count=document.page_count,
        repaired=bool(document.is_repaired),
        metadata={key: str(value) for key, value in (document.metadata or {}).items() if value},
    )
    ocr, written = shutil.which("tesseract"), 0
    for number in range(min(document.page_count, pages)):
        try:
            found = read_page(document, number, ocr)
        except (RuntimeError, ValueError, IndexError) as error:
            # MuPDF says so where the system gives it no more memory.
            say(page=number + 1, error="memory" if "alloc" in str(error) else "damaged")
            continue
        say(page=number + 1, **found)
        written += sum(len(line) for paragraph in found["paragraphs"] for line in paragraph)
        if written > characters:
            say(stopped="characters")
            return
    say(stopped="pages" if document.page_count > pages else "")


def library() -> Any:
    """PyMuPDF, without the layout models and the Markdown writer it loads where it finds them: they
    are not used here, and cost 0.7 s and 450 MB of address space a process."""
    for unused in ("pymupdf.layout", "pymupdf4llm"):
        sys.modules.setdefault(unused, None)  # type: ignore[arg-type]
    import pymupdf  # noqa: PLC0415  (only here, behind the limits)

    pymupdf.TOOLS.mupdf_display_errors(False)  # type: ignore[no-untyped-call]
    return pymupdf


def open_pdf(data: bytes) -> Any:
    """The document, or None. One that is cut in the middle of an object is cut before that object."""
    pymupdf = library()
    for some in (data, data[: data.rfind(b"endobj") + 6]):
        try:
            return pymupdf.open(stream=some, filetype="pdf")
        except (RuntimeError, ValueError):
            continue
    return None


def read_page(document: Any, number: int, ocr: str | None) -> dict[str, Any]:
    """One page's paragraphs in reading order, its head and foot; of the first also type sizes."""
    pymupdf = library()
    page = document[number]
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    lines: list[Line] = []
    side: list[str] = []
    for block in page.get_text("dict", flags=flags)["blocks"]:
        for line in block.get("lines", ()):
            text = "".join(span["text"] for span in line["spans"])
            if not text.strip():
                continue
            if abs(line["dir"][1]) > 0.1:
                side.append(text)
                continue
            size = max(span["size"] for span in line["spans"])
            bold = all(span["flags"] & 16 for span in line["spans"] if span["text"].strip())
            left, top, right, low = line["bbox"]
            lines.append(Line(left, top, right, low, text.strip(), max(size, 1.0), bold))
    if not lines and page.get_images():
        return _scanned(page, ocr)
    shown = read(lines, page.rect.height)
    found: dict[str, Any] = {"paragraphs": shown.paragraphs, "head": shown.head, "foot": shown.foot}
    if number == 0:
        found["side"] = side
        found["sizes"] = [
            [line.text, round(line.size, 1)]
            for line in sorted(lines, key=lambda one: (one.y0, one.x0))
            if line.y0 < 0.6 * page.rect.height
        ]
    return found


def _scanned(page: Any, ocr: str | None) -> dict[str, Any]:
    """A page that is only an image: its text by Tesseract where that is installed."""
    empty: dict[str, Any] = {"paragraphs": [], "head": [], "foot": [], "image": True}
    if ocr is None:
        return empty
    picture = page.get_pixmap(dpi=_OCR_DPI).tobytes("png")
    try:
        done = subprocess.run(  # noqa: S603
            [ocr, "stdin", "stdout"], input=picture, capture_output=True, timeout=_OCR_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return empty
    blocks = done.stdout.decode("utf-8", "replace").split("\n\n")
    paragraphs = [[line for line in block.splitlines() if line.strip()] for block in blocks]
    return empty | {"paragraphs": [lines for lines in paragraphs if lines], "ocr": True}


def read_html(data: bytes, *, characters: int) -> None:
    """Writes the page's main text as Markdown, with what it says about itself."""
    import trafilatura  # noqa: PLC0415

    text = trafilatura.extract(
        data, output_format="markdown", include_comments=False, include_tables=True, with_metadata=False
    )
    about = trafilatura.extract_metadata(data)
    say(
        text=(text or "")[:characters],
        cut=len(text or "") > characters,
        title=(about and about.title) or "",
        authors=(about and about.author) or "",
        published=(about and about.date) or "",
    )


def read_references(kind: str, data: bytes) -> None:
    """Writes a line for each entry of a reference list."""
    from researchassist.papers import references  # noqa: PLC0415

    parse = references.bibtex if kind == "bibtex" else references.ris
    found, broken = parse(data.decode())
    for entry in found:
        say(entry=asdict(entry))
    say(stopped="", broken=broken)


def main(kind: str, memory_mb: int, seconds: int, pages: int, characters: int) -> None:
    """Reads the standard input as `kind`."""
    limit(memory_mb=memory_mb, seconds=seconds)
    try:
        data = sys.stdin.buffer.read()
        if kind == "pdf":
            read_pdf(data, pages=pages, characters=characters)
        elif kind == "html":
            read_html(data, characters=characters)
        else:
            read_references(kind, data)
    except MemoryError:
        say(stopped="memory")


if __name__ == "__main__":
    main(sys.argv[1], *(int(argument) for argument in sys.argv[2:6]))
