"""The Markdown parser of answers: CommonMark with tables, tasks, formulas, marks and plain links."""

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from .citations import add_citations
from .elements import Elements, mark_tasks
from .maths import add_maths

# The parser leaves out without a word what is nested deeper than it may; a block that comes this far
# is shown as plain text instead (blocks.py).
DEEPEST = 20


def _made() -> MarkdownIt:
    md = MarkdownIt(
        "commonmark", {"html": False, "linkify": True, "maxNesting": DEEPEST + 1}, renderer_cls=Elements
    )
    md.enable(["table", "strikethrough", "linkify"])
    # Blocks are found first and on their own (blocks.py); of bare links only those with a scheme are.
    md.core.ruler.disable(["normalize", "block", "linkify"])
    add_maths(md)
    add_citations(md)
    md.core.ruler.after("inline", "tasks", mark_tasks)
    everywhere: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    md.block.ruler.before("table", "clock", _look_in_block, everywhere)
    md.inline.ruler.before("text", "clock", _look_in_line)
    return md


def _look_in_block(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
    state.env["clock"].step()
    return False


def _look_in_line(state: StateInline, _silent: bool) -> bool:
    state.env["clock"].step()
    return False


parser = _made()
