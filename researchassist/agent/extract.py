"""Entities out of a text, by the writer model (R12).

Owns the prompt and reading the reply leniently; when it runs, and that a failure never touches
the answer, is writeback.py's.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from researchassist.llm.types import LanguageModel, complete
from researchassist.memory.text import storable

from .prompts import render
from .replies import read_json

# R12, CTX-C8
SOURCE_CHARS = 500
ENTITY_TOKENS = 2000
CUT = "The model's reply was cut off; what was whole of it was kept."


class EntityDraft(BaseModel):
    """One entity as a model names it; odd types become UNKNOWN in the store."""

    model_config = ConfigDict(extra="ignore")

    name: str
    type: str = "UNKNOWN"
    description: str = ""

    @field_validator("name")
    @classmethod
    def _named(cls, value: str) -> str:
        # Half of a character is no part of a name.
        value = storable(value).replace("\N{REPLACEMENT CHARACTER}", "")
        if not any(character.isalpha() for character in value):
            raise ValueError("a name has letters; a date or a number is none")
        return value

    @field_validator("type", "description", mode="before")
    @classmethod
    def _text(cls, value: object) -> str:
        return value if isinstance(value, str) else ""


@dataclass(frozen=True)
class Extracted:
    """What a reply named; `problem` says what is wrong with the reply, if something is."""

    drafts: tuple[EntityDraft, ...]
    problem: str = ""


def extract_entities(text: str, writer: LanguageModel) -> Extracted:
    """The entities of the first 500 characters of `text`; raises ModelError.

    An entry that is no entity is left out and never costs the others.
    """
    source = text[:SOURCE_CHARS]
    if not source.strip():
        return Extracted(())
    reply = read_json(complete(writer, render("entities", text=source), max_tokens=ENTITY_TOKENS))
    drafts = []
    for entry in _entries(reply.value):
        try:
            drafts.append(EntityDraft.model_validate(entry))
        except ValidationError:
            continue
    return Extracted(tuple(drafts), CUT if reply.cut else "")


def _entries(value: Any) -> Iterator[Any]:
    """What may be entities in a reply: a list, one wrapped or nested, one object, names, or a map of
    names to types."""
    if isinstance(value, str):
        yield {"name": value}
    elif isinstance(value, list):
        for entry in value:
            yield from _entries(entry)
    elif isinstance(value, Mapping) and "name" in value:
        yield value
    elif isinstance(value, Mapping):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        if lists:
            yield from _entries(lists[0])
        elif not value.keys() & EntityDraft.model_fields.keys():
            yield from ({"name": name, "type": kind} for name, kind in value.items())
