"""`manage.py forget_everything`: erases all personal memory, history and all, after a typed confirmation."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from researchassist.agent.assistant import configured

from ._sentences import SentenceCommand

WORDS = "forget everything"


class Command(SentenceCommand):
    """Erases facts, their history, core memory, profile and sessions; nothing brings them back."""

    help = (
        "Erase all that is remembered of you, its history too. Conversations and documents stay. Asks you to "
        f"type “{WORDS}”."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--confirm", metavar="WORDS", help=f"“{WORDS}”, instead of typing it when asked")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        memory = configured().memory
        self.stdout.write(
            f"This erases {len(memory.facts())} facts with their history, core memory and the profile, for "
            "good; lessons of earlier work, and conversations that could still be brought back, too. "
            "export_memory writes them to a file first. Other conversations and documents stay."
        )
        typed = options["confirm"]
        if typed is None:
            try:
                typed = input(f"Type “{WORDS}” to go on: ")
            except EOFError:
                typed = ""
        if typed.strip().casefold() != WORDS:
            raise CommandError("Nothing was erased.")
        gone = memory.erase_personal_memory()
        self.stdout.write("Erased: " + ", ".join(f"{count} {name}" for name, count in gone.items()) + ".")
