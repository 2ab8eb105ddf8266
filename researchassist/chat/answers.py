"""What can be opened from an answer."""

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from researchassist.agent.assistant import configured

from .responses import PageRequest, chat_view


@require_GET
@chat_view
def message_text(request: PageRequest, message_id: str) -> HttpResponse:
    """A message as it was written, to be copied."""
    del request
    message = configured().memory.message(message_id)
    return HttpResponse(message.content, content_type="text/plain; charset=utf-8")
