"""/context: what the next turn would be given, and what it weighs against the budget."""

from datetime import UTC, datetime

from researchassist.agent import budget
from researchassist.agent.context import Context, assemble, new_fence
from researchassist.memory.records import MessageRecord

from .definition import Command, CommandContext, CommandResult

_LABELS = {
    "conversation": "Earlier messages",
    "knowledge_base": "Passages of documents",
    "workflow": "Earlier ways of working",
    "entity": "People, places, systems",
    "summary": "Summaries",
}


def run(context: CommandContext, argument: str) -> CommandResult:
    """A table of the parts in their order; for the question given, or for the latest one again."""
    memory = context.assistant.memory
    asked = [one.content for one in memory.messages(context.thread_id) if one.role == "user"]
    question = argument.strip() or (asked[-1] if asked else "")
    read = assemble(memory, _message(question, context.thread_id), new_fence())
    schemas = [one.as_json() for one in context.assistant.toolbox.tools_for(question, ["read_toolbox"])]
    rows = [("Instructions", read.system_content(), "")]
    rows += [("Your message", question, "")]
    rows += [(_LABELS[one.kind.key], one.text(read.fence), str(len(one.records))) for one in read.segments]
    parts = [(label, budget.estimate(text), given) for label, text, given in rows]
    parts += [("Tools", budget.request_tokens([], schemas), str(len(schemas)))]
    return CommandResult(_table(parts, read, context, bool(argument.strip())))


def _message(question: str, thread_id: str) -> MessageRecord:
    """The question as if it were sent now."""
    now = datetime.now(UTC)
    return MessageRecord(id="", thread_id=thread_id, role="user", content=question, timestamp=now)


def _table(parts: list[tuple[str, int, str]], read: Context, context: CommandContext, given: bool) -> str:
    use = budget.monitor(sum(tokens for _, tokens, _ in parts), context.assistant.options)
    lines = ["| Part | Tokens | Given |", "| --- | ---: | ---: |"]
    lines += [f"| {label} | {tokens:,} | {number} |" for label, tokens, number in parts]
    lines += [f"| **Together** | **{use.tokens:,}** | |"]
    asked = "the question given" if given else "the latest question, asked again"
    hidden = f" {read.hidden} earlier messages would not be shown." if read.hidden else ""
    return "\n".join(
        [f"The next turn, for {asked}: {use.percent:.1f} % of {use.budget:,} tokens.{hidden}", "", *lines]
    )


COMMAND = Command(
    "context", "what the next turn is given, against the budget", run, "[QUESTION]", "Reading memory…"
)
