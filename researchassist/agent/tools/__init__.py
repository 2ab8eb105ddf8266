"""The default tools, one file a family. To add one: write a function and list it here."""

from .archive import archival_search
from .archive_insert import archival_insert
from .arxiv import save_paper, search_arxiv
from .core import core_memory_append, core_memory_replace
from .definition import Tool, define, working
from .entities import remember_entity
from .logs import read_tool_log
from .lookup import read_toolbox
from .recall import recall_search
from .summaries import expand_summary, summarize_and_store, summarize_conversation
from .time import get_current_time
from .web import search_tavily


def default_tools(*, web: bool = False) -> tuple[Tool, ...]:
    """The tools every assistant has; `web`: the one that needs a key as well."""
    return (
        define(search_arxiv, changes_memory=True),
        define(save_paper, changes_memory=True),
        define(archival_search),
        *((define(search_tavily, changes_memory=True),) if web else ()),
        define(get_current_time),
        define(remember_entity, changes_memory=True),
        define(expand_summary),
        define(summarize_and_store, changes_memory=True),
        define(summarize_conversation, changes_memory=True),
        define(read_toolbox),
        define(read_tool_log),
        define(recall_search),
        define(archival_insert, changes_memory=True),
        define(core_memory_append, changes_memory=True),
        define(core_memory_replace, changes_memory=True),
    )


__all__ = ["Tool", "default_tools", "define", "working"]
