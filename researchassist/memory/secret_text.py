"""What must never be remembered: keys, passwords, card numbers. Pure functions, by rule.

Errs on the side of refusing: what looks like a secret can still be kept as a document.
"""

import math
import re
from collections import Counter

_KEY_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\bxox[abeprs]-[\w-]{10,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}|\bssh-(?:rsa|ed25519) [A-Za-z0-9+/=]{30,}"
    r"|\w+://[^\s:/@]+:[^\s@/]+@"
)
_SAID = re.compile(
    r"\b(?:pass(?:word|phrase|code|wort)|passwd|pwd|pin(?:[ -]?code)?|kennwort|mot de passe|contraseña"
    r"|secret(?: key)?|api[ _-]?key|access[ _-]?key|private key|(?:api|access|auth|bearer)[ _-]?token"
    r"|recovery (?:code|phrase)|seed phrase|cvv|cvc)s?\b"
    r"(?:[^.!?\n]{0,40}?(?:\b(?:is|are|was|it['’]s|to|ist|lautet|est|es)\b|[:=])\s*[\"'“`]?\S|[^.!?\n]{0,20}\d{3,})",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_LONG_TOKEN = re.compile(r"(?<![\w/.-])[A-Za-z0-9+_=-]{32,}(?![\w/.-])")
_BITS_A_CHARACTER = 3.6


def holds_a_secret(text: str) -> bool:
    """Whether a text seems to hold a key, a password, a card or account number."""
    return bool(
        _KEY_SHAPES.search(text)
        or _SAID.search(text)
        or _IBAN.search(text)
        or any(_is_card(match.group()) for match in _DIGITS.finditer(text))
        or any(_is_random(match.group()) for match in _LONG_TOKEN.finditer(text))
    )


def _is_card(text: str) -> bool:
    """Whether the digits pass the check of card numbers (Luhn)."""
    digits = [int(character) for character in text if character.isdigit()][::-1]
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits)]
    return len(set(digits)) > 1 and sum(doubled) % 10 == 0


def _is_random(token: str) -> bool:
    """Whether a long word has letters and digits as evenly spread as no word of a language."""
    if not (any(c.isdigit() for c in token) and any(c.isalpha() for c in token)):
        return False
    counts = Counter(token).values()
    bits = -sum(count / len(token) * math.log2(count / len(token)) for count in counts)
    return bits >= _BITS_A_CHARACTER
