"""A form without this browser's token: what is said, and that nothing written in it is lost.

Django's middleware refuses it before any view runs, so nothing was changed.
"""

from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.utils.cache import patch_vary_headers

from .forms import TurnForm
from .page import Notice
from .responses import PageRequest, beside_composer, is_fragment, sentence

ELSEWHERE = "This form did not come from this page. Nothing was changed."
OLD = (
    "The browser had lost this page’s token, as when its cookies are cleared. It has a new one now and "
    "nothing was changed; your text is still here, so send it again."
)
OLD_FORM = (
    "The browser had lost this page’s token. Nothing was changed; go back, reload the page and try again."
)


def csrf_failure(request: PageRequest, reason: str = "") -> HttpResponse:
    """Renews the token for a form of this page, and keeps a message that was in it.

    The text of a form from elsewhere is not shown: it is not the person's.
    """
    del reason
    if not _is_ours(request):
        response = sentence(request, ELSEWHERE, status=403)
    elif is_fragment(request):
        response = sentence(request, OLD, status=403)
    else:
        response = _with_text(request)
    get_token(request)  # so that the answer sets the cookie
    response.headers["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["HX-Request"])
    return response


def _is_ours(request: PageRequest) -> bool:
    """Whether the browser says that the form stood on a page of this server, as browsers do."""
    return request.headers.get("Origin", "") == f"{request.scheme}://{request.get_host()}"


def _with_text(request: PageRequest) -> HttpResponse:
    """The page it was sent from, with what was written in its message field."""
    thread_id = (request.resolver_match.kwargs if request.resolver_match else {}).get("thread_id", "")
    form = TurnForm(request.POST)
    form.is_valid()
    text = form.cleaned_data.get("query", "")
    if not (thread_id and text):
        return sentence(request, OLD_FORM, status=403)
    return beside_composer(request, thread_id, text, Notice(OLD), status=403)
