from datetime import timedelta

import time_machine

from researchassist.agent.turn import call_agent
from researchassist.memory import clock
from tests.scripted_llm import ScriptedLLM


def a_session(assistant) -> None:
    with time_machine.travel(clock.now() - timedelta(hours=2)):
        call_agent(assistant, "I don't eat meat", "alice")


def replying(profile: str) -> ScriptedLLM:
    return ScriptedLLM(
        lambda messages: profile if "rolling summary" in str(messages[0]["content"]) else "[]", forever=True
    )


def test_an_ended_session_is_folded_in_once(command, assistant_with):
    a_session(assistant_with("Noted.", writer=replying("User is vegetarian.")))
    assert "The profile has 3 words now, with session" in command("close_sessions")
    assert "No session has ended since" in command("close_sessions")


def test_without_a_model_it_says_what_waits(command, assistant_with):
    a_session(assistant_with("Noted."))
    assert "1 session(s) wait: no language model is set." in command("close_sessions")


def test_one_that_failed_waits_for_the_next(command, assistant_with, capsys):
    a_session(assistant_with("Noted.", writer=replying("word " * 500)))
    command("close_sessions")
    assert "wait until the next one has ended" in command("close_sessions")
