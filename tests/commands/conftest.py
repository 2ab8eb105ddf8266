"""What the tests of commands share."""

import io
from collections.abc import Callable

import pytest
from django.core.management import call_command


@pytest.fixture
def command(assistant_with) -> Callable[..., str]:
    """Runs a command in this process on the test's memory; gives what it printed."""
    assistant_with("unused")

    def run(*arguments: str) -> str:
        out = io.StringIO()
        call_command(*arguments, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    return run
