"""Answers as HTML: Markdown rendered, then cleaned. The one place that marks HTML as safe.

Text from a model or a document can neither run anything nor load anything from elsewhere; how it is
rendered is in rendering/.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe

from .rendering.blocks import blocks_of, environment, html_of, normalized
from .rendering.blocks import plain as plain_html
from .rendering.citations import Citing
from .rendering.clock import TooLong

NOTHING = SafeString("")

# A longer text is shown as it is: a page of it would take the browser long, too.
_LONGEST = 500_000
# Of this thread's own work; what is not rendered by then is shown as plain text.
_SECONDS = 0.4


@dataclass(frozen=True)
class Rendered:
    """An answer's HTML, the ids of the passages it cites in the order of their numbers from 1, and the
    sentence each of its marks ends, in their order."""

    html: SafeString
    cited: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


def render(text: str) -> SafeString:
    """`text` as clean HTML; as plain text where it cannot be rendered in good time."""
    return _rendered(text, (), "").html


def render_answer(text: str, given: Mapping[str, str], address: str) -> Rendered:
    """An answer whose marks open the passages it was given, named by their ids.

    `address` is where a passage is opened, without its id at the end.
    """
    return _rendered(text, tuple(given.items()), address)


def plain(text: str) -> SafeString:
    """`text` escaped, with its line breaks."""
    return mark_safe(plain_html(text))  # noqa: S308  (escaped)


@lru_cache(maxsize=512)
def _rendered(text: str, given: tuple[tuple[str, str], ...], address: str) -> Rendered:
    if len(text) > _LONGEST:
        return Rendered(plain(text))
    source = normalized(text)
    citing = Citing(dict(given), address)
    env = environment(citing, seconds=_SECONDS)
    try:
        html = "\n".join(html_of(block, source, env) for block in blocks_of(source, env))
    except TooLong:
        html = ""
    if not html:
        return Rendered(plain(text) if text.strip() else NOTHING)
    return Rendered(mark_safe(html), tuple(citing.numbers), tuple(citing.claims))  # noqa: S308  (cleaned)
