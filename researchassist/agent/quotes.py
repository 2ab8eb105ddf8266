"""What is written as the person's rests on their own words: the check, in code (promise 6).

Pure functions, shared by everything that writes personal memory. They look at one message of the
person and nowhere else, so that no document, tool result or answer can vouch for a memory.
"""

import re
import unicodedata

from researchassist.memory.text import WIDE

# A model straightens what a keyboard curls.
_SAME = {"'": "'’‘ʼ", '"': '"“”„«»', "-": "-‐‑–—"}
_SHORTEST = 2
_STEM = 5
# Words in every other sentence about anybody: they tie nothing to a message.
_EMPTY = frozenset([
    "the", "and", "for", "with", "that", "this", "his", "her", "its", "their", "our", "your", "you",
    "are", "was", "has", "have", "had", "not", "but", "from", "who", "what", "when", "user", "users",
    "person", "always", "never", "prefers", "prefer", "wants", "want", "likes", "like", "says", "said",
    "lasting", "does", "doesn", "don", "about", "into", "also", "will", "would", "should", "could",
    "one", "all", "any", "very", "more", "most", "than", "then",
])  # fmt: skip
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s\"'<>)\]]+|[\w.+-]+@[\w-]+\.[\w.-]+\w", re.IGNORECASE)


def span_in(quote: str, message: str) -> str | None:
    """The person's own words that `quote` names, as they stand in `message`, or None.

    Blanks and line breaks, upper and lower case, curled quotation marks and dashes may differ; every
    word must be there, whole and in order. Less than two words is no quote, unless it is the message.
    """
    message = unicodedata.normalize("NFC", message)
    words = unicodedata.normalize("NFC", quote).split()
    if not words:
        return None
    pattern = r"\s+".join("".join(map(_character, word)) for word in words)
    found = re.search(rf"(?<!\w){pattern}(?!\w)", message, re.IGNORECASE)
    if found is None:
        return None
    span = found.group()
    wide = len(WIDE.findall(span))
    long_enough = len(re.findall(r"\w+", span)) + wide >= _SHORTEST
    whole = re.sub(r"\W+", "", span) == re.sub(r"\W+", "", message)
    return span if long_enough or whole else None


def rests_on(text: str, span: str, message: str) -> bool:
    """Whether `text` can be said to rest on `span`: they share a telling word, and an address in
    `text` stands in the person's message as it is."""
    if has_new_address(text, message):
        return False
    return bool(_parts(text) & _parts(span))


def has_new_address(text: str, known: str) -> bool:
    """Whether `text` holds a web or mail address that does not stand in `known`."""
    known = known.casefold()
    found = (address.rstrip(".,;:!?").casefold() for address in _ADDRESS.findall(text))
    return any(address not in known for address in found)


def _character(character: str) -> str:
    for plain, variants in _SAME.items():
        if character in variants:
            return "[" + re.escape(plain + variants) + "]"
    return re.escape(character)


def _parts(text: str) -> set[str]:
    """The telling words of a text by their beginnings, numbers, and pairs of characters of scripts
    that write without spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    wide = "".join(WIDE.findall(folded))
    parts = {wide[place : place + 2] for place in range(len(wide) - 1)}
    for word in re.findall(r"\w+", WIDE.sub(" ", folded)):
        if word not in _EMPTY and (len(word) > 2 or word.isdecimal()):
            parts.add(word[:_STEM])
    return parts
