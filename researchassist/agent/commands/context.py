"""/context: what the next turn would be given, and what it weighs against the budget."""

from collections.abc import Mapping
from typing import Any

from researchassist.agent import budget
from researchassist.agent.allowances import LINES, allowances
from researchassist.agent.preview import preview
from researchassist.agent.run import Run

from .definition import Command, CommandContext, CommandResult
from .entries import counted

_NO_MODEL = "No language model is set, so nothing is sent anywhere; this is what one would be given."
_CRITICAL = "That is over the threshold: older messages would be condensed first."


def run(context: CommandContext, argument: str) -> CommandResult:
    """A table of the parts in their order; for the question given, or for the latest one again."""
    memory = context.assistant.memory
    asked = [one.content for one in memory.messages(context.thread_id) if one.role == "user"]
    question, said = argument.strip(), "for the question given"
    if not question:
        question = asked[-1] if asked else ""
        said = "for the latest question, asked again" if asked else "before anything is asked"
    next_turn = preview(context.assistant, context.thread_id, question)
    return CommandResult("\n".join([*_sentences(next_turn, said), "", *_table(next_turn)]))


def _sentences(run: Run, said: str) -> list[str]:
    """How much it is of the budget, and what would happen because of that."""
    use = budget.monitor(sum(run.segment_tokens().values()), run.assistant.options)
    hidden = counted(run.context.hidden, "earlier message")
    sentences = [
        f"The next turn, {said}: {use.percent:.1f} % of {use.budget:,} tokens.",
        f"{hidden} would not be shown." if hidden else "",
        "" if run.fits_context(run.context) else _CRITICAL,
        "" if run.assistant.writer else _NO_MODEL,
    ]
    return [" ".join(sentence for sentence in sentences if sentence)]


def _table(run: Run) -> list[str]:
    tokens, manifest = run.segment_tokens(), run.manifest()
    lines = allowances(run.assistant.options)
    rows = ["| Part | Tokens | At most | Given | Left out |", "| --- | ---: | ---: | ---: | ---: |"]
    for key, count in tokens.items():
        most = f"{lines[key]:,}" if key in lines.lines else ""
        rows.append(f"| {LINES.get(key, key)} | {count:,} | {most} | {_given(key, run, manifest)} |")
    return [*rows, f"| **Together** | **{sum(tokens.values()):,}** | **{lines.window:,}** | | |"]


def _given(key: str, run: Run, manifest: Mapping[str, Any]) -> str:
    """How many entries it has, and how many more there are."""
    if key == "tools":
        return f"{len(run.tools)} | "
    given, left = manifest["given"].get(key), manifest["left_out"].get(key)
    return f"{'' if given is None else len(given)} | {'' if left is None else left}"


COMMAND = Command(
    "context", "what the next turn is given, against the budget", run, "[QUESTION]", "Reading memory…"
)
