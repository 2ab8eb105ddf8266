"""What is played, supposed, joked or said by others is nothing the person says, whatever a model quotes."""

import pytest

from researchassist.agent.framing import agrees, is_meant
from tests.agent.test_fact_extraction import said, texts


@pytest.mark.parametrize(
    ("message", "quote", "fact"),
    [
        # played and supposed
        ("Pretend I am a vegan pirate. What would I eat?", "I am a vegan pirate", "User is a vegan pirate"),
        ("Let's role-play: I am a rich patient.", "I am a rich patient", "User is a rich patient"),
        ("Let's role-play. You are a doctor. I am diabetic.", "I am diabetic", "User is diabetic"),
        ("Act as if I'm your boss at Google.", "I'm your boss at Google", "User is boss at Google"),
        ("My character says: I am allergic to nuts.", "I am allergic to nuts", "User is allergic to nuts"),
        ("In my story the hero says I hate fish.", "I hate fish", "User hates fish"),
        ("Imagine I live in Tokyo. What then?", "I live in Tokyo", "User lives in Tokyo"),
        ("If I were vegan, what would I eat?", "I were vegan", "User is vegan"),
        ("If it rains I would eat fish.", "I would eat fish", "User eats fish"),
        ("I don't know whether I am diabetic.", "I am diabetic", "User is diabetic"),
        ("Stell dir vor, ich bin Veganer.", "ich bin Veganer", "User ist Veganer"),
        ("Tu so, als ob ich Arzt wäre.", "ich Arzt wäre", "User ist Arzt"),
        ("Wenn ich Arzt wäre, würde ich helfen.", "ich Arzt wäre", "User ist Arzt"),
        ("假设我是素食者", "假设我是素食者", "用户是素食者"),
        ("Just kidding, I am the queen.", "I am the queen", "User is the queen"),
        ("I am the queen. Just kidding!", "I am the queen", "User is the queen"),
        # introduced as others' words, or as material
        ("He told me: I am allergic to nuts.", "I am allergic to nuts", "User is allergic to nuts"),
        ("Translate into German: I am vegetarian.", "I am vegetarian", "User is vegetarian"),
        ("How do you say 'I am vegan' in French?", "I am vegan", "User is vegan"),
        ("Ada wrote: 'I hate fish and live in Rome'", "I hate fish", "User hates fish"),
        ("Ada: I hate fish\nMe: ok\nwho hates fish?", "I hate fish", "User hates fish"),
        ("Mein Kollege sagt: Ich hasse Fisch.", "Ich hasse Fisch", "User hasst Fisch"),
        ("「我讨厌鱼，我住在罗马」是什么意思", "我讨厌鱼", "用户讨厌鱼"),
        ("<blockquote>I hate fish</blockquote> Me too?", "I hate fish", "User hates fish"),
        ("[quote=Ada]I hate fish[/quote] I see.", "I hate fish", "User hates fish"),
        ("    I hate fish\n\nWhat does my code say?", "I hate fish", "User hates fish"),
        # turned round, or said of somebody else
        ("I do not eat meat.", "I do not eat meat", "User eats meat"),
        ("I don't like Python.", "like Python", "User likes Python"),
        ("I no longer live in Rome.", "live in Rome", "User lives in Rome"),
        ("Ich esse kein Fleisch.", "Ich esse kein Fleisch", "User esse Fleisch"),
        ("我不吃鱼", "我不吃鱼", "用户吃鱼"),
        ("I like Python.", "I like Python", "User does not like Python"),
        ("My sister lives in Rome.", "My sister lives in Rome", "User lives in Rome"),
        ("My boss hates fish.", "hates fish", "User hates fish"),
    ],
)  # fmt: skip
def test_no_fact_comes_of_what_is_played_supposed_quoted_or_turned_round(message: str, quote: str, fact: str):
    for kind in ("semantic", "procedural"):
        assert texts(said(message), {"quote": quote, "fact": fact, "kind": kind}) == []


@pytest.mark.parametrize(
    ("message", "quote", "fact"),
    [
        ("I live in Tokyo. Imagine that!", "I live in Tokyo", "User lives in Tokyo"),
        ("I imagine systems and I work at CERN.", "I work at CERN", "User works at CERN"),
        ("I write a story. I live in Rome.", "I live in Rome", "User lives in Rome"),
        ("If it helps, I am vegetarian.", "I am vegetarian", "User is vegetarian"),
        ("Note: I am vegetarian.", "I am vegetarian", "User is vegetarian"),
        ("As I said: I am vegetarian.", "I am vegetarian", "User is vegetarian"),
        ("My doctor told me that I am diabetic.", "I am diabetic", "User is diabetic"),
        ("I don't like Python but I love Rust.", "I love Rust", "User loves Rust"),
        ("I don't eat meat and I live in Rome.", "I live in Rome", "User lives in Rome"),
        ("I don't eat meat.", "I don't eat meat", "User does not eat meat"),
        ("I hate fish.", "I hate fish", "User does not eat fish"),
        ("My sister lives in Rome.", "My sister lives in Rome", "User's sister lives in Rome"),
        ("My sister Sunniva lives in Rome.", "Sunniva lives in Rome", "Sunniva lives in Rome"),
        ("Ich bin Vegetarier.", "Ich bin Vegetarier", "User ist Vegetarier"),
        ("我不吃鱼", "我不吃鱼", "用户不吃鱼"),
        ("My project is called 'Night Owl'.", "My project is called", "User's project is Night Owl"),
    ],
)  # fmt: skip
def test_what_the_person_says_of_themselves_still_becomes_one(message: str, quote: str, fact: str):
    assert texts(said(message), {"quote": quote, "fact": fact}) == [fact]


def test_a_span_that_is_not_there_is_not_meant():
    assert not is_meant("I am vegan", "I am tired")
    assert agrees("User is vegan", "I am vegan", "I am vegan")
