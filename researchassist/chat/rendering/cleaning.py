"""The last step over all HTML that a text was made into: what is not listed here is taken away."""

import re

import nh3

_CLASS = re.compile(
    r"^(?:hl-[a-z0-9]{1,4}|align-(?:left|center|right)|code|table|image|task|latex|math|math-display|math-block"
    r"|citation|mark-number|level-[1-6])$"
)
_ADDRESS = re.compile(r"^(?:https?://|mailto:)", re.IGNORECASE)
_PASSAGE = re.compile(r"^/turns/[0-9a-f]{32}/passages/[0-9]+\?mark=[0-9]+$")
_WORD = re.compile(r"^[A-Za-z0-9+#.-]{1,30}$")
_MATHS = {
    *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mstyle", "mpadded", "mphantom", "menclose"),
    *("msup", "msub", "msubsup", "mover", "munder", "munderover", "mmultiscripts", "mprescripts", "none"),
    *("mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd"),
}
_MATHS_ATTRIBUTES = {
    *("display", "mathvariant", "mathsize", "mathcolor", "displaystyle", "scriptlevel", "stretchy", "fence"),
    *("form", "separator", "largeop", "movablelimits", "symmetric", "accent", "accentunder", "linethickness"),
    *("columnalign", "columnspacing", "rowspacing", "columnlines", "rowlines", "frame", "notation"),
    *("lspace", "rspace", "minsize", "maxsize", "width", "height", "depth", "voffset"),
}
_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote"),
    *("wbr", "em", "strong", "s", "a", "code", "pre", "span", "div", "sup"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    **{tag: {"class"} for tag in ("span", "div", "th", "td", "li", "sup", "h3")},
    "pre": {"class", "data-language"},
    "a": {"class", "href", "title", "target", "aria-label"},
    "ol": {"start"},
    **dict.fromkeys(_MATHS, _MATHS_ATTRIBUTES),
}


def cleaned(html: str) -> str:
    """What is left of `html` under the lists above; links open elsewhere and tell nothing."""
    return nh3.clean(
        html,
        tags=_TAGS | _MATHS,
        attributes=_ATTRIBUTES,
        attribute_filter=_kept,
        tag_attribute_values={"pre": {"tabindex": {"0"}}, "div": {"tabindex": {"0"}}},
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto"},
        url_relative="pass_through",
    )


def _kept(tag: str, name: str, value: str) -> str | None:
    """The value of an attribute that stays. The one address of ours is that of a passage."""
    if name == "class":
        return " ".join(part for part in value.split() if _CLASS.match(part)) or None
    if name == "href":
        return value if _ADDRESS.match(value) or _PASSAGE.match(value) else None
    if name == "target":
        return value if value == "_blank" else None
    if name == "data-language" or tag in _MATHS:
        return value if name != "data-language" or _WORD.match(value) else None
    return value
