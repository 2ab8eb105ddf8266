"""Whether two short texts say the same: by rule, so that it costs no model and never changes its mind.

Pure functions over words. English endings and small words are known; other languages are compared by
their whole words, which finds fewer repeats and never a false one.
"""

import re

from .text import name_key

_WORD = re.compile(r"[^\W_]+(?:[-.:'’/][^\W_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_UNSPACED_DENIAL = re.compile(r"[不没沒未]|ない|ません")
_SUBJECT = re.compile(r"^(?:the )?(?:user|person)(?:['’]s)?\s+|^(?:i|my)\s+", re.IGNORECASE)
_DENYING = """not no never none nothing neither nor without cannot stopped quit former formerly longer
nicht kein keine keinen keinem keiner nie niemals nichts pas jamais nunca jamás"""
_COMMON = """
a an the and or but of in on at to for from by with as is are was were be been being am do does did
has have had having will would can could may might must shall should this that these those it its
there here i me my mine myself we us our ours you your yours he him his she her hers they them their
theirs who whom which what when where why how if then than so too very just also only about into
over under up down out user users person now still really much many some any all both each more most
other own same such"""
_NEGATIONS = frozenset(_DENYING.split())
_SMALL = frozenset(_COMMON.split())
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "s")


def fact_key(text: str) -> str:
    """What repeats of one statement have in common: case, spaces, marks and who it is about aside."""
    line = " ".join(_WORD.findall(name_key(text)))
    return _SUBJECT.sub("", line)[:400] or line[:400]


def words(text: str) -> frozenset[str]:
    """All words of a text in lower case, without a possessive ending; of what is written without
    spaces, pairs of characters."""
    return frozenset(part for word in _WORD.findall(text.casefold()) for part in _parts(_bare(word)))


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry it, without endings; "not" and its like are not among them."""
    return frozenset(_stem(word) for word in words(text) if word not in _SMALL and not _denies(word))


def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return any(_denies(word) for word in _WORD.findall(text.casefold())) or bool(
        _UNSPACED_DENIAL.search(text)
    )


def specifics(text: str) -> frozenset[str]:
    """Names and numbers: words with a digit, or with a capital letter that no sentence begins with."""
    found = set()
    for match in _WORD.finditer(text):
        word, before = match.group(), text[: match.start()].rstrip()
        begins = not before or before[-1] in ".!?:;\n\"“'(" or len(word) == 1
        if any(character.isdigit() for character in word) or (
            word != word.lower() and not (begins and word[1:] == word[1:].lower())
        ):
            found.add(_bare(word.casefold()))
    return frozenset(found)


def says_the_same(one: str, other: str) -> bool:
    """Whether two statements differ only in form: same words that carry them, neither denied alone."""
    if fact_key(one) == fact_key(other):
        return True
    return content_words(one) == content_words(other) != frozenset() and is_negated(one) == is_negated(other)


def says_part_of(one: str, other: str) -> bool:
    """Whether one of two statements holds all that carries the other, neither denied alone."""
    smaller, larger = sorted((content_words(one), content_words(other)), key=len)
    return bool(smaller) and smaller <= larger and is_negated(one) == is_negated(other)


def _parts(word: str) -> list[str]:
    """The word, or pairs of its characters where a script writes without spaces."""
    if not _UNSPACED.search(word):
        return [word]
    return [word[place : place + 2] for place in range(max(len(word) - 1, 1))]


def _denies(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def _stem(word: str) -> str:
    """The word without a common English ending: live, lives and living are one."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word
