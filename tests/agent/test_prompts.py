import pytest

from researchassist.agent import prompts
from researchassist.errors import PromptError

NAMES = sorted(path.stem for path in prompts.FOLDER.glob("*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_renders_with_what_it_names(name: str):
    text = prompts.render(name, **dict.fromkeys(prompts.variables(name), "owl"))
    assert text
    assert "{{" not in text


def test_a_missing_variable_is_refused():
    with pytest.raises(PromptError, match="text"):
        prompts.render("entities")


def test_an_unknown_variable_is_refused():
    with pytest.raises(PromptError, match="owl"):
        prompts.render("finalize", owl="x")


def test_what_is_put_in_is_not_searched_for_variables():
    assert "{{limit}}" in prompts.render("summary_simple", text="{{limit}}")


@pytest.mark.parametrize(
    "heading",
    ["Conversation Memory", "Knowledge Base Memory", "Workflow Memory", "Entity Memory", "Summary Memory"],
)
def test_the_system_prompt_names_every_segment(heading: str):
    assert f"## {heading}" in prompts.source("system")


def test_the_system_prompt_states_the_order_of_trust():
    order = "current question > latest conversation > knowledge-base evidence > older summaries/workflows"
    assert order in prompts.source("system")
