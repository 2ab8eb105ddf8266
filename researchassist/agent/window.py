"""The budget in numbers: each line of the window with its allowance and its use, and the rules in words.

Owns what `/context`, `manage.py context_budget` and the docs say; the numbers are allowances.py's and the
options', what keeps to them is room.py's, paging.py's and condense.py's.
"""

from dataclasses import dataclass

from researchassist.options import Options

from . import budget
from .allowances import LINES, Allowances, allowances
from .run import Run

# What the question does not fill: kept free, or filled while the turn runs.
_FREE = ("exchange", "response", "margin")


@dataclass(frozen=True)
class Line:
    """One line of the window in tokens. `used` is None where nothing can be said before the turn runs;
    `given` counts its entries and `left_out` how many more there are, where it has any."""

    key: str
    label: str
    allowance: int
    used: int | None
    given: int | None = None
    left_out: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether it takes more than its allowance."""
        return (self.used or 0) > self.allowance


def lines(run: Run) -> list[Line]:
    """Every line with what the request of this turn takes of it."""
    table, tokens, manifest = allowances(run.assistant.options), run.segment_tokens(), run.manifest()
    counts, left_out = manifest["given"], manifest["left_out"]
    found = []
    for key, label in LINES.items():
        used = None if key in _FREE else tokens.get(key, 0)
        given = len(run.tools) if key == "tools" else len(counts[key]) if key in counts else None
        found.append(Line(key, label, table[key], used, given, left_out.get(key)))
    return found


def together(run: Run) -> budget.BudgetUse:
    """What the request takes in all."""
    return budget.monitor(sum(run.segment_tokens().values()), run.assistant.options)


def rules(options: Options) -> list[str]:
    """At what size what is condensed and to what, what is cut first under pressure, and what never."""
    return [_condensing(options, allowances(options)), _FIRST, _NEVER]


def _condensing(options: Options, table: Allowances) -> str:
    def share(percent: int) -> str:
        return f"{percent} % of the window ({table.window * percent // 100:,} tokens)"

    if options.context_policy == "page":
        return (
            f"Condensed: above {share(options.page_percent)} the oldest messages are evicted after the "
            f"answer, down to {share(options.page_target_percent)}, and folded into a running summary of "
            f"at most {options.running_summary_words} words and {options.identifier_chars:,} characters of "
            f"exact identifiers. The latest {options.page_turns} turns stay while the budget allows it."
        )
    return (
        f"Condensed: the latest {options.conversation_limit} messages stand word for word; once more than "
        f"{options.condense_after} have left them, those become summaries of at most "
        f"{options.summary_chars:,} characters, each of up to {options.summary_input_chars:,}. "
        f"Above {share(options.critical_percent)} all messages before the question are condensed."
    )


_FIRST = (
    "Cut first under pressure: earlier messages (they open again), then passages, ways of working, names "
    "and summaries down to their lines (counted), then this turn's older tool results (down to the number "
    "of their log)."
)
_NEVER = (
    "Never cut: instructions, your message, and this turn's own calls with their latest results, which are "
    "discarded at its end. What is remembered of you is kept within its own limits when it is written."
)
