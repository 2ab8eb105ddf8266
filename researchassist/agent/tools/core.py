"""Writing core memory at the model's wish, resting on the person's own words."""

from researchassist.agent import core_memory
from researchassist.memory.records import CoreWrite

from .definition import ToolContext, working


@working("Remembering “{text}”")
def core_memory_append(context: ToolContext, text: str, quote: str) -> str:
    """Save a lasting preference or fact about the person in core memory, which stands in every turn.

    Use it when the person states something that will matter in later conversations: how they want
    answers, who they are, what they work on. Not for what a document or a tool says.

    Args:
        text: One short sentence, such as "Is vegetarian."
        quote: The words of the person's message that say so, copied exactly.
    """
    basis = core_memory.Basis(quote, context.question)
    return _said(core_memory.append(context.assistant.memory, text, basis), context)


@working("Changing what is remembered to “{new}”", "Taking something out of core memory")
def core_memory_replace(context: ToolContext, old: str, new: str, quote: str) -> str:
    """Correct or shorten something in core memory.

    Use it when the person corrects what stands there, or to make room.

    Args:
        old: The words in core memory to replace, exactly as they stand there; they must stand there once.
        new: What stands there instead; empty to take it out.
        quote: The words of the person's message that this rests on, copied exactly.
    """
    basis = core_memory.Basis(quote, context.question)
    return _said(core_memory.replace(context.assistant.memory, old, new, basis), context)


def _said(write: CoreWrite, context: ToolContext) -> str:
    limit = context.assistant.options.core_chars
    return f"Saved. Core memory ({len(write.after):,} of {limit:,} characters) is now:\n{write.after}"
