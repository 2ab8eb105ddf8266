"""Asking an earlier question again, edited or as it was, and going between the versions of one."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import trigger_client_event

from researchassist.agent import threads
from researchassist.agent.assistant import configured
from researchassist.agent.commands.parse import parse
from researchassist.agent.runner import runner
from researchassist.agent.turn import TurnRequest
from researchassist.errors import ResearchAssistError, TurnRefused, UnknownMessage
from researchassist.memory.records import MessageRecord

from .conversation import Item, Versions
from .forms import TurnForm, new_key
from .page import Notice, Wanted, page_of
from .responses import PageRequest, beside_composer, chat_view, in_notice, is_fragment, sentence, status_of

_UNREADABLE_FORM = "This message could not be read. Reload the page and send it again."
_A_COMMAND = (
    "A command starts no answer and cannot take a question's place. Write it in the message field below."
)


@require_GET
@chat_view
def question(request: PageRequest, message_id: str) -> HttpResponse:
    """One question as the conversation shows it: where an edit is given up."""
    message = _question(message_id)
    if not is_fragment(request):
        return redirect(_address(message))
    memory = configured().memory
    item = Item(question=message, versions=Versions.of(message.id, memory.versions([message])[message.id]))
    return render(request, "chat/_question.html", {"item": item})


@require_GET
@chat_view
def edit(request: PageRequest, message_id: str) -> HttpResponse:
    """The form to change a question and ask it again."""
    message = _question(message_id)
    template = "chat/_edit.html" if is_fragment(request) else "chat/edit.html"
    return render(request, template, {"message": message, "text": message.content, "key": new_key()})


@require_POST
@chat_view
def ask_again(request: PageRequest, message_id: str) -> HttpResponse:
    """Asks a question again, as the form has it or, where it has none, as it was; the version until now
    stays beside it."""
    message, form = _question(message_id), TurnForm(request.POST)
    if not form.is_valid():
        return sentence(request, _UNREADABLE_FORM, status=422)
    query = form.cleaned_data["query"] if "query" in request.POST else message.content
    try:
        if parse(query) is not None and query != message.content:
            raise TurnRefused(_A_COMMAND, reason="command")
        key = form.cleaned_data["key"]
        started = runner().start(TurnRequest(message.thread_id, query, key, edit_of=message.id))
    except ResearchAssistError as error:
        return _refused(request, message, query, error)
    return _changed(request, configured().memory.turn(started.turn_id).question, asked=True)


@require_POST
@chat_view
def show_version(request: PageRequest, message_id: str) -> HttpResponse:
    """Makes the branch of a message the conversation again."""
    try:
        message = threads.show_version(runner(), message_id)
    except TurnRefused as error:
        thread_id = configured().memory.message(message_id).thread_id
        return beside_composer(request, thread_id, "", Notice(str(error)), status=409)
    return _changed(request, message)


def _question(message_id: str) -> MessageRecord:
    """The question of that id; raises UnknownMessage."""
    message = configured().memory.message(message_id)
    if message.role != "user":
        raise UnknownMessage("Only a question can be asked again.")
    return message


def _address(message: MessageRecord) -> str:
    """The page of a thread with this message in it."""
    address = reverse("chat:thread", args=[message.thread_id])
    return f"{address}?{urlencode({'at': message.id})}#message-{message.id}"


def _refused(
    request: PageRequest, message: MessageRecord, text: str, error: ResearchAssistError
) -> HttpResponse:
    """Why nothing was asked; what was written stays in its form."""
    if is_fragment(request):
        return in_notice(request, Notice(str(error)), status=status_of(error))
    context = {"message": message, "text": text, "key": new_key(), "error": str(error)}
    return render(request, "chat/edit.html", context, status=status_of(error))


def _changed(request: PageRequest, message: MessageRecord, *, asked: bool = False) -> HttpResponse:
    """The conversation on its new branch, and all around it."""
    if not is_fragment(request):
        return redirect(_address(message))
    page = page_of(configured(), message.thread_id, wanted=Wanted(message_id=message.id))
    context = {"page": page, "thread_id": page.thread_id, "part": page.part, "asked": asked}
    response = render(request, "chat/_conversation_changed.html", context)
    response.headers["HX-Retarget"] = "#conversation"
    response.headers["HX-Reswap"] = f"innerHTML show:#message-{message.id}:top"
    return trigger_client_event(response, "version-shown", {"value": message.id}, after="settle")
