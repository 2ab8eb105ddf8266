"""/context: what the next turn would be given, and what it weighs against the budget."""

from researchassist.agent import window
from researchassist.agent.preview import preview
from researchassist.agent.run import Run

from .definition import Command, CommandContext, CommandResult
from .entries import counted

_NO_MODEL = "No language model is set, so nothing is sent anywhere; this is what one would be given."
_OVER = {
    "condense": "That is over the threshold: older messages would be condensed first.",
    "page": "That is over the threshold: the oldest messages would be left out, and counted.",
}


def run(context: CommandContext, argument: str) -> CommandResult:
    """A table of the parts in their order; for the question given, or for the latest one again."""
    memory = context.assistant.memory
    asked = [one.content for one in memory.messages(context.thread_id) if one.role == "user"]
    question, said = argument.strip(), "for the question given"
    if not question:
        question = asked[-1] if asked else ""
        said = "for the latest question, asked again" if asked else "before anything is asked"
    next_turn = preview(context.assistant, context.thread_id, question)
    return CommandResult(
        "\n".join([*_sentences(next_turn, said), "", *_table(next_turn), "", *_rules(next_turn)])
    )


def _sentences(run: Run, said: str) -> list[str]:
    """How much it is of the budget, and what would happen because of that."""
    use = window.together(run)
    hidden = counted(run.context.hidden, "earlier message")
    sentences = [
        f"The next turn, {said}: {use.percent:.1f} % of {use.budget:,} tokens.",
        f"{hidden} would not be shown." if hidden else "",
        "" if run.fits_context(run.context) else _OVER[run.assistant.options.context_policy],
        "" if run.assistant.writer else _NO_MODEL,
    ]
    return [" ".join(sentence for sentence in sentences if sentence)]


def _table(run: Run) -> list[str]:
    rows = ["| Part | Tokens | At most | Given | Left out |", "| --- | ---: | ---: | ---: | ---: |"]
    found = window.lines(run)
    rows += [_row(line) for line in found]
    used, most = window.together(run), sum(line.allowance for line in found)
    return [*rows, f"| **Together** | **{used.tokens:,}** | **{most:,}** of {used.budget:,} | | |"]


def _rules(run: Run) -> list[str]:
    return [f"- {rule}" for rule in window.rules(run.assistant.options)]


def _row(line: window.Line) -> str:
    used = "" if line.used is None else f"{line.used:,}{' (over)' if line.is_over else ''}"
    cells = (line.label, used, f"{line.allowance:,}", _count(line.given), _count(line.left_out))
    return f"| {' | '.join(cells)} |"


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


COMMAND = Command(
    "context", "what the next turn is given, against the budget", run, "[QUESTION]", "Reading memory…"
)
