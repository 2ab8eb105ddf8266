"""What the person does to a conversation as a whole: the list, naming, deleting."""

import contextlib
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from researchassist.agent.assistant import configured
from researchassist.agent.runner import runner
from researchassist.agent.thread_files import export_json, export_markdown
from researchassist.agent.threads import delete_thread, rename_thread, restore_thread
from researchassist.errors import ThreadDeleted

from .forms import RenameForm
from .page import surroundings
from .responses import PageRequest, chat_view, is_fragment
from .thread_list import thread_list

_MOST_HITS = 40
_EXPORTS = {"md": (export_markdown, "text/markdown"), "json": (export_json, "application/json")}


@require_GET
@chat_view
def threads(request: PageRequest) -> HttpResponse:
    """The part of the list of conversations after a place, for the list that is scrolled there."""
    place = request.GET.get("after", "")
    if not is_fragment(request):
        return redirect(f"{reverse('chat:start')}?threads={place}")
    listed = thread_list(configured().memory, place)
    return render(request, "chat/_threads.html", {"list": listed})


@require_GET
@chat_view
def search(request: PageRequest) -> HttpResponse:
    """Messages of all conversations by their words: in the side list as they are typed, else as a page."""
    text, part = request.GET.get("q", ""), is_fragment(request)
    memory = configured().memory
    found = memory.search_threads(text, limit=_MOST_HITS, typing=part) if text.strip() else None
    context = {"found": found, "q": text, "most": _MOST_HITS}
    if part:
        return render(request, "chat/_side_list.html", {**context, "threads": thread_list(memory)})
    return render(request, "chat/search.html", context)


@require_GET
@chat_view
def title(request: PageRequest, thread_id: str) -> HttpResponse:
    """The name the model gives a conversation, once it has: asked for until then."""
    if not is_fragment(request):
        return redirect("chat:thread", thread_id)
    page = surroundings(configured(), thread_id)
    if page.titling:
        return render(request, "chat/_titling.html", {"page": page})
    response = render(request, "chat/_renamed.html", {"page": page})
    response.headers["HX-Retarget"] = "#head"
    return response


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


@require_POST
@chat_view
def delete(request: PageRequest, thread_id: str) -> HttpResponse:
    """Deletes a conversation at once and leads to a page that offers to undo it."""
    # It may be deleted already: in another tab, or by the same button pressed twice.
    with contextlib.suppress(ThreadDeleted):
        delete_thread(runner(), thread_id)
    home = f"{reverse('chat:start')}?{urlencode({'deleted': thread_id})}"
    return HttpResponseClientRedirect(home) if is_fragment(request) else redirect(home)


@require_POST
@chat_view
def restore(request: PageRequest, thread_id: str) -> HttpResponse:
    """Brings a deleted conversation back."""
    restore_thread(runner(), thread_id)
    address = reverse("chat:thread", args=[thread_id])
    return HttpResponseClientRedirect(address) if is_fragment(request) else redirect(address)


@require_GET
@chat_view
def export(request: PageRequest, thread_id: str, kind: str) -> HttpResponse:
    """A conversation as a file to keep: md or json."""
    del request
    write, content_type = _EXPORTS[kind]
    response = HttpResponse(write(configured(), thread_id), content_type=f"{content_type}; charset=utf-8")
    name = slugify(configured().memory.thread(thread_id).title)[:60] or "conversation"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response
