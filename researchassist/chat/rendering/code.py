"""Code in the colours of its language, within limits of length and time."""

from collections.abc import Iterable, Iterator
from typing import Any

from markdown_it.common.utils import escapeHtml
from pygments import format as written
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from .clock import Clock, TooLong

_LONGEST = 20_000
# A lexer's expressions may look at the rest of a line again and again; written code has no such lines.
_LONGEST_LINE = 1_000
_SECONDS = 0.3
# Languages whose lexers were tried on hostile text of that length (each of 45 kinds: brackets, quotes,
# blank lines …) and took no single step of more than 0.1 s; a step cannot be interrupted. Of those that
# a model writes, MATLAB's alone took longer, so it is coloured as Octave.
_LANGUAGES = frozenset(
    """
    agda awk bash batch bibtex c clojure cmake common-lisp console coq cpp csharp css cuda cypher cython
    dart diff django docker elixir erlang fish fortran fsharp gas glsl gnuplot go graphql graphviz
    groovy haskell html http ini java javascript json json5 jsx julia kotlin lean lean4 llvm lua make
    markdown mathematica maxima mysql nasm nginx nixos numpy objective-c ocaml octave output perl php
    postgresql powershell prolog protobuf pycon pytb python rconsole restructuredtext ruby rust scala
    scheme scss sed solidity sparql splus sql sqlite3 stan swift systemverilog tcl terraform tex text
    toml tsx turtle typescript verilog vhdl vim xml yaml zig
    """.split()  # noqa: SIM905  (as a list it takes 100 lines)
)
_INSTEAD = {"matlab": "octave"}


def highlighted(code: str, language: str) -> str:
    """`code` as HTML, in colour where its language is known; else escaped, nothing left out."""
    if not language or len(code) > _LONGEST or any(len(line) > _LONGEST_LINE for line in code.splitlines()):
        return escapeHtml(code)
    try:
        name = _INSTEAD.get(language.lower(), language)
        # Without the lexers of code within Markdown, which could be any.
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False, handlecodeblocks=False)
        if lexer.aliases[0] not in _LANGUAGES:
            return escapeHtml(code)
        tokens = _within(lexer.get_tokens(code), Clock(_SECONDS))
        return str(written(tokens, HtmlFormatter(nowrap=True, classprefix="hl-")))
    except (ClassNotFound, TooLong):
        return escapeHtml(code)


def _within(tokens: Iterable[Any], clock: Clock) -> Iterator[Any]:
    for token in tokens:
        clock.step()
        yield token
