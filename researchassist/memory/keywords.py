"""A person's or a model's words as a query of the word index. Pure functions; knows no table.

What comes in is plain text and never the index' own query syntax: every term is quoted.
"""

import re
from collections.abc import Sequence

# BM25 walks every row a term stands in, so a question of many words is cut to its longest ones.
MOST_TERMS = 32

_TERM = re.compile(r"[^\W_](?:\w|[.\-'’/:@+](?=\w))*")
# Scripts that put no spaces between words, in which the index takes a whole clause for one word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)

# Words that stand in most English sentences: they rank nothing and make a search slow.
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are aren't as at be because been before being between both but
    by can can't could couldn't did didn't do does doesn't doing don't down during each few for from further
    had hadn't has hasn't have haven't having he he's her here hers herself him himself his how i i'd i'll
    i'm i've if in into is isn't it it's its itself just let's me more most my myself no nor not now of off
    on once only or other our ours ourselves out over own same she she's should shouldn't so some such than
    that that's the their theirs them themselves then there there's these they they're this those through to
    too under until up us very was wasn't we we're were weren't what what's when where which while who whom
    whose why will with won't would wouldn't you you're your yours yourself yourselves
    """.split()  # noqa: SIM905  (reads better than a hundred quotes)
)


def terms(text: str) -> list[str]:
    """The distinct words of `text` that are worth looking for, in their order, at most MOST_TERMS.

    Words joined by a mark (`KZ-914`, `2310.08560`, `cache.py`) are one term; of a possessive the owner is
    one. Stop words are left out, but where there are no others they are what is looked for. Of too many
    the longest are taken.
    """
    found = (word.casefold().replace("’", "'") for word in _TERM.findall(text))
    words = list(dict.fromkeys(word if word in STOP_WORDS else word.removesuffix("'s") for word in found))
    telling = [word for word in words if word not in STOP_WORDS] or words
    if len(telling) > MOST_TERMS:
        longest = set(sorted(telling, key=len, reverse=True)[:MOST_TERMS])
        telling = [word for word in telling if word in longest][:MOST_TERMS]
    return telling


def with_parts(terms: Sequence[str]) -> list[str]:
    """The terms, and the words of those that are several: `il-6` is also `il` and `6`, for ranking by any."""
    parts = [part for term in terms for part in re.findall(r"[^\W_]+", term) if part not in STOP_WORDS]
    return list(dict.fromkeys([*terms, *parts]))


def quoted(terms: Sequence[str], *, every: bool = False, beginning: bool = False) -> str:
    """The index' query for rows with any of the terms, or with every one; "" where there are none.

    `beginning`: the last term may also be the beginning of a word, as while it is being typed.
    """
    phrases = ['"' + term.replace('"', '""') + '"' for term in terms]
    if beginning and phrases:
        phrases[-1] = f"({phrases[-1]} OR {phrases[-1]} *)"
    return (" AND " if every else " OR ").join(phrases)


def unspaced(text: str) -> list[str]:
    """The parts of `text` in scripts without spaces, which are found inside a row's text only."""
    return list(dict.fromkeys(_UNSPACED.findall(text)))[:MOST_TERMS]


def bigrams(text: str, most: int = 8) -> list[str]:
    """The pairs of neighbouring characters in the parts without spaces, at most `most`, spread evenly."""
    runs = unspaced(text)
    pairs = list(dict.fromkeys(run[i : i + 2] for run in runs for i in range(max(len(run) - 1, 1))))
    step = max(-(-len(pairs) // most), 1)
    return pairs[::step]
