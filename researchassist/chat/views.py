"""The chat page. Each view reads a form, calls one function of the agent or memory, and renders."""

from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event

from researchassist.agent.assistant import configured
from researchassist.agent.command_runner import settle_interrupted_commands
from researchassist.agent.commands.parse import parse
from researchassist.agent.events import TurnStarted
from researchassist.agent.ingest import ingest_text
from researchassist.agent.ownership import settle_interrupted
from researchassist.agent.runner import runner
from researchassist.agent.threads import new_thread_id
from researchassist.agent.turn import TurnRequest
from researchassist.errors import ResearchAssistError, UnreadableFile
from researchassist.memory.text import storable

from . import commands
from .conversation import SIZE, part_of, time_of, turn_item
from .forms import TurnForm
from .page import Notice, Wanted, deleted_notice, page_of, surroundings
from .responses import (
    PageRequest,
    beside_composer,
    chat_view,
    is_fragment,
    refused,
    sentence,
    shows_a_part,
    shows_another,
)
from .thread_list import thread_list
from .used import used_by

_UNREADABLE_FORM = "This message could not be read. Reload the page and send it again."
_ELSEWHERE = "This answer is being written by another process and can only be stopped there."
_LONGEST_THREAD_ID = 64


@require_GET
@chat_view
def start(request: PageRequest) -> HttpResponse:
    """A new conversation; it exists once its first message is sent."""
    notice = deleted_notice(configured(), request.GET.get("deleted", ""))
    page = page_of(configured(), new_thread_id(), new=True, notice=notice)
    if place := request.GET.get("threads"):
        page = replace(page, threads=thread_list(configured().memory, place))
    return render(request, "chat/thread.html", {"page": page})


@require_GET
@chat_view
def thread(request: PageRequest, thread_id: str) -> HttpResponse:
    """A conversation, or a part of it; for htmx its head alone."""
    if is_fragment(request):
        return render(request, "chat/_head.html", {"page": surroundings(configured(), thread_id)})
    settle_interrupted(configured())
    settle_interrupted_commands(configured().memory)
    place = request.GET
    wanted = Wanted(place.get("before", ""), place.get("after", ""), place.get("at", ""))
    return render(request, "chat/thread.html", {"page": page_of(configured(), thread_id, wanted=wanted)})


@require_GET
@chat_view
def part(request: PageRequest, thread_id: str) -> HttpResponse:
    """The part of a conversation before or after a place, for the page that is scrolled there."""
    memory = configured().memory
    thread = memory.thread(thread_id)
    if not is_fragment(request):
        return redirect("chat:thread", thread.id)
    if (after := time_of(request.GET.get("after"))) is not None:
        found = memory.later_window(thread.id, SIZE, after)
    else:
        found = memory.latest_window(thread.id, SIZE, time_of(request.GET.get("before")))
    return render(request, "chat/_part.html", {"thread_id": thread.id, "part": part_of(memory, found)})


@require_POST
@chat_view
def ask(request: PageRequest, thread_id: str) -> HttpResponse:
    """Starts a turn or a command, in a new thread where there is none of that id."""
    form = TurnForm(request.POST)
    if not form.is_valid() or len(thread_id) > _LONGEST_THREAD_ID:
        return sentence(request, _UNREADABLE_FORM, status=422)
    query, key = form.cleaned_data["query"], form.cleaned_data["key"]
    try:
        if form.cleaned_data["begun"]:
            configured().memory.thread(thread_id)
        if not form.cleaned_data["plain"] and (asked := parse(query)) is not None:
            return commands.give(request, thread_id, asked, key)
        branch = form.cleaned_data["branch"]
        started = runner().start(TurnRequest(thread_id, query, key, branch=branch))
    except ResearchAssistError as error:
        return refused(request, thread_id, query, error)
    return _started(request, started, thread_id, sent=query)


