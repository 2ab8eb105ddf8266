"""`manage.py ask "…"`: one turn on the terminal, answer and sources."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from researchassist.agent.assistant import configured
from researchassist.agent.passages import cited
from researchassist.agent.threads import new_thread_id
from researchassist.agent.turn import call_agent

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Asks one question; it is kept like one asked on the page."""

    help = "Ask one question and print the answer with the passages it was given."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("question", metavar="QUESTION", help="what to ask")
        parser.add_argument("--thread", metavar="THREAD", help="conversation to ask in (default: a new one)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        assistant = configured()
        thread_id = options["thread"] or new_thread_id()
        if options["thread"]:
            assistant.memory.thread(thread_id)
        result = call_agent(assistant, options["question"], thread_id)
        self._write_answer(result.final_answer, result.turn.used)
        self.stdout.write(f"\nConversation: {thread_id}")

    def _write_answer(self, answer: str, used: Mapping[str, Any]) -> None:
        """The answer with its sources, or with the passages it was given where it cites none."""
        given = used["given"]["knowledge_base"]
        text, sources = cited(answer, given if used["has_source"] else ())
        self.stdout.write(text)
        if not used["has_source"]:
            self.stdout.write("\nNo source in memory.")
        if sources or given:
            self.stdout.write("\nSources:" if sources else "\nPassages given:")
        for number, passage in enumerate(sources or given, start=1):
            page = f", page {passage['page']}" if passage["page"] else ""
            self.stdout.write(
                f"{f'[{number}]' if sources else '-'} {passage['title']} ({passage['source']}{page}), "
                f"passage {passage['passage']} of {passage['of']}, similarity {passage['score']:.2f}"
            )
