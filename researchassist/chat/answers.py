"""What can be opened from an answer: its text, a passage it was given, a summary with its originals, what
was remembered after it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_POST

from researchassist.agent import fact_control
from researchassist.agent.assistant import configured
from researchassist.errors import UnknownTurn
from researchassist.memory.records import MessageRecord, SummaryRecord

from . import markdown
from .remembered import Remembered, remembered_after
from .responses import PageRequest, chat_view, is_fragment, sentence
from .sources import as_markdown, opened

_NOT_GIVEN = "This answer was not given such a passage."


@dataclass(frozen=True)
class OpenedSummary:
    """A summary, its text as HTML, and its originals; those are none where it is of a text."""

    record: SummaryRecord
    messages: Sequence[MessageRecord]
    html: SafeString


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


@require_GET
@chat_view
def remembered(request: PageRequest, turn_id: str) -> HttpResponse:
    """The line as it stands now."""
    turn = configured().memory.turn(turn_id)
    if not is_fragment(request):
        return redirect("chat:thread", turn.thread_id)
    line = remembered_after(configured().memory, [turn]).get(turn_id, Remembered(turn_id))
    return render(request, "chat/_remembered.html", {"remembered": line})


@require_POST
@chat_view
def unremember(request: PageRequest, turn_id: str) -> HttpResponse:
    """Takes back all that was remembered after an answer."""
    turn = configured().memory.turn(turn_id)
    fact_control.undo_turn(configured().memory, turn_id)
    if not is_fragment(request):
        return redirect(f"{reverse('chat:thread', args=[turn.thread_id])}#turn-{turn_id}")
    return render(request, "chat/_remembered.html", {"remembered": Remembered(turn_id, undone=True)})


@require_GET
@chat_view
def summary(request: PageRequest, summary_id: str) -> HttpResponse:
    """A summary and the original messages or text behind it, word for word."""
    memory = configured().memory
    record = memory.read_summary_memory(summary_id)
    found = OpenedSummary(
        record, tuple(memory.messages_of_summary(record.id)), markdown.render(record.summary)
    )
    template = "chat/_summary.html" if is_fragment(request) else "chat/summary.html"
    return render(request, template, {"opened": found})
