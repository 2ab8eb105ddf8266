"""/summarize: condense this conversation; every message stays."""

from .definition import Command, CommandContext, CommandResult
from .entries import counted
from .expand import summary_entry

_NO_MODEL = "No language model is set, so they are put together from the messages’ own words."


def run(context: CommandContext, argument: str) -> CommandResult:
    """The new summaries, each with the button that opens its messages."""
    del argument
    memory = context.assistant.memory
    running = [turn for turn in memory.running_turns() if turn.thread_id == context.thread_id]
    # The question of a running turn is never condensed in its turn.
    before = running[0].question if running else None
    made = context.assistant.condenser.condense_thread(context.thread_id, before=before)
    if not made:
        return CommandResult("Nothing to condense: no message of this conversation is outside the summaries.")
    rows = tuple(summary_entry(one.record, warning=one.problem) for one in made)
    text = f"{counted(len(rows), 'new summary')}. "
    text += "The messages stay as they are, and each summary opens into its own."
    return CommandResult(text if context.assistant.writer else f"{text} {_NO_MODEL}", rows=rows)


COMMAND = Command("summarize", "condense this conversation", run, working="Condensing this conversation…")
