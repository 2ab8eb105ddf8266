"""What searching messages gives: each message with what it was found by, or what stands around it."""

from dataclasses import dataclass

from .records import MessageRecord


@dataclass(frozen=True, kw_only=True)
class FoundMessage:
    """A message that was searched for. `snippet` is the text around what was found, on one line, in
    pieces of (text, whether it is a word that was looked for)."""

    message: MessageRecord
    thread_title: str
    snippet: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The snippet without its marks."""
        return "".join(piece for piece, _ in self.snippet)


@dataclass(frozen=True, kw_only=True)
class FoundMessages:
    """The best of the messages that were found, and how many there are in all."""

    total: int
    hits: tuple[FoundMessage, ...]


@dataclass(frozen=True, kw_only=True)
class RecalledMessage:
    """A message found by meaning and words, with the ones said before and after it in its thread.

    `score` is 0..1 and a little more where the question names the speaker.
    """

    message: MessageRecord
    thread_title: str
    score: float
    before: MessageRecord | None
    after: MessageRecord | None


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """Messages from the best on. `total` could be given in all; `waiting` of them have no vectors yet and
    are found by their words only."""

    total: int
    waiting: int
    hits: tuple[RecalledMessage, ...]
