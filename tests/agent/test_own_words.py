import pytest

from researchassist.agent.own_words import is_short_answer, may_tell, own_words, speaks_for_themselves

ARTICLE = (
    "Dr. Ada Berg, 52, has lived in Rome since she left the institute. She hates fish and keeps three "
    "cats. My colleagues say that I never sleep, she laughs, and her next book is due in May. " * 4
)


def test_what_was_typed_is_the_persons_own():
    typed = "I moved to Bergen last week.\n\nMy preferences:\n- short answers\n- no tables\n\nThanks!"
    assert own_words(typed).replace("\n", " ").split() == typed.split()


@pytest.mark.parametrize(
    "message",
    [
        f"Summarize this for me:\n\n{ARTICLE}",
        f"Summarize this for me:\n{ARTICLE[:200]}",
        f"{ARTICLE}\n\nWhat do you think?",
        f"I found an article.\n\n{ARTICLE}\n\n{ARTICLE}\n\nI like it.",
        "Leila wrote to me:\n> She hates fish and I do too.\n> Ada Berg",
        'He said "I hate fish and I live in Rome with Berg" to me.',
        "Look:\n```\n# Berg lives in Rome, I hate fish\n```",
        "Can you read this?\n\nFrom: Ada Berg\nSubject: fish\n\nI hate fish.\nBerg",
        "Translate the following:\n\nI hate fish.\n\nI live in Rome.\n\nBerg",
    ],
)
def test_what_was_brought_along_is_not(message: str):
    own = own_words(message)
    assert "fish" not in own
    assert "Rome" not in own


def test_what_stands_around_it_still_is():
    own = own_words(
        f"I am working with Leila on this now:\n\n{ARTICLE}\n\n{ARTICLE}\n\nI want a short answer."
    )
    assert "I am working with Leila" in own
    assert own.endswith("I want a short answer.")


def test_a_name_in_quotation_marks_is_no_speech():
    assert own_words('My project is called "Night Owl".') == 'My project is called "Night Owl".'


@pytest.mark.parametrize(
    "message",
    [
        "I am vegetarian",
        "Ich bin Vegetarier",
        "Always cite by number",
        "please use metric units",
        "我是素食者",
        "What did I say?",
    ],
)
def test_a_message_about_the_person_or_for_all_time_may_tell_something(message: str):
    assert may_tell(message)


@pytest.mark.parametrize(
    "message",
    ["Where is Marlow?", "Who hunts at night?", "", "```\nmy code\n```", "What does Kestrel claim?"],
)
def test_a_question_about_something_else_costs_no_model(message: str):
    assert not may_tell(message)


def test_a_few_words_answer_a_question():
    assert is_short_answer("yes, the second", "Do you mean the first or the second?")
    assert may_tell("yes, the second", "Do you mean the first or the second?")
    assert not is_short_answer("yes, the second", "It is the second.")
    assert not is_short_answer("and the third?", "Which one?")
    assert not is_short_answer("a much longer reply that says what was meant and more", "Which one?")


def test_the_sentence_around_a_quote_says_whose_it_is():
    message = "I like owls. Dr. Berg hates fish. Always cite by number."
    assert speaks_for_themselves("like owls", message, standing=False)
    assert not speaks_for_themselves("hates fish", message, standing=True)
    assert speaks_for_themselves("cite by number", message, standing=True)
    assert not speaks_for_themselves("cite by number", message, standing=False)
    assert not speaks_for_themselves("not there", message, standing=True)
