"""What the tests of commands share: running one as the composer does, without a language model."""

from collections.abc import Callable

import pytest

from researchassist.agent.assistant import Assistant
from researchassist.agent.commands import BY_NAME, COMMANDS
from researchassist.agent.commands.definition import CommandContext, CommandResult
from tests import outside


@pytest.fixture
def assistant(assistant_with, httpserver) -> Assistant:
    """No model; everything outside is the test's server."""
    return assistant_with(sources=outside.sources(httpserver))


@pytest.fixture
def give(assistant) -> Callable[..., CommandResult]:
    """Runs a command in the thread "alice"; what comes back went through JSON, as the page's does."""

    def run(name: str, argument: str = "", **more) -> CommandResult:
        context = CommandContext(assistant, "alice", COMMANDS, **more)
        return CommandResult.from_json(BY_NAME[name].run(context, argument).as_json())

    return run
