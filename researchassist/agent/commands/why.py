"""/why N: where a fact comes from, and all that was ever done to it."""

from .definition import Command, CommandContext, CommandResult
from .entries import moment
from .fact_entries import change_entry, fact_entry, fact_number, with_buttons


def run(context: CommandContext, argument: str) -> CommandResult:
    """The fact, the words it rests on, and its history."""
    memory = context.assistant.memory
    fact = memory.fact(fact_number(argument, "/why"))
    rows = tuple(change_entry(change) for change in memory.fact_changes(fact.id))
    card = with_buttons(fact) if fact.state == "active" else fact_entry(fact)
    told = moment(fact.told_at)
    if fact.sources:
        basis = f"It was drawn from {', '.join(fact.sources)} on {told}."
    elif fact.message_id:
        basis = f"You said on {told}: “{_line(fact.quote)}”. The title of the card leads to the message."
    elif fact.quote:
        basis = f"You said on {told}: “{_line(fact.quote)}”. The message is not in any conversation now."
    else:
        basis = f"It was written on {told}, without a message."
    return CommandResult(_plain(basis), cards=(card,), rows=rows)


def _line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Text that may hold somebody's words, without what Markdown would make of them."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-!|~$&" else c for c in text)


COMMAND = Command(
    "why", "where a fact comes from, and its history", run, "N", "Looking where fact {} comes from…"
)
