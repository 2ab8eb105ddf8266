"""/help: what can be typed."""

from .definition import Command, CommandContext, CommandResult, Entry


def run(context: CommandContext, argument: str) -> CommandResult:
    """Every command with its arguments and one line."""
    del argument
    rows = tuple(Entry(title=one.usage, text=one.help) for one in context.commands if one.typed)
    return CommandResult(
        "Commands need no language model (only /summarize uses one where it is set), and what they show is "
        "in no conversation memory. Files can also be dropped anywhere on the page.",
        rows=rows,
    )


COMMAND = Command("help", "what can be typed here", run, working="Listing the commands…")
