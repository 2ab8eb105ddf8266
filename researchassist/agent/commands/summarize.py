"""/summarize: condense this conversation; every message stays."""

from .definition import Action, Command, CommandContext, CommandResult, Entry
from .entries import counted


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
    rows = tuple(
        Entry(
            title=one.record.description,
            number=one.record.id,
            text=one.record.summary,
            warning=one.problem,
            actions=(Action("Open", f"/expand {one.record.id}"),),
        )
        for one in made
    )
    text = f"{counted(len(rows), 'new summary')}. "
    text += "The messages stay as they are, and each summary opens into its own."
    return CommandResult(text, rows=rows)


COMMAND = Command("summarize", "condense this conversation", run, working="Condensing this conversation…")
