"""The default tools, one file a family. To add one: write a function and list it here."""

from .definition import Tool, define
from .entities import remember_entity
from .logs import read_tool_log
from .lookup import read_toolbox
from .recall import recall_search
from .summaries import expand_summary, summarize_and_store, summarize_conversation
from .time import get_current_time


def default_tools() -> tuple[Tool, ...]:
    """The tools every assistant has."""
    return (
        define(get_current_time),
        define(remember_entity, changes_memory=True),
        define(expand_summary),
        define(summarize_and_store, changes_memory=True),
        define(summarize_conversation, changes_memory=True),
        define(read_toolbox),
        define(read_tool_log),
        define(recall_search),
    )


__all__ = ["Tool", "default_tools", "define"]
