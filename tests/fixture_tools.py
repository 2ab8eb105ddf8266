"""The fixture tool registry of the specification: three relevant tools and six decoys.

Not part of the product: tests and benchmarks register it.
"""

from pathlib import Path
from typing import Any

from django.conf import settings

from researchassist.agent.ingest import ingest_file
from researchassist.agent.tools import Tool, define
from researchassist.agent.tools.definition import ToolContext
from researchassist.agent.tools.time import get_current_time
from researchassist.errors import ToolError

FIXTURES = Path(settings.BASE_DIR) / "fixtures"


def paper_search(query: str) -> list[dict[str, Any]]:
    """Search for research papers on a topic and get candidates with id, title, authors and abstract.

    Args:
        query: Topic, title or author of the papers to find.
    """
    words = {word for word in query.casefold().split() if len(word) > 2}
    papers = [
        {
            "id": "KX-2025-011",
            "title": "Kestrel: Streaming Memory Consolidation for Long-Horizon Agents",
            "authors": ["R. Marlow", "T. Iversen"],
            "published": "2025",
            "abstract": "Tiered summary ledgers cut resumption errors by 41% on synthetic tasks.",
            "notes": "kestrel-notes.md",
        },
        {
            "id": "HX-2024-007",
            "title": "Heron: Entity Graphs for Tool Routing",
            "authors": ["F. Adeyemi"],
            "published": "2024",
            "abstract": "Entity-conditioned routing halves tool-selection errors versus flat tool lists.",
            "notes": "heron-notes.md",
        },
    ]
    found = [p for p in papers if words & set(f"{p['title']} {p['abstract']}".casefold().split())]
    return found or papers


def fetch_notes(context: ToolContext, filename: str) -> str:
    """Fetch the notes of a paper by file name, keep them in the knowledge base and read the full text.

    Args:
        filename: Name of the notes file, such as kestrel-notes.md.
    """
    path = FIXTURES / "kb" / Path(filename).name
    if not path.is_file():
        raise ToolError(f"There are no notes named {filename!r}.")
    ingest_file(context.assistant, path, source=path.name, sample=True)
    appendix = (FIXTURES / "tools" / "oversized-output.txt").read_text(encoding="utf-8")
    return path.read_text(encoding="utf-8") + "\n" + appendix


def knit_pattern_helper(pattern: str, rows: int = 10) -> str:
    """Work out a knitting pattern row by row with the stitches to knit and to purl."""
    return f"{pattern}: {rows} rows"


def currency_convert(amount: float, source: str, target: str) -> str:
    """Convert an amount of money from one currency to another at today's rate."""
    return f"{amount} {source} in {target}"


def recipe_scaler(recipe: str, servings: int) -> str:
    """Scale the ingredients of a cooking recipe up or down to a number of servings."""
    return f"{recipe} for {servings}"


def translate_phrase(phrase: str, language: str) -> str:
    """Translate a phrase for travellers into another language with a hint for pronunciation."""
    return f"{phrase} in {language}"


def calendar_lookup(day: str) -> str:
    """Look up the appointments and birthdays in the family calendar for a day."""
    return f"nothing on {day}"


def sports_scores(team: str) -> str:
    """Get the latest football and hockey scores of a team."""
    return f"{team} 2:1"


def fixture_tools() -> list[Tool]:
    """All nine, in the specification's order."""
    return [
        define(paper_search),
        define(fetch_notes, changes_memory=True),
        define(get_current_time),
        *(
            define(decoy)
            for decoy in (
                knit_pattern_helper,
                currency_convert,
                recipe_scaler,
                translate_phrase,
                calendar_lookup,
                sports_scores,
            )
        ),
    ]
