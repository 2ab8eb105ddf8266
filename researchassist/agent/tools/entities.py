"""Writing to entity memory at the model's wish (D8)."""

from typing import Literal

from researchassist.errors import ToolError
from researchassist.memory.text import storable

from .definition import ToolContext, working


@working("Remembering {name}")
def remember_entity(
    context: ToolContext, name: str, type: Literal["PERSON", "PLACE", "SYSTEM", "UNKNOWN"], description: str
) -> str:
    """Remember a person, place or system with a short description, for later conversations.

    Use it when someone or something with a name turns out to matter, or when what is known of it
    has changed. A name that is known already is merged, not doubled.

    Args:
        name: The name as it is written.
        type: PERSON, PLACE or SYSTEM (also papers, models, tools, organisations); else UNKNOWN.
        description: What is known of it, in one sentence.
    """
    if not storable(name).strip():
        raise ToolError("An entity needs a name.")
    record = context.assistant.memory.write_entity(name, type, description)
    return f"Remembered {record.name} ({record.type}): {record.description}"
