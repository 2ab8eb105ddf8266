"""`manage.py reflect`: draws lasting facts from what repeats, as the server does after a session."""

from typing import Any

from researchassist.agent.assistant import configured
from researchassist.agent.reflect import reflect

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Draws facts from repeated episodes and recurring lessons, each once, with their sources."""

    help = (
        "Draw lasting facts from what repeats: episodes about you that matter, and lessons of earlier work. "
        "Each is drawn once, names its sources (/why N) and can be undone."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        done = reflect(configured())
        for text in done.drawn:
            self.stdout.write(f"Drawn: {text}")
        for problem in done.problems:
            self.stderr.write(problem)
        if not done.drawn and not done.problems:
            self.stdout.write("Nothing repeats that was not drawn from already.")
