"""An answer as HTML while it is being written: its finished blocks once each, and its open end.

What one more token costs does not grow with the answer: only the end that is still open is rendered
again, at most some times a second, and never for more than a small share of the time. The page shows
the pieces of text in between as they come (static/researchassist/live_text.js).
"""

import time
from dataclasses import replace
from typing import Any

from researchassist.agent.events import PassagesGiven, TextAdded, TextSetAside, TextWithdrawn, TurnEvent

from .rendering.blocks import blocks_of, environment, html_of, normalized
from .rendering.citations import Citing
from .rendering.clock import TooLong

_LEAST_PAUSE = 0.05
# Rendering takes at most one part of this many of the time that goes by.
_SHARE = 12
# A longer open end is shown as plain text until it is finished.
_LONGEST_END = 12_000
_SECONDS = 0.2


class LiveText:
    """The text of one answer as far as it is written."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}  # what each passage is called that may be cited, by its id
        self._due = 0.0
        self.clear()

    def clear(self) -> None:
        """Forgets the text; what follows is another one."""
        self._citing = Citing(self._given)
        self._references: dict[str, Any] = {}
        self._finished: list[str] = []
        self._sent = 0
        self._end = ""
        self._held = ""
        self.pending = False

    def hear(self, event: TurnEvent) -> None:
        """Takes in what an event of a turn does to the text."""
        match event:
            case TextAdded(text):
                self.add(text)
            case PassagesGiven(labels):
                self._given |= labels
            case TextSetAside() | TextWithdrawn():
                self.clear()

    def add(self, text: str) -> None:
        """Adds a piece of text."""
        text = self._held + text
        # The other half of a line end may come with the next piece.
        self._held = "\r" if text.endswith("\r") else ""
        self._end += normalized(text.removesuffix("\r"))
        self.pending = True

    def wait(self) -> float:
        """Seconds until what was added may be rendered."""
        return max(self._due - time.monotonic(), 0.0)

    def rendered(self) -> dict[str, Any]:
        """What changed since the last time: blocks that were finished, and how the open end looks.

        `html` is the open end, or, where that is too long to be rendered again and again, `text`.
        """
        started = time.monotonic()
        self._finish_blocks()
        new, self._sent = self._finished[self._sent :], len(self._finished)
        payload = {"type": "rendered", "blocks": new} | self._open_end()
        self.pending = False
        cost = time.monotonic() - started
        self._due = started + cost + max(_LEAST_PAUSE, _SHARE * cost)
        return payload

    def whole(self) -> dict[str, Any]:
        """All of it, for a page that has shown a part before and comes back."""
        self._sent = 0
        return self.rendered() | {"whole": True}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written."""
        return not (self._end or self._finished)

    def _finish_blocks(self) -> None:
        """Renders the blocks that later text cannot change, as far as lines are complete."""
        lines = self._end[: self._end.rfind("\n") + 1]
        env = self._env(self._citing)
        try:
            blocks = blocks_of(lines, env)
        except TooLong:
            return
        finished = [block for block in blocks if block.finished]
        if finished:
            self._finished += [html_of(block, lines, env) for block in finished]
            self._end = self._end[finished[-1].end :]

    def _open_end(self) -> dict[str, Any]:
        if len(self._end) > _LONGEST_END:
            return {"text": self._end}
        env = self._env(replace(self._citing, numbers=dict(self._citing.numbers)))
        try:
            return {"html": "\n".join(html_of(block, self._end, env) for block in blocks_of(self._end, env))}
        except TooLong:
            return {"text": self._end}

    def _env(self, citing: Citing) -> dict[str, Any]:
        return environment(citing, seconds=_SECONDS, is_open=True) | {"references": self._references}
