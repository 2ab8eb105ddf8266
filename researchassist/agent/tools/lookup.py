"""Finding tools that were not offered."""

from .definition import ToolContext, working


@working("Looking for a tool: “{query}”")
def read_toolbox(context: ToolContext, query: str) -> list[dict[str, object]]:
    """Find other tools by what you want to do; those it returns can be called right after.

    Use it when none of the tools offered fits the task.

    Args:
        query: What the tool should be able to do, in plain words.
    """
    return [record.as_json()["function"] for record in context.assistant.toolbox.find(query)]
