"""Prompts are the .md files beside this one; `{{name}}` stands for a variable.

Strict: a variable that is missing, or that the prompt does not name, raises PromptError.
"""

import re
from functools import cache
from pathlib import Path

from researchassist.errors import PromptError

FOLDER = Path(__file__).resolve().parent
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


@cache
def source(name: str) -> str:
    """The text of the prompt file `name`.md."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


def variables(name: str) -> frozenset[str]:
    """The variables a prompt names."""
    return frozenset(_VARIABLE.findall(source(name)))


def render(name: str, **values: str) -> str:
    """The prompt with its variables put in; text that is put in is not searched for more."""
    wanted = variables(name)
    if wanted != values.keys():
        odd = ", ".join(sorted(wanted ^ values.keys()))
        raise PromptError(f"The prompt {name} and what it was given do not agree on: {odd}.")
    return _VARIABLE.sub(lambda match: values[match.group(1)], source(name))
