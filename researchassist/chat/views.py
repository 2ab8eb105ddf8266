"""The chat page. Each view reads a form, calls one function of the agent or memory, and renders."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event

from researchassist.agent.assistant import configured
from researchassist.agent.command_runner import settle_interrupted_commands
from researchassist.agent.commands.parse import parse
from researchassist.agent.events import TurnStarted
from researchassist.agent.ingest import ingest_text
from researchassist.agent.ownership import settle_interrupted
from researchassist.agent.runner import runner
from researchassist.agent.threads import delete_thread, new_thread_id, rename_thread
from researchassist.agent.turn import TurnRequest
from researchassist.errors import ResearchAssistError, UnreadableFile
from researchassist.memory.text import storable

from . import commands
from .forms import RenameForm, TurnForm
from .page import Notice, item_of, page_of, surroundings
from .responses import PageRequest, beside_composer, chat_view, is_fragment, refused, sentence
from .used import used_by

_UNREADABLE_FORM = "This message could not be read. Reload the page and send it again."
_ELSEWHERE = "This answer is being written by another process and can only be stopped there."
_LONGEST_THREAD_ID = 64


@require_GET
@chat_view
def start(request: PageRequest) -> HttpResponse:
    """A new conversation; it exists once its first message is sent."""
    return render(request, "chat/thread.html", {"page": page_of(configured(), new_thread_id(), new=True)})


@require_GET
@chat_view
def thread(request: PageRequest, thread_id: str) -> HttpResponse:
    """A conversation; for htmx its head alone."""
    if is_fragment(request):
        return render(request, "chat/_head.html", {"page": surroundings(configured(), thread_id)})
    settle_interrupted(configured())
    settle_interrupted_commands(configured().memory)
    return render(request, "chat/thread.html", {"page": page_of(configured(), thread_id)})


@require_POST
@chat_view
def ask(request: PageRequest, thread_id: str) -> HttpResponse:
    """Starts a turn or a command, in a new thread where there is none of that id."""
    form = TurnForm(request.POST)
    if not form.is_valid() or len(thread_id) > _LONGEST_THREAD_ID:
        return sentence(request, _UNREADABLE_FORM, status=422)
    query, key = form.cleaned_data["query"], form.cleaned_data["key"]
    try:
        if not form.cleaned_data["plain"] and (asked := parse(query)) is not None:
            return commands.give(request, thread_id, asked, key)
        started = runner().start(TurnRequest(thread_id, query, key))
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
    if turn.thread_id != thread_id:
        return _kept(HttpResponseClientRedirect(address), kept)
    moved = request.htmx.current_url_abs_path != address
    # A thread that began with a command has its title from its first message.
    titled = configured().memory.messages(turn.thread_id)[0].id == turn.question.id
    page = surroundings(configured(), turn.thread_id, first=moved or titled)
    context = {"page": page, "item": item_of(turn, last=True), "moved": moved}
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
    response = beside_composer(request, thread_id, "", Notice(stored, kind="done"), status=200)
    return trigger_client_event(response, "text-stored")


@require_http_methods(["GET", "POST"])
@chat_view
def rename(request: PageRequest, thread_id: str) -> HttpResponse:
    """Asks for another title, and gives it."""
    form = RenameForm(request.POST or None)
    part = is_fragment(request)
    if request.method == "POST" and form.is_valid():
        rename_thread(runner(), thread_id, form.cleaned_data["title"])
        page = surroundings(configured(), thread_id, first=True)
        return (
            render(request, "chat/_renamed.html", {"page": page})
            if part
            else redirect("chat:thread", thread_id)
        )
    template = "chat/_rename.html" if part else "chat/rename.html"
    page = surroundings(configured(), thread_id)
    return render(request, template, {"page": page, "form": form}, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "POST"])
@chat_view
def delete(request: PageRequest, thread_id: str) -> HttpResponse:
    """Asks whether to delete a conversation, and does."""
    if request.method == "POST":
        delete_thread(runner(), thread_id)
        home = reverse("chat:start")
        return HttpResponseClientRedirect(home) if is_fragment(request) else redirect(home)
    template = "chat/_delete.html" if is_fragment(request) else "chat/delete.html"
    return render(request, template, {"page": surroundings(configured(), thread_id)})


@require_GET
@chat_view
def turn(request: PageRequest, turn_id: str) -> HttpResponse:
    """One turn as it stands now."""
    settle_interrupted(configured())
    memory = configured().memory
    record = memory.turn(turn_id)
    if not is_fragment(request):
        return redirect("chat:thread", record.thread_id)
    last = memory.messages(record.thread_id)[-1].id == record.question.id
    page = surroundings(configured(), record.thread_id)
    return render(request, "chat/_turn_update.html", {"page": page, "item": item_of(record, last=last)})


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


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that did not come from this page, or came after its cookie was gone."""
    del reason
    text = "This form is too old or did not come from this page. Nothing was changed; reload and try again."
    return sentence(request, text, status=403)  # type: ignore[arg-type]
