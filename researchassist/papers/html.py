"""Web pages: their main text as Markdown, read in the child process."""

from researchassist.errors import NoText, UnreadableFile

from .extracted import Extracted
from .process import Limits, lines_of
from .text import clean


def extract(data: bytes, name: str, limits: Limits) -> Extracted:
    """The main text of a page, without menus and footers, with its headings.

    Raises UnreadableFile where it cannot be read, and NoText where it has no main text.
    """
    lines = list(lines_of("html", data, limits))
    found = next((line for line in lines if "text" in line), None)
    if found is None:
        raise UnreadableFile(f"{name}: this web page could not be read within the limits.")
    text = clean(found["text"]).strip()
    if not text:
        raise NoText(f"{name}: there is no text in it.")
    return Extracted(
        text=text,
        title=clean(found["title"]).strip()[:300] or name,
        kind="html",
        authors=tuple(part.strip() for part in clean(found["authors"]).split(";") if part.strip()),
        published=found["published"],
        warning="The page is longer than what was kept." if found["cut"] else "",
    )
