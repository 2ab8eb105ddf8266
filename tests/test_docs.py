"""Docs that cannot drift: options, names, commands and tools stand in them, and nothing else does."""

import ast
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

from researchassist.agent.allowances import LINES, allowances
from researchassist.agent.commands import TYPED
from researchassist.agent.tools import default_tools
from researchassist.options import Options, variable

ROOT = Path(settings.BASE_DIR)
SECRETS = {"OPENAI_API_KEY", "OPENAI_BASE_URL", "TAVILY_API_KEY"}


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _default(name: str) -> str:
    value = Options.model_fields[name].default
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def test_env_example_lists_exactly_the_variables_with_their_defaults() -> None:
    found = dict(re.findall(r"^([A-Z_]+)=(.*)$", _text(".env.example"), re.MULTILINE))

    assert found == {variable(n): _default(n) for n in Options.model_fields} | dict.fromkeys(SECRETS, "")


def test_env_example_explains_every_variable_in_the_options_own_words() -> None:
    text = _text(".env.example")
    for name, field in Options.model_fields.items():
        assert f"# {field.description}\n{variable(name)}=" in text


def test_a_copied_env_example_is_accepted() -> None:
    given = dict(re.findall(r"^([A-Z_]+)=(.*)$", _text(".env.example"), re.MULTILINE))

    assert Options.from_environment(given) == Options()


def test_the_options_page_lists_exactly_the_options() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (?:`(.*?)` )?\| (.+) \|$", _text("docs/options.md"), re.MULTILINE)
    found = {name: (default, meaning) for name, default, meaning in rows if name not in SECRETS}

    assert found == {
        variable(name): (_default(name), field.description) for name, field in Options.model_fields.items()
    }


def test_every_function_named_in_the_architecture_exists() -> None:
    names = re.findall(r"`(researchassist/[\w/]+\.py)::([\w.]+)`", _text("ARCHITECTURE.md"))
    assert len(names) >= 10
    for file, name in names:
        tree: ast.AST = ast.parse(_text(file))
        for part in name.split("."):
            found = [
                node
                for node in ast.iter_child_nodes(tree)
                if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == part
            ]
            assert found, f"{file} has no {name}"
            tree = found[0]


def test_the_diagram_is_followed_by_its_sentence() -> None:
    assert "```\n\nThis is the infra/structure diagram of this app\n" in _text("ARCHITECTURE.md")


def test_every_tool_stands_in_the_table_of_who_does_what() -> None:
    text = _text("ARCHITECTURE.md")
    for tool in default_tools(web=True):
        assert f"`{tool.name}`" in text


def test_every_command_stands_in_the_readme_and_the_other_way_round() -> None:
    ours = {name for name, app in get_commands().items() if app == "researchassist"}
    named = set(re.findall(r"manage\.py (\w+)", _text("README.md")))

    assert ours == named


def test_every_composer_command_stands_in_the_readme_as_it_is_typed() -> None:
    named = re.findall(r"^\| `(/[^`]+)` \|", _text("README.md"), re.MULTILINE)

    assert named == [command.usage for command in TYPED]


def test_the_readme_names_the_two_commands_and_they_exist() -> None:
    targets = re.findall(r"^([a-z]+):", _text("Makefile"), re.MULTILINE)
    for command in ("run", "test"):
        assert f"```sh\nmake {command}\n```" in _text("README.md")
        assert command in targets


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "DECISIONS.md", "CONTRIBUTING.md"])
def test_every_linked_file_exists(name: str) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", _text(name)):
        assert (ROOT / target).exists(), target


def test_the_ledger_has_all_fifteen_rows() -> None:
    assert re.findall(r"^\| (D\d+) \|", _text("DECISIONS.md"), re.MULTILINE) == [
        f"D{n}" for n in range(1, 16)
    ]


def _budget_tables() -> list[dict[str, int]]:
    """The tables of docs/context-budget.md: tokens by line."""
    parts = _text("docs/context-budget.md").split("\n## ")[1:]
    rows = [re.findall(r"^\| (?!Line)([^|]+) \| ([\d,]+) \|", part, re.MULTILINE) for part in parts]
    return [{label: int(tokens.replace(",", "")) for label, tokens in found} for found in rows]


def _budget_table(options: Options) -> dict[str, int]:
    table = allowances(options)
    assert table.total < table.window
    return {label: table[line] for line, label in LINES.items()}


def test_the_budget_page_has_the_lines_of_the_default_window_and_of_the_exercise() -> None:
    given = dict(re.findall(r"^(RESEARCHASSIST_\w+)=(.*)$", _text("docs/context-budget.md"), re.MULTILINE))
    default, exercise = Options(), Options.from_environment(given)

    assert _budget_tables() == [_budget_table(default), _budget_table(exercise)]
    totals = [allowances(options).total for options in (default, exercise)]
    assert re.findall(r"Together ([\d,]+)", _text("docs/context-budget.md")) == [f"{n:,}" for n in totals]


def test_the_budget_page_has_the_given_lines_of_the_exercise() -> None:
    lines = _budget_tables()[1]

    assert lines["Instructions"] + lines["Tools"] == 1200
    assert (lines["Your message"], lines["Passages of documents"], lines["Lessons of earlier work"]) == (
        800, 3 * 400, 2 * 150
    )  # fmt: skip
    assert lines["Kept free for the answer"] == 1000
