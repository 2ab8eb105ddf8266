"""Whether words of the person say something of themselves, or are only played, supposed or another's.

Pure functions, by rule, over a span and the message it stands in: people play roles, ask "what if", joke,
have sentences translated and speak of their sister. English and German are known well, some other
languages by their commonest words. When in doubt a span is refused: /remember says it all the same.
"""

import re

from researchassist.memory.sameness import content_words, is_negated

from .own_words import sentences_with

# From here on nothing in the message is meant.
_PLAYED = re.compile(
    r"(?:^|[.!?,;:\n]|\b(?:please|now|just|let['’]?s|and|so|then|bitte|mal))\s*"
    r"(?:pretend|imagine|suppose|assume|picture|act as|let['’]?s say|hypothetically|stell\w* (?:dir|euch) vor"
    r"|nehmen wir an|angenommen|tu\w* so|imagin[ae]|imaginons|supón|supongamos|supposons|fais comme si)\b"
    r"|\b(?:role[- ]?play\w*|rollenspiel\w*|as if i|as though i|als ob ich"
    r"|in (?:my|the|a|this|our|mein\w*|der|dem|einem) (?:\w+ )?(?:story|novel|tale|poem|scene|screenplay|game"
    r"|roman|geschichte|spiel)"
    r"|(?:character|hero(?:ine)?|protagonist|persona|charakter|figur|held(?:in)?)"
    r" (?:says|thinks|is|sagt|denkt))\b"
    r"|假设|假如|假装|想象|扮演|仮に|想像して",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|whether|unless|in case|wenn|falls|ob|si)\b[^,;:.!?\n]*$|如果|要是|もし", re.IGNORECASE
)
_WOULD = re.compile(r"\b(?:would|could|might|were to|wäre|würde\w*|hätte|könnte)\b|['’]d\b", re.IGNORECASE)
_IF = re.compile(r"\b(?:if|unless|wenn|falls)\b", re.IGNORECASE)
_JOKED = re.compile(
    r"\b(?:just kidding|(?:only|just) joking|kidding|jk|lol|haha+|nur (?:ein )?(?:spaß|scherz)|scherz)\b"
    r"|开玩笑|😂|🤣",
    re.IGNORECASE,
)
# What stands before a colon makes what follows another's words, or material.
_INTRODUCED = re.compile(
    r"\b(?:sa(?:ys?|id)|tells?|told|writes?|wrote|asks?|asked|repl(?:y|ies|ied)|claims?|claimed"
    r"|translate|summari[sz]e|rephrase|rewrite|proofread|correct|explain|example|sentence|quote|caption|title|line|lyrics?"
    r"|sagt\w*|meint\w*|schreibt|schrieb|übersetz\w*|korrigier\w*|satz|beispiel|dit|dice|traduis\w*|traduce)\b[^:\n]*:[^:\n]*$"
    r"|(?:说|說|写道|翻译|总结)[^。\n]*[:：]",
    re.IGNORECASE,
)
_BY_ONESELF = re.compile(r"^\W*(?:(?:as|like|wie) )?(?:i|ich)\b", re.IGNORECASE)
_LABELLED = re.compile(r"^[ \t]*\w[\w.]*(?: \w[\w.]*)?:(?=[ \t]*\S)", re.MULTILINE)
_SPEAKER = re.compile(
    r"^[ \t]*(?!(?:me|i|ich|note|ps|fyi|update|remember|merke?)\b)[^\W\d_][\w. ]*:", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"[,;:.!?\n]|\b(?:but|aber|sondern|though|while|and(?= (?:i|we|my)\b)|und(?= ich\b))\b", re.IGNORECASE
)
_I = re.compile(
    r"\b(?:i|me|we|us|ich|mich|mir|wir|uns|je|j['’]\w+|nous|yo|soy|tengo|nosotros)\b|['’]m\b", re.IGNORECASE
)
_SOMEONE = re.compile(
    r"\b(?:my|our|mein\w*|unser\w*|mon|ma|mes|mi|mis) (?:\w+ )?(?P<who>"
    r"sisters?|brothers?|mother|mum|mom|father|dad|parents?"
    r"|wife|husband|partner|girlfriend|boyfriend|sons?|daughters?|kids?|child(?:ren)?|aunt|uncle|cousins?|grand\w+"
    r"|friends?|boss|manager|colleagues?|coworkers?|neighbou?rs?|supervisor|advisor|students?|teacher|professor|doctor"
    r"|roommate|flatmate|dogs?|cats?|schwester\w*|bruder|brüder|mutter|vater|eltern|frau|mann|sohn|tochter|kind(?:er)?"
    r"|freund\w*|chef\w*|kolleg\w*|nachbar\w*|lehrer\w*|professorin|arzt|ärztin|hund\w*|katze\w*)\b"
    r"(?P<name> (?-i:[A-ZÄÖÜ])\w+)?",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:hat(?:e|es|ed)|dislik\w*|avoid\w*|allerg\w*|refus\w*|left|leav\w*|moved|gave up|given up|instead"
    r"|rather|switched|changed|unable|only|ended|over|former\w*|ex|free|skip\w*|ban\w*|hass\w*|statt|nur|meid\w*)\b",
    re.IGNORECASE,
)


def is_meant(span: str, message: str) -> bool:
    """Whether the person means `span` of their own `message`: not played, supposed, joked or introduced
    as somebody else's words."""
    start = message.find(span)
    around = sentences_with(span, message)
    if start < 0 or not around:
        return False
    inside = around.find(span)
    before, through = around[:inside], around[: inside + len(span)]
    if _PLAYED.search(message[:start] + span) or _JOKED.search(around) or _joked_after(span, start, message):
        return False
    if _SUPPOSED.search(before) or re.match(r"\W*(?:if|whether|wenn|falls)\b", span, re.IGNORECASE):
        return False
    if _IF.search(through) and _WOULD.search(through):
        return False
    line = message[message.rfind("\n", 0, start) + 1 : start]
    if _INTRODUCED.search(line) and not _BY_ONESELF.search(line):
        return False
    return not (len(_LABELLED.findall(message)) > 1 and _SPEAKER.match(line))


def agrees(fact: str, span: str, message: str) -> bool:
    """Whether `fact` affirms or denies what the person does, and of whom they say it: neither "eats
    meat" of "I do not eat meat", nor of the person what "my sister" does."""
    said = _clauses_of(fact, span, message)
    if not said:
        return True
    if is_negated(fact):
        told = any(is_negated(one) or _AGAINST.search(one) for one in said)
    else:
        told = bool(_AGAINST.search(fact)) or not all(is_negated(one) for one in said)
    others = [match for one in said if (match := _SOMEONE.search(one)) and not _I.search(one)]
    named = [
        one for one in others if content_words(f"{one['who']} {one['name'] or ''}") & content_words(fact)
    ]
    return told and (len(others) < len(said) or bool(named))


def _clauses_of(fact: str, span: str, message: str) -> list[str]:
    """The clauses of the sentence, up to the end of the span, that the fact has its words from."""
    around = sentences_with(span, message)
    through = around[: around.find(span) + len(span)]
    carrying = content_words(fact)
    return [one for one in _CLAUSE.split(through) if content_words(one) & carrying]


def _joked_after(span: str, start: int, message: str) -> bool:
    """Whether the person takes it back at once: "… Just kidding!"."""
    rest = message[start + len(span) :].lstrip(" .!\n")
    return bool(_JOKED.match(rest))
