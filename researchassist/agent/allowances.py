"""The window line by line: how many tokens each part of a request may take.

Owns the rule by which the table of options becomes the table of one window; pure. What keeps a part
within its line is that part's own code, named in docs/context-budget.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from researchassist.errors import ConfigurationError
from researchassist.options import Options, variable

# In the order in which they stand in a request. What is kept free comes last.
LINES: Mapping[str, str] = {
    "system": "Instructions",
    "profile": "What earlier sessions told of you",
    "core": "Core memory",
    "facts": "Facts about you",
    "lessons": "Lessons of earlier work",
    "running_summary": "Running summary",
    "tools": "Tools",
    "question": "Your message",
    "conversation": "Earlier messages",
    "knowledge_base": "Passages of documents",
    "workflow": "Earlier ways of working",
    "entity": "People, places, systems",
    "summary": "Summaries",
    "exchange": "This turn's tool calls and results",
    "response": "Kept free for the answer",
    "margin": "Kept free, as estimates err",
}
# A question is refused at its line, never cut.
_QUESTION = "question"
# What gives way last comes first: each group may take half of what the ones before it leave, and what
# the ones after it do not want.
_GROUPS = (
    ("system", "tools"),
    ("profile", "core", "facts", "lessons", "running_summary"),
    ("knowledge_base", "workflow", "entity", "summary"),
    ("conversation", "exchange", "response", "margin"),
)


@dataclass(frozen=True)
class Allowances:
    """The lines of one window in tokens; together they are always less than the window."""

    window: int
    lines: Mapping[str, int]

    def __getitem__(self, line: str) -> int:
        return self.lines[line]

    @property
    def total(self) -> int:
        """All lines together."""
        return sum(self.lines.values())


def allowances(options: Options) -> Allowances:
    """The table for the window of the options' loop model.

    Lines that were set, and the question's, are kept as they are. Where the defaults of the others do
    not fit beside them, those shrink, group by group and in a group by one factor. Raises
    ConfigurationError where the lines that were set leave no room.
    """
    window = options.budget()
    wanted = {line: _wanted(line, options, window) for line in LINES}
    given = [line for line in LINES if f"allow_{line}" in options.model_fields_set or line == _QUESTION]
    room = window - sum(wanted[line] for line in given)
    if room <= len(LINES):
        raise ConfigurationError(
            f"The lines of the window that are set take {window - room:,} tokens and leave no room in a "
            f"window of {window:,}. Lower one of {', '.join(variable(f'allow_{line}') for line in given)}."
        )
    groups = [[line for line in group if line not in given] for group in _GROUPS]
    for place, lines in enumerate(groups):
        later = sum(wanted[line] for group in groups[place + 1 :] for line in group)
        _shrink(wanted, lines, max(room // 2 if later else 0, room - later - 1))
        room -= sum(wanted[line] for line in lines)
    if options.context_policy == "page" and "conversation" not in given:
        # The window is working memory: the messages have what the other lines leave.
        wanted["conversation"] += window - 1 - sum(wanted.values())
    return Allowances(window, wanted)


def _wanted(line: str, options: Options, window: int) -> int:
    if line == _QUESTION and not options.allow_question:
        return window * options.question_percent // 100
    return int(getattr(options, f"allow_{line}"))


def _shrink(wanted: dict[str, int], lines: list[str], room: int) -> None:
    """Brings these lines within `room` by one factor; leaves them as they are where they fit."""
    total = sum(wanted[line] for line in lines)
    if total > room:
        wanted |= {line: wanted[line] * room // total for line in lines}
