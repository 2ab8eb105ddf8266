"""`manage.py serve`: the one server process."""

import logging
import signal
import sys
import threading
from typing import Any

import waitress
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import connections

from researchassist.agent.command_runner import drop_orphans
from researchassist.agent.ownership import settle_interrupted
from researchassist.agent.runner import TurnRunner, runner
from researchassist.agent.sessions import SessionTimer
from researchassist.agent.uploads import largest_request
from researchassist.errors import ResearchAssistError
from researchassist.wsgi import application

from ._sentences import SentenceCommand

log = logging.getLogger(__name__)

# Each open stream of a page holds one; browsers open up to six a host.
_THREADS = 64
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Command(SentenceCommand):
    """Serves the chat page until it is interrupted."""

    help = "Serve the chat page (waitress, one process). Ctrl-C stops it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Options of the command."""
        parser.add_argument("--host", default=settings.RESEARCHASSIST.host, help="address to listen on")
        parser.add_argument(
            "--port", type=int, default=settings.RESEARCHASSIST.port, help="port to listen on"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs the command."""
        turns = runner()
        turns.assistant.memory.check_embedding_model()
        interrupted = settle_interrupted(turns.assistant)
        drop_orphans(turns.assistant.memory)
        turns.assistant.memory.erase_forgotten_threads()
        try:
            server = waitress.create_server(
                application,
                host=options["host"],
                port=options["port"],
                threads=_THREADS,
                # Above what the page refuses with a sentence the server reads nothing.
                max_request_body_size=2 * largest_request(turns.assistant.options),
                ident="ResearchAssist",
            )
        except OSError as error:
            raise CommandError(
                f"Port {options['port']} on {options['host']} cannot be used ({error.strerror}). "
                "Is ResearchAssist running already? Set RESEARCHASSIST_PORT to use another."
            ) from error
        self.stdout.write(f"ResearchAssist: http://{options['host']}:{server.effective_port}/")
        self._say_state(turns, interrupted, options["host"])
        timer = SessionTimer(turns.assistant)
        timer.start()
        threading.Thread(target=_warm_up, args=(turns,), name="warm-up", daemon=True).start()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        try:
            server.run()
        finally:
            timer.stop()
            turns.shut_down()

    def _say_state(self, turns: TurnRunner, interrupted: int, host: str) -> None:
        if turns.assistant.writer is None:
            self.stdout.write(
                "No language model is set: answers are quoted from memory. README.md says how to set one."
            )
        else:
            self.stdout.write(f"Language model: {turns.assistant.model.name}")
        if interrupted:
            self.stdout.write(f"{interrupted} turn(s) were cut off when the server last ended; retry them.")
        if host not in _LOOPBACK:
            self.stdout.write(f"Listening on {host}: anyone who reaches it can read and write your memory.")
        self.stdout.flush()


def _warm_up(turns: TurnRunner) -> None:
    """Loads what a first question needs, so that it does not have to wait."""
    try:
        turns.assistant.warm_up()
    except ResearchAssistError as error:
        log.error("Warming up failed: %s", error)
    finally:
        connections.close_all()
