"""How views answer: whole pages and fragments of them, and errors as sentences in place."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from researchassist.agent.assistant import configured
from researchassist.agent.threads import new_thread_id
from researchassist.errors import (
    CommandRefused,
    ResearchAssistError,
    ThreadDeleted,
    TurnRefused,
    UnknownCommandRun,
    UnknownMessage,
    UnknownSummary,
    UnknownThread,
    UnknownToolLog,
    UnknownTurn,
)

from .page import Notice, page_of

GONE = "This conversation was deleted, perhaps in another tab. What you have written here is kept."
_UNKNOWN = (UnknownMessage, UnknownSummary, UnknownToolLog, UnknownCommandRun)


class PageRequest(HttpRequest):
    """A request with what htmx says of itself."""

    htmx: HtmxDetails


def is_fragment(request: PageRequest) -> bool:
    """Whether htmx asks for a part; going back in the history takes whole pages."""
    return bool(request.htmx) and not request.htmx.history_restore_request


def shows_a_part(request: PageRequest, address: str) -> bool:
    """Whether the page htmx asks from may show a part of this conversation that is not its end."""
    path, _, query = (request.htmx.current_url_abs_path or "").partition("?")
    return path == address and bool(query)


def shows_another(request: PageRequest, address: str) -> bool:
    """Whether the page htmx asks from shows another conversation than the one at `address`."""
    path = (request.htmx.current_url_abs_path or "").partition("?")[0]
    return path.startswith(reverse("chat:thread", args=["x"])[:-1]) and path != address


def chat_view(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view whose errors become sentences, and whose pages are never kept by the browser."""

    @wraps(view)
    def wrapped(request: PageRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except ThreadDeleted as error:
            response = deleted(request, error)
        except (UnknownThread, UnknownTurn) as error:
            response = _gone(request) if is_fragment(request) else sentence(request, str(error), status=404)
        except _UNKNOWN as error:
            response = sentence(request, str(error), status=404)
        except ResearchAssistError as error:
            response = sentence(request, str(error), status=422)
        response.headers["Cache-Control"] = "no-store"
        patch_vary_headers(response, ["HX-Request"])
        return response

    return wrapped


def _gone(request: PageRequest) -> HttpResponse:
    """What a page still shows and is no longer there: its conversation was deleted."""
    return in_notice(request, Notice(GONE, gone=new_thread_id()), status=404)


def deleted(request: PageRequest, error: ThreadDeleted) -> HttpResponse:
    """That a conversation was deleted, in another tab perhaps, with the way back while there is one."""
    if is_fragment(request):
        return in_notice(request, _deleted(error), status=404)
    undo = error.thread_id if error.can_come_back else ""
    return render(request, "chat/error.html", {"text": str(error), "undo": undo}, status=404)


def _deleted(error: ThreadDeleted) -> Notice:
    undo = error.thread_id if error.can_come_back else ""
    return Notice(f"{error} What you have written here is kept.", gone=new_thread_id(), undo=undo)


def sentence(request: PageRequest, text: str, *, status: int) -> HttpResponse:
    """An error in words: beside the composer, or as a page of its own."""
    if is_fragment(request):
        return in_notice(request, Notice(text), status=status)
    return render(request, "chat/error.html", {"text": text}, status=status)


def in_notice(request: PageRequest, notice: Notice, *, status: int) -> HttpResponse:
    """A fragment for the place beside the composer, whatever the request was aimed at."""
    response = render(request, "chat/_notice.html", {"notice": notice}, status=status)
    response.headers["HX-Retarget"] = "#notice"
    response.headers["HX-Reswap"] = "innerHTML"
    return response


def refused(request: PageRequest, thread_id: str, text: str, error: ResearchAssistError) -> HttpResponse:
    """Why a message was not sent; the text stays in the composer."""
    reason = error.reason if isinstance(error, TurnRefused) else ""
    plain = isinstance(error, CommandRefused)
    notice = Notice(str(error), too_long=reason == "too_long", plain=plain, thread_id=thread_id)
    if isinstance(error, ThreadDeleted):
        notice = _deleted(error)
    elif isinstance(error, UnknownThread):
        notice = Notice(GONE, gone=new_thread_id())
    return beside_composer(request, thread_id, text, notice, status=status_of(error))


def status_of(error: ResearchAssistError) -> int:
    """409 where the conversation stands otherwise than the page shows it, 422 where the input is wrong."""
    if isinstance(error, UnknownThread):
        return 409
    return 409 if isinstance(error, TurnRefused) and error.reason in ("busy", "moved") else 422


def beside_composer(
    request: PageRequest, thread_id: str, text: str, notice: Notice, *, status: int
) -> HttpResponse:
    """A sentence at the composer: alone for htmx, else the whole page with `text` still in it."""
    if is_fragment(request):
        return in_notice(request, notice, status=status)
    page = page_of(configured(), thread_id, text=text, notice=notice, new=True)
    return render(request, "chat/thread.html", {"page": page}, status=status)
