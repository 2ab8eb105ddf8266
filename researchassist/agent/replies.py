"""Reading JSON out of what a helper's model replied, however it wrapped it. Pure."""

import ast
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import json_repair

from researchassist.llm.thinking import without_thinking

_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=lambda text: _finite(float(text)))


@dataclass(frozen=True)
class ReadReply:
    """The value found, None where there is none; `cut` where the reply ends in the middle of one."""

    value: Any
    cut: bool = False


def read_json(reply: str) -> ReadReply:
    """The JSON value in a reply with prose, fences or reasoning around it.

    Of several lists the last counts (an example comes before the answer), objects one after the
    other are a list, and of a reply that was cut what is whole. NaN and Infinity are null.
    """
    text = without_thinking(reply).strip()
    values = list(_values(text))
    if len(values) == 1 and isinstance(values[0], str):
        return read_json(values[0])
    lists = [value for value in values if isinstance(value, list) and _meant(value)]
    objects = [value for value in values if isinstance(value, dict)]
    if lists:
        return ReadReply(lists[-1])
    if objects:
        return ReadReply(objects[0] if len(objects) == 1 else objects, cut=text.count("{") > text.count("}"))
    return ReadReply(_repaired(text))


def _values(text: str) -> Iterator[Any]:
    """Every whole list and object in `text`, and a string where it is nothing else."""
    place = 0
    if text.startswith('"'):
        try:
            yield _DECODER.decode(text)
            return
        except ValueError:
            pass
    while place < len(text):
        if text[place] in "[{":
            try:
                value, place = _DECODER.raw_decode(text, place)
            except (ValueError, RecursionError):
                place += 1
                continue
            yield value
        else:
            place += 1


def _meant(value: list[Any]) -> bool:
    """Whether a list is an answer and not a mark in prose such as [2]."""
    return not value or any(isinstance(entry, dict | str | list) for entry in value)


def _repaired(text: str) -> Any:
    """What can be made of text that is nearly JSON: Python's way of writing it, or broken JSON."""
    starts = [text.find(mark) for mark in "[{" if mark in text]
    if not starts:
        return None
    span = text[min(starts) : max(text.rfind("]"), text.rfind("}")) + 1] or text[min(starts) :]
    try:
        return ast.literal_eval(span)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        return json_repair.loads(span)
    except (ValueError, RecursionError):
        # Nested deeper than any answer is.
        return None


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
