"""/tools QUERY: which tools the assistant has for something."""

from researchassist.memory.records import ToolRecord

from .definition import Command, CommandContext, CommandResult, Entry

_NO_MODEL = "No language model is set: their descriptions are as they were written, and no turn calls them."


def run(context: CommandContext, argument: str) -> CommandResult:
    """The tools nearest to the query, as a turn would be offered them; without one, all."""
    toolbox, query = context.assistant.toolbox, argument.strip()
    if query:
        found, text = toolbox.find(query), "The nearest tools, best first."
    else:
        found = sorted(toolbox.find("tool", 1000), key=lambda one: one.name)
        text = "All tools. With words it gives those nearest to them, as a turn is offered them."
    text = text if context.assistant.writer else f"{text} {_NO_MODEL}"
    return CommandResult(text, rows=tuple(_row(one) for one in found))


def _row(tool: ToolRecord) -> Entry:
    first = tool.description.split("\n\n")[0]
    return Entry(title=tool.name, facts=(tool.signature,), text=" ".join(first.split()))


COMMAND = Command("tools", "list the tools that fit something", run, "[QUERY]", "Looking for tools…")
