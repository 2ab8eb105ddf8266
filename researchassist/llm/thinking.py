"""Taking a model's reasoning out of its answer, while the answer is still being written. Pure.

Reasoning stands at the start, between <think> and </think>; some servers send the closing tag
alone, since the opening one was in the prompt. A tag further on, or in code, is text.
"""

_TAGS = ("think", "thinking", "reasoning")
_OPEN = tuple(f"<{tag}>" for tag in _TAGS)
_CLOSE = tuple(f"</{tag}>" for tag in _TAGS)


class Thinking:
    """Feed it the text as it comes; it gives what may be shown."""

    def __init__(self) -> None:
        self._waiting = ""
        self._shown = ""
        self._state = "start"

    @property
    def shown(self) -> str:
        """The answer so far."""
        return self._shown

    def feed(self, text: str) -> tuple[str, bool]:
        """Takes a piece in; gives what it adds to the answer, and whether all before was reasoning."""
        self._waiting += text
        if self._state == "start":
            self._start()
        if self._state == "inside":
            self._inside()
        return self._outside() if self._state == "outside" else ("", False)

    def finish(self) -> str:
        """What was held back in case it was the start of a tag; call it once, at the end."""
        rest = "" if self._state == "inside" else self._waiting
        if not self._shown:
            rest = rest.lstrip()
        self._waiting = ""
        self._shown += rest
        return rest

    def _start(self) -> None:
        """Decides whether the reply begins with reasoning, once there is enough of it to tell."""
        head = self._waiting.lstrip()
        opened = next((tag for tag in _OPEN if head.startswith(tag)), None)
        if opened is not None:
            self._waiting, self._state = head.removeprefix(opened), "inside"
        elif head and not any(tag.startswith(head) for tag in _OPEN):
            self._state = "outside"

    def _inside(self) -> None:
        """Drops reasoning up to its end."""
        for tag in _CLOSE:
            _, found, rest = self._waiting.partition(tag)
            if found:
                self._waiting, self._state = rest, "outside"
                return
        self._waiting = self._waiting[-max(map(len, _CLOSE)) :]

    def _outside(self) -> tuple[str, bool]:
        """Shows text, but for an end that may be a closing tag's beginning."""
        text, self._waiting = self._waiting, ""
        before, found, after = _first_close(text)
        if found and not self._is_text(self._shown + before, found):
            self._shown = ""
            shown, _ = self._show(after)
            return shown, True
        return self._show(text)

    def _show(self, text: str) -> tuple[str, bool]:
        held = next((n for n in range(min(len(text), 11), 0, -1) if _may_close(text[-n:])), 0)
        self._waiting = text[len(text) - held :]
        text = text[: len(text) - held]
        if not self._shown:
            text = text.lstrip()
        self._shown += text
        return text, False

    @staticmethod
    def _is_text(before: str, tag: str) -> bool:
        """Whether a closing tag after `before` is part of the answer: opened there, or in code."""
        line = before.rpartition("\n")[2]
        return tag.replace("/", "") in before or line.count("`") % 2 == 1 or before.count("```") % 2 == 1


def _first_close(text: str) -> tuple[str, str, str]:
    """`text` around its first closing tag; the tag is empty where there is none."""
    places = [(text.index(tag), tag) for tag in _CLOSE if tag in text]
    if not places:
        return text, "", ""
    place, tag = min(places)
    return text[:place], tag, text[place + len(tag) :]


def _may_close(end: str) -> bool:
    return any(tag.startswith(end) and tag != end for tag in _CLOSE)


def without_thinking(text: str) -> str:
    """The answer in a whole reply."""
    thinking = Thinking()
    thinking.feed(text)
    thinking.finish()
    return thinking.shown
