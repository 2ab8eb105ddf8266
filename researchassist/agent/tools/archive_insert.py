"""Putting a text into the archive at the model's wish, where archival_search finds it."""

from researchassist.agent.core_memory import NOTE
from researchassist.agent.keep import Found, hash_of, keep
from researchassist.errors import ToolError
from researchassist.papers import text as texts
from researchassist.papers.extracted import Extracted

from .definition import ToolContext, working

_TITLE_CHARS = 80


@working("Keeping a note in the archive")
def archival_insert(context: ToolContext, text: str) -> str:
    """Save a fact or a text in the long-term archive, where archival_search finds it later.

    Use it for what is worth keeping but too long or too old for core memory.

    Args:
        text: The text, understandable on its own.
    """
    clean = texts.clean(text).strip()
    if not clean:
        raise ToolError("There is no text to save.")
    digest = hash_of(clean)
    title = f"Note: {' '.join(clean.split())[:_TITLE_CHARS]}"
    read = Extracted(text=clean, title=title, kind=NOTE, authors=("ResearchAssist",))
    done = keep(context.assistant, Found(f"note:{digest[:16]}", digest, read))
    said = "It was in the archive already" if done.status == "unchanged" else "Saved in the archive"
    return f"{said}, as document {done.document.id}. archival_search finds it."