def _started(
    request: PageRequest, started: TurnStarted, thread_id: str, sent: str | None = None
) -> HttpResponse:
    """The turn as it stands now, and all around it that a new message changes.

    A key sent again with another text finds its first turn; the new text then stays in the composer.
    Sent again from another new conversation it leads to the one the turn is in.
    """
    turn = configured().memory.turn(started.turn_id)
    address = reverse("chat:thread", args=[turn.thread_id])
    kept = sent is not None and storable(sent) == turn.question.content
    if not is_fragment(request):
        return redirect(address)
    moved = request.htmx.current_url_abs_path != address
    if turn.thread_id != thread_id or shows_another(request, address) or shows_a_part(request, address):
        return _kept(HttpResponseClientRedirect(address), kept)
    # A thread that began with a command has its title from its first message.
    titled = turn.question.parent_id is None
    page = surroundings(configured(), turn.thread_id, first=moved or titled)
    context = {"page": page, "item": turn_item(configured().memory, turn), "moved": moved}
    response = render(request, "chat/_started.html", context)
    if moved:
        response.headers["HX-Push-Url"] = address
    return _kept(response, kept)


def _kept(response: HttpResponse, kept: bool) -> HttpResponse:
    return trigger_client_event(response, "message-kept") if kept else response


@require_POST
@chat_view
def store_document(request: PageRequest, thread_id: str) -> HttpResponse:
    """Keeps the composer's text as a document."""
    form = TurnForm(request.POST)
    form.is_valid()
    text = form.cleaned_data["query"]
    try:
        document = ingest_text(configured(), text).document
    except UnreadableFile as error:
        return refused(request, thread_id, text, error)
    noun = "passage" if document.passages == 1 else "passages"
    stored = f"Stored as the document “{document.title}” ({document.passages:,} {noun}). Ask about it now."
    return beside_composer(request, thread_id, "", Notice(stored, kind="done"), status=200)


@require_GET
@chat_view
def turn(request: PageRequest, turn_id: str) -> HttpResponse:
    """One turn as it stands now."""
    settle_interrupted(configured())
    memory = configured().memory
    record = memory.turn(turn_id)
    if not is_fragment(request):
        return redirect("chat:thread", record.thread_id)
    page = surroundings(configured(), record.thread_id)
    return render(request, "chat/_turn_update.html", {"page": page, "item": turn_item(memory, record)})


@require_POST
@chat_view
def stop(request: PageRequest, turn_id: str) -> HttpResponse:
    """Asks a running turn to end; what it has written stays."""
    record = configured().memory.turn(turn_id)
    if not runner().stop(turn_id) and record.outcome == "running":
        return beside_composer(request, record.thread_id, "", Notice(_ELSEWHERE), status=409)
    return HttpResponse(status=204) if is_fragment(request) else redirect("chat:thread", record.thread_id)


@require_POST
@chat_view
def retry(request: PageRequest, turn_id: str) -> HttpResponse:
    """Asks the question of an unanswered turn again."""
    form = TurnForm(request.POST)
    if not form.is_valid():
        return sentence(request, _UNREADABLE_FORM, status=422)
    thread_id = configured().memory.turn(turn_id).thread_id
    try:
        started = runner().start(TurnRequest(thread_id, key=form.cleaned_data["key"], retry_of=turn_id))
    except ResearchAssistError as error:
        return refused(request, thread_id, "", error)
    return _started(request, started, thread_id)


@require_GET
@chat_view
def used(request: PageRequest, turn_id: str) -> HttpResponse:
    """What an answer used and what was left out."""
    template = "chat/_used.html" if is_fragment(request) else "chat/used.html"
    memory = configured().memory
    return render(request, template, {"used": used_by(memory, memory.turn(turn_id))})


@require_POST
@chat_view
def retry_helpers(request: PageRequest, turn_id: str) -> HttpResponse:
    """Runs the failed steps after an answer again."""
    record = configured().memory.turn(turn_id)
    runner().retry_helpers(turn_id)
    if not is_fragment(request):
        return redirect("chat:used", turn_id)
    return render(request, "chat/_used.html", {"used": used_by(configured().memory, record, retrying=True)})


@require_GET
@chat_view
def log(request: PageRequest, log_id: str) -> HttpResponse:
    """One tool call, whole."""
    template = "chat/_log.html" if is_fragment(request) else "chat/log.html"
    return render(request, template, {"log": configured().memory.tool_log(log_id)})
