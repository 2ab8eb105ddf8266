"""`manage.py close_sessions`: folds ended sessions into the profile, as the server does by a timer."""

from typing import Any

from researchassist.agent.assistant import configured
from researchassist.agent.sessions import close_sessions

from ._sentences import SentenceCommand


class Command(SentenceCommand):
    """Folds the sessions that have ended into the profile of the person, once each."""

    help = (
        "Fold the sessions that have ended (idle for RESEARCHASSIST_SESSION_IDLE_MINUTES) into the profile, "
        "the rolling summary of the person. Each is folded in once, however often this runs; the server "
        "does the same by itself."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        assistant = configured()
        closed = close_sessions(assistant)
        if closed.folded:
            ids = ", ".join(map(str, closed.folded))
            self.stdout.write(f"The profile has {closed.words} words now, with session {ids} in it.")
        elif closed.problem:
            waiting = f"{closed.waiting} session(s) wait for the next."
            self.stderr.write(f"The profile stays as it was: {closed.problem} {waiting}")
        elif closed.waiting and assistant.writer is None:
            self.stdout.write(f"{closed.waiting} session(s) wait: no language model is set.")
        elif closed.waiting:
            self.stdout.write(f"{closed.waiting} session(s) wait until the next one has ended.")
        else:
            self.stdout.write("No session has ended since the last time.")
