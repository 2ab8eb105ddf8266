"""`manage.py context_budget`: the window line by line, for the next turn of a conversation."""

from typing import Any

from django.core.management.base import CommandParser

from researchassist.agent import window
from researchassist.agent.assistant import configured
from researchassist.agent.preview import preview

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Prints allowance and use of every line, and the rules by which they are kept."""

    help = (
        "Print the model's window line by line: what each part of a request may take and what the next turn "
        "would take of it, what is condensed when, what gives way first and what never. Nothing is written "
        "and no model is asked. The lines are options (RESEARCHASSIST_ALLOW_…)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--thread", default="", help="id of a conversation; without, a new one")
        parser.add_argument("--question", default="", help="the question of the next turn")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        assistant = configured()
        if options["thread"]:
            assistant.memory.thread(options["thread"])
        run = preview(assistant, options["thread"], options["question"])
        found, used = window.lines(run), window.together(run)
        self.stdout.write(f"{'line':36}{'allowance':>12}{'used':>12}")
        for line in found:
            taken = "free" if line.used is None else f"{line.used:,}"
            over = "  over" if line.is_over else ""
            self.stdout.write(f"{line.label:36}{line.allowance:>12,}{taken:>12}{over}")
        total = sum(line.allowance for line in found)
        self.stdout.write(f"{'together':36}{total:>12,}{used.tokens:>12,}")
        self.stdout.write(f"{'window':36}{used.budget:>12,}{used.percent:>11.1f}%\n")
        for rule in window.rules(assistant.options):
            self.stdout.write(rule)
