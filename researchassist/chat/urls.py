"""The addresses of the chat page."""

from django.urls import path

from . import answers, branches, commands, threads, views
from .events import command_events, turn_events

app_name = "chat"
urlpatterns = [
    path("", views.start, name="start"),
    path("threads/<str:thread_id>", views.thread, name="thread"),
    path("threads/<str:thread_id>/turns", views.ask, name="turns"),
    path("threads/<str:thread_id>/documents", views.store_document, name="documents"),
    path("threads/<str:thread_id>/files", commands.add_files, name="files"),
    path("threads", threads.threads, name="threads"),
    path("search", threads.search, name="search"),
    path("threads/<str:thread_id>/part", views.part, name="part"),
    path("threads/<str:thread_id>/title", threads.title, name="title"),
    path("threads/<str:thread_id>/rename", threads.rename, name="rename"),
    path("threads/<str:thread_id>/delete", threads.delete, name="delete"),
    path("threads/<str:thread_id>/restore", threads.restore, name="restore"),
    path("threads/<str:thread_id>/export.md", threads.export, {"kind": "md"}, name="export_markdown"),
    path("threads/<str:thread_id>/export.json", threads.export, {"kind": "json"}, name="export_json"),
    path("turns/<str:turn_id>/passages/<int:passage_id>", answers.passage, name="passage"),
    path("summaries/<str:summary_id>", answers.summary, name="summary"),
    path("messages/<str:message_id>/question", branches.question, name="question"),
    path("messages/<str:message_id>/edit", branches.edit, name="edit"),
    path("messages/<str:message_id>/again", branches.ask_again, name="ask_again"),
    path("messages/<str:message_id>/version", branches.show_version, name="version"),
    path("turns/<str:turn_id>", views.turn, name="turn"),
    path("turns/<str:turn_id>/events", turn_events, name="events"),
    path("turns/<str:turn_id>/stop", views.stop, name="stop"),
    path("turns/<str:turn_id>/retry", views.retry, name="retry"),
    path("turns/<str:turn_id>/used", views.used, name="used"),
    path("turns/<str:turn_id>/remembered", answers.remembered, name="remembered"),
    path("turns/<str:turn_id>/unremember", answers.unremember, name="unremember"),
    path("turns/<str:turn_id>/helpers", views.retry_helpers, name="helpers"),
    path("commands/events", command_events, name="command_events"),
    path("commands/<str:run_id>", commands.command, name="command"),
    path("commands/<str:run_id>/again", commands.again, name="again"),
    path("commands/<str:run_id>/stop", commands.stop_command, name="stop_command"),
    path("messages/<str:message_id>.md", answers.message_text, name="message_text"),
    path("logs/<str:log_id>", views.log, name="log"),
]
