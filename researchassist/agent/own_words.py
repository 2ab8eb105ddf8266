"""Which parts of a message are the person's own words, and which they only brought along.

Pure functions, by rule. People paste articles, mails and code into a message; what stands there is no
statement of theirs. When in doubt a part is left out: the person can still say it with /remember.
"""

import re

# What is longer in one piece is hardly typed.
_TYPED_CHARS = 400
# Of a longer message only the first and last paragraph can be the person's.
_WHOLE_CHARS = 1500
_QUOTED_WORDS = 5
_ANSWER_WORDS = 8

_FENCED_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|).*$", re.MULTILINE)
_INDENTED_CODE = re.compile(r"(?:\A|\n[ \t]*\n)(?:(?: {4,}|\t)(?![ \t]*(?:[-*•]|\d+[.)]))[^\n]*(?:\n|\Z))+")
_MARKED_UP = re.compile(
    r"(?:<(blockquote|q|quote|pre|code)\b[^>]*>|\[(quote|code)[^\]]*\]).*?(?:[<\[]/(?:\1|\2)[>\]]|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_QUOTED = re.compile(
    r"“[^”]{1,4000}”|„[^“”]{1,4000}[“”]|«[^»]{1,4000}»|\"[^\"\n]{1,4000}\"|「[^」]{1,4000}」|『[^』]{1,4000}』"
    r"|(?<!\w)['‘](?:[^'‘’\n]|(?<=\w)['’](?=\w)){1,4000}['’](?!\w)"
)
_FORWARDED = re.compile(
    r"^[ \t]*(?:-{2,} ?(?:forwarded|original|weitergeleitet|begin)|(?:from|von|de|subject|betreff): ).*\Z",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_BROUGHT = re.compile(
    r"\b(?:this|these|following|below|here is|here's|here are|article|text|abstract|e-?mails?|message"
    r"|paper|post|passage|paragraph|transcript|excerpt|quote[ds]?|pasted?|reads?|says?|wrote|summari[sz]e|translate"
    r"|folgende[rsn]?|artikel|zusammenfass\w*|übersetz\w*)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|we|we['’](?:re|ve|d|ll)|us|our|ours"
    r"|ich|mich|mir|meine?[nmrs]?|wir|uns|unsere?[nmrs]?"
    r"|je|j['’]\w+|moi|mon|ma|mes|nous|notre|nos|yo|mí|mi|mis|soy|tengo|estoy|nosotros|nuestr[oa]s?"
    r"|eu|meus?|minhas?|nós|io|mio|mia|miei|noi|ik|mij|mijn|wij|ons|onze|jeg|meg|min|mitt|mine|vi|oss|vår)\b"
    r"|[我私僕俺]|나는|내 ",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|in future|in the future|every time|whenever|prefer\w*|remember|no longer"
    r"|instead of|immer|nie(?:mals)?|ab jetzt|künftig|toujours|jamais|siempre|nunca)\b"
    r"|^\W*(?:please\s+|bitte\s+)?(?:don['’]t|do not|answer|reply|write|use|keep|cite|call|give|show|speak"
    r"|stop|avoid|antworte|schreib\w*|nutze)\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"\W*(?:(?:please|bitte)\s+)?(?:always|never|from now on|in (?:the )?future|immer|nie|ab jetzt),?\s+"
    r"(?:please\s+|don['’]t\s+|do not\s+)?"
    r"(?:answer|reply|write|use|keep|cite|call|give|show|speak|stop|avoid|antworte|schreib\w*|nutze)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\W*(?:(?:and|but|so|then|or)\s+)?(?:do|does|did|is|isn['’]t|am|are|was|were|can|could|may|might|shall"
    r"|should|would|will|have|has|had|what|which|when|where|who|whom|whose|why|how"
    r"|bin|ist|sind|war|kann|soll|hat|habe|was|wer|wo|wann|wie|warum|welche[rsn]?)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")


def own_words(message: str) -> str:
    """The message without what was brought along: code, quotations, forwarded mails, pasted text."""
    text = _FENCED_CODE.sub("\n", message)
    text = _INDENTED_CODE.sub("\n\n", text)
    text = _MARKED_UP.sub("\n", text)
    text = _FORWARDED.sub("\n", text)
    text = _QUOTED_LINE.sub("", text)
    text = _QUOTED.sub(_short_quotation, text)
    return "\n\n".join(_typed(_paragraphs(text), len(text))).strip()


def may_tell(message: str, answer_before: str = "") -> bool:
    """Whether a message can hold something to remember, so that a model is worth asking.

    It speaks of the person, says how something is to be done from now on, or answers a question.
    """
    own = own_words(message)
    if not own:
        return False
    spoken = _FIRST_PERSON.search(own) or _STANDING.search(own) or _UNSPACED.search(own)
    return bool(spoken) or is_short_answer(message, answer_before)


def speaks_of_oneself(text: str) -> bool:
    """Whether a text says I, my, we or our."""
    return bool(_FIRST_PERSON.search(text))


def is_short_answer(message: str, answer_before: str) -> bool:
    """Whether the message is a few words in reply to a question: "yes, the second"."""
    few = 0 < len(message.split()) <= _ANSWER_WORDS and "\n" not in message.strip()
    return few and "?" in answer_before and not message.rstrip().endswith("?")


def speaks_for_themselves(span: str, message: str, *, standing: bool) -> bool:
    """Whether the sentence that `span` stands in is about the person: I, my, we, our.

    With `standing` an instruction for all time does too ("always cite by number"). What is written
    without spaces is taken as it is: there the pronoun is often left out.
    """
    around = sentences_with(span, message)
    if _FIRST_PERSON.search(around) or _UNSPACED.search(around):
        return True
    return standing and bool(_STANDING.search(around))


def instructs(span: str, message: str) -> bool:
    """Whether the sentence that `span` stands in only tells the assistant what to do from now on."""
    around = sentences_with(span, message)
    return bool(_INSTRUCTION.match(around)) and not speaks_of_oneself(around)


def asks_at(span: str, message: str) -> bool:
    """Whether the sentence that `span` stands in is only a question."""
    around = sentences_with(span, message).strip()
    return around.endswith(("?", "？")) and bool(_QUESTION.match(around))


def sentences_with(span: str, message: str) -> str:
    """The sentences that `span` touches, as they stand in the message."""
    start = message.find(span)
    if start < 0:
        return ""
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(message)), len(message)]
    first = max(end for end in ends if end <= start)
    last = min(end for end in ends if end >= start + len(span))
    return message[first:last]


