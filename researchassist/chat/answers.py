"""What can be opened from an answer: its text, a passage it was given."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from researchassist.agent.assistant import configured
from researchassist.errors import UnknownTurn

from .responses import PageRequest, chat_view, is_fragment, sentence
from .sources import as_markdown, opened

_NOT_GIVEN = "This answer was not given such a passage."


@require_GET
@chat_view
def message_text(request: PageRequest, message_id: str) -> HttpResponse:
    """A message as it was written, to be copied; the marks of an answer with what they stand for."""
    del request
    memory = configured().memory
    message = memory.message(message_id)
    try:
        text = as_markdown(memory.turn(str(message.metadata.get("turn", ""))))
    except UnknownTurn:
        text = message.content
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_GET
@chat_view
def passage(request: PageRequest, turn_id: str, passage_id: int) -> HttpResponse:
    """A passage that stood in the context of a turn, with the lines a mark rests on."""
    memory = configured().memory
    mark = request.GET.get("mark", "")
    place = int(mark) if mark.isascii() and mark.isdecimal() and len(mark) < 6 else None
    found = opened(memory, memory.turn(turn_id), str(passage_id), place)
    if found is None:
        return sentence(request, _NOT_GIVEN, status=404)
    template = "chat/_passage.html" if is_fragment(request) else "chat/passage.html"
    return render(request, template, {"opened": found})
