"""The model for when none is set: quotes what the context holds, and says so.

Works on the text of the context alone. It invents nothing and calls no tool.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from .types import Message, Piece, Reply, ToolSchema

NAME = "no language model"

_HOW_TO_SET = (
    "*No language model is set, so this is quoted word for word. "
    "With a model (see the README: `OPENAI_API_KEY` or `OPENAI_BASE_URL`) I can answer in my own words.*"
)
_NOTHING = "Nothing in memory speaks to this question."
_MOST_QUOTES = 4
_LONGEST_QUOTE = 600

_PASSAGE = re.compile(r"<(source-[0-9a-f]+)((?: [a-z]+=\"[^\"]*\")*)>\n(.*?)\n</\1>", re.DOTALL)
_ATTRIBUTE = re.compile(r" ([a-z]+)=\"([^\"]*)\"")
_SAID = re.compile(r"^\[([^\]\n]+)\] user: (.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n{2,}|\n(?=[#>*-])")
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "not",
        "of",
        "on",
        "or",
        "our",
        "paper",
        "papers",
        "say",
        "says",
        "said",
        "she",
        "he",
        "so",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


@dataclass(frozen=True)
class _Quote:
    text: str
    source: str
    about: str
    mark: str = ""


class OfflineModel:
    """Answers with the sentences of the context that share most with the question."""

    name = NAME

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[Piece]:
        """See `types.LanguageModel.stream`; `tools` and `max_tokens` change nothing here."""
        del tools, max_tokens
        content = next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")
        answer = _answer(str(content))
        yield from re.findall(r"\S+\s*|\s+", answer)
        yield Reply(answer)


def _answer(content: str) -> str:
    question, _, memory = content.removeprefix("# Question\n").partition("\n\n## Conversation Memory\n")
    best = _best(question, _quotes(memory))
    if not best:
        return f"{_NOTHING}\n\n{_HOW_TO_SET}"
    blocks = ["From memory:"]
    for source in dict.fromkeys(quote.source for quote in best):
        quoted = [f"{quote.text} {quote.mark}".rstrip() for quote in best if quote.source == source]
        lines = [f"> {line}" for quote in quoted for line in quote.splitlines()]
        blocks.append("\n".join([*lines, ">", f"> — {source}"]))
    return "\n\n".join([*blocks, _HOW_TO_SET])


def _quotes(memory: str) -> list[_Quote]:
    """Every sentence of a passage, and every message of the person, with its source."""
    quotes = []
    for _, named, body in _PASSAGE.findall(memory):
        attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(named)}
        title, place = attributes.get("document", "a document"), attributes.get("from", "")
        page = f", page {attributes['page']}" if "page" in attributes else ""
        source = f"{title} ({place}{page})" if place and place != title else f"{title}{page}"
        sentences = (sentence.strip().lstrip("#").strip() for sentence in _SENTENCE.split(body))
        quotes += [
            _Quote(text[:_LONGEST_QUOTE], source, f"{title} {place}", attributes.get("mark", ""))
            for text in sentences
            if text.rstrip(".") not in ("", title)
        ]
    # Without the passages: a document that looks like a message is not the person's.
    said = _SAID.findall(_PASSAGE.sub("", memory))
    quotes += [_Quote(text[:_LONGEST_QUOTE], f"you, {time}", "") for time, text in said]
    return quotes


def _best(question: str, quotes: Sequence[_Quote]) -> list[_Quote]:
    """The quotes that share rare words with the question, in their order in memory."""
    asked = _words(question)
    bags = [_words(quote.text) for quote in quotes]
    rarity = {w: math.log(1 + len(bags) / (1 + sum(w in bag for bag in bags))) for w in asked}
    scores = []
    for quote, bag in zip(quotes, bags, strict=True):
        shared = sum(rarity[word] for word in asked & bag)
        about = sum(rarity[word] for word in asked & _words(quote.about))
        scores.append(shared + about if shared else 0.0)
    top = max(scores, default=0.0)
    ranked = sorted((i for i, score in enumerate(scores) if score > top * 0.6), key=lambda i: -scores[i])
    return [quotes[i] for i in sorted(ranked[:_MOST_QUOTES])]


def _words(text: str) -> frozenset[str]:
    """Content words, folded, without a plural or third-person s."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(w[:-1] if len(w) > 3 and w.endswith("s") else w for w in words if w not in _COMMON)