def _short_quotation(match: re.Match[str]) -> str:
    """A few quoted words are the person's way to name something; more, or an "I", are somebody's speech."""
    quoted = match.group()
    size = len(quoted.split()) + len(_UNSPACED.findall(quoted)) // 2
    speech = size >= _QUOTED_WORDS or (size > 1 and _FIRST_PERSON.match(quoted[1:]))
    return "“…”" if speech else quoted


def _paragraphs(text: str) -> list[str]:
    """The paragraphs; one that announces what follows ends at its colon."""
    parts = re.split(r"\n\s*\n|(?<=:)[ \t]*\n", text)
    return [part.strip() for part in parts if part.strip()]


def _typed(paragraphs: list[str], length: int) -> list[str]:
    """Those that the person is likely to have typed."""
    kept = []
    pasted = False
    last = len(paragraphs) - 1
    for place, paragraph in enumerate(paragraphs):
        # After an announcement all is brought along, but for a closing word of at most a few lines.
        follows = pasted and (place < last or place == _announced_at(paragraphs) + 1)
        outer = length <= _WHOLE_CHARS or place in (0, last)
        if len(paragraph) <= _TYPED_CHARS and outer and not follows:
            kept.append(paragraph)
        pasted = pasted or _announces(paragraph)
    return kept


def _announced_at(paragraphs: list[str]) -> int:
    """The place of the first paragraph that announces; -2 where none does."""
    return next((place for place, one in enumerate(paragraphs) if _announces(one)), -2)


def _announces(paragraph: str) -> bool:
    """Whether what follows is announced as brought along: it ends in a colon and names such a thing,
    or says nothing of the person."""
    if not paragraph.endswith(":"):
        return False
    line = paragraph.rsplit("\n", 1)[-1]
    return bool(_BROUGHT.search(line)) or not _FIRST_PERSON.search(line)
