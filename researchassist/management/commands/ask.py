"""`manage.py ask "…"`: one turn on the terminal, answer and sources."""

from typing import Any

from django.core.management.base import CommandParser

from researchassist.agent.assistant import configured
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
        self.stdout.write(result.final_answer)
        passages = result.turn.used["given"]["knowledge_base"]
        if passages:
            self.stdout.write("\nPassages given:")
        for passage in passages:
            page = f", page {passage['page']}" if passage["page"] else ""
            self.stdout.write(
                f"- {passage['title']} ({passage['source']}{page}), passage {passage['passage']} of "
                f"{passage['of']}, similarity {passage['score']:.2f}"
            )
        self.stdout.write(f"\nConversation: {thread_id}")
