"""Entities out of a text, by the writer model (R12).

Owns the prompt and reading the reply leniently; when it runs, and that a failure never touches
the answer, is writeback.py's.
"""

from collections.abc import Mapping
from typing import Any

import json_repair
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from researchassist.llm.types import LanguageModel, complete

from .prompts import render

# R12, CTX-C8
SOURCE_CHARS = 500
ENTITY_TOKENS = 2000


class EntityDraft(BaseModel):
    """One entity as a model names it; odd types become UNKNOWN in the store."""

    model_config = ConfigDict(extra="ignore")

    name: str
    type: str = "UNKNOWN"
    description: str = ""

    @field_validator("name")
    @classmethod
    def _named(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("an entity needs a name")
        return value

    @field_validator("type", "description", mode="before")
    @classmethod
    def _text(cls, value: object) -> str:
        return value if isinstance(value, str) else ""


def extract_entities(text: str, writer: LanguageModel) -> list[EntityDraft]:
    """The entities of the first 500 characters of `text`; raises ModelError.

    An entry that is no entity is left out and never costs the others.
    """
    source = text[:SOURCE_CHARS]
    if not source.strip():
        return []
    return _drafts(complete(writer, render("entities", text=source), max_tokens=ENTITY_TOKENS))


def _drafts(reply: str) -> list[EntityDraft]:
    value: Any = json_repair.loads(reply)
    if isinstance(value, Mapping):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        value = lists[0] if lists else [value]
    drafts = []
    for entry in value if isinstance(value, list) else []:
        try:
            drafts.append(EntityDraft.model_validate({"name": entry} if isinstance(entry, str) else entry))
        except ValidationError:
            continue
    return drafts
