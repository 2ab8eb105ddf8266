"""Finding what was said before."""

import re

from researchassist.memory.readings import message_line

from .definition import ToolContext, working

_MOST = 12
_LONGEST = 500
_SHORTEST_WORD = 3


@working("Looking for “{query}” in earlier messages", "Looking through earlier messages")
def recall_search(context: ToolContext, query: str = "", all_conversations: bool = False) -> str:
    """Find earlier messages by their words, also those that are not shown or were condensed.

    Use it when something said before is needed and does not stand in the context.

    Args:
        query: Words to look for; empty for the latest messages that are not shown.
        all_conversations: Search every conversation, not only this one.
    """
    said = re.findall(r"\w+", query)
    words = [word for word in said if len(word) >= _SHORTEST_WORD] or said
    thread_id = None if all_conversations else context.thread_id
    found = context.assistant.memory.find_messages(words, thread_id=thread_id, before=context.question)
    # Most words first; among equals the latest stay first.
    found.sort(key=lambda m: -sum(word.casefold() in m.content.casefold() for word in words))
    if not found:
        return "No earlier message has these words."
    lines = []
    for message in found[:_MOST]:
        text = message_line(message)
        cut = text if len(text) <= _LONGEST else text[:_LONGEST] + " […]"
        under = f" (condensed in summary {message.summary_id})" if message.summary_id else ""
        lines.append(cut + under)
    more = f"\n[{len(found) - _MOST} more found; use rarer words.]" if len(found) > _MOST else ""
    return "\n".join(lines) + more
