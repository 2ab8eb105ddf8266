"""Runs of commands on the page: giving one, adding files, watching, stopping and running again."""

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event

from researchassist.agent.assistant import configured
from researchassist.agent.command_runner import (
    CommandRequest,
    command_runner,
    settle_interrupted_commands,
)
from researchassist.agent.commands.parse import Asked
from researchassist.agent.uploads import largest_request
from researchassist.errors import UnreadableFile
from researchassist.memory.records import CommandRunRecord

from .command_item import command_item
from .forms import FilesForm
from .page import Notice, surroundings
from .responses import PageRequest, beside_composer, chat_view, is_fragment, shows_a_part, shows_another


def give(request: PageRequest, thread_id: str, asked: Asked, key: str) -> HttpResponse:
    """Starts the command a message was."""
    run = command_runner().start(CommandRequest(thread_id, asked.command.name, asked.argument, key))
    if is_fragment(request) and run.thread_id != thread_id:
        response: HttpResponse = HttpResponseClientRedirect(reverse("chat:thread", args=[run.thread_id]))
    else:
        response = _started(request, run.thread_id, [run])
    return trigger_client_event(response, "message-kept") if is_fragment(request) else response


@csrf_exempt
@require_POST
@chat_view
def add_files(request: PageRequest, thread_id: str) -> HttpResponse:
    """Takes files in; what is far too large is refused before its body is parsed."""
    most = largest_request(configured().options)
    if int(request.headers.get("Content-Length") or 0) > most:
        text = f"That is more than {most // 1_000_000:,} MB at once. Nothing was read; add fewer files."
        return beside_composer(request, thread_id, "", Notice(text), status=413)
    return _add_files(request, thread_id)


@csrf_protect
def _add_files(request: PageRequest, thread_id: str) -> HttpResponse:
    """One run a file, each with a key of its own made from the form's."""
    form = FilesForm(request.POST, request.FILES)
    if not form.is_valid():
        return beside_composer(request, thread_id, "", Notice("Choose a file first."), status=422)
    if form.cleaned_data["begun"]:
        configured().memory.thread(thread_id)
    key, runs, refused = form.cleaned_data["key"], [], []
    for number, file in enumerate(form.cleaned_data["file"]):
        own = uuid.uuid5(uuid.UUID(hex=key), str(number)).hex
        try:
            runs.append(command_runner().add_file(thread_id, file.name, file.size, file.chunks(), own))
        except UnreadableFile as error:
            refused.append(str(error))
    notice = Notice(" ".join(refused)) if refused else None
    if notice and not runs:
        return beside_composer(request, thread_id, "", notice, status=422)
    return _started(request, thread_id, runs, notice)


def _started(
    request: PageRequest, thread_id: str, runs: list[CommandRunRecord], notice: Notice | None = None
) -> HttpResponse:
    """The runs as they stand now, and all around them that they change."""
    address = reverse("chat:thread", args=[thread_id])
    if not is_fragment(request):
        return redirect(address)
    if shows_another(request, address) or shows_a_part(request, address):
        return HttpResponseClientRedirect(address)
    first = request.htmx.current_url_abs_path != address
    page = surroundings(configured(), thread_id, first=first)
    context = {"page": page, "items": [command_item(run) for run in runs], "notice": notice}
    response = render(request, "chat/_commands_started.html", context)
    if first:
        response.headers["HX-Push-Url"] = address
    return response


@require_GET
@chat_view
def command(request: PageRequest, run_id: str) -> HttpResponse:
    """One run as it stands now."""
    settle_interrupted_commands(configured().memory)
    run = configured().memory.command_run(run_id)
    if not is_fragment(request):
        return redirect("chat:thread", run.thread_id)
    return render(request, "chat/_command.html", {"item": command_item(run)})


@require_POST
@chat_view
def again(request: PageRequest, run_id: str) -> HttpResponse:
    """Runs one that failed or was interrupted once more, in its place."""
    run = command_runner().again(run_id)
    if not is_fragment(request):
        return redirect("chat:thread", run.thread_id)
    return render(request, "chat/_command.html", {"item": command_item(run)})


@require_POST
@chat_view
def stop_command(request: PageRequest, run_id: str) -> HttpResponse:
    """Asks a running command to end."""
    command_runner().stop(run_id)
    run = configured().memory.command_run(run_id)
    return HttpResponse(status=204) if is_fragment(request) else redirect("chat:thread", run.thread_id)
