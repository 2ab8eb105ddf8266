import re

import pytest
from django.conf import settings
from pydantic import ValidationError

from researchassist.errors import ConfigurationError
from researchassist.options import ENV_PREFIX, Options, variable

EXAMPLE = settings.BASE_DIR / ".env.example"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("conversation_limit", 10),
        ("knowledge_k", 3),
        ("workflow_k", 3),
        ("entity_k", 5),
        ("summary_k", 10),
        ("toolbox_k", 5),
        ("max_iterations", 10),
        ("warning_percent", 50),
        ("critical_percent", 80),
        ("tool_excerpt_chars", 3000),
        ("summary_input_chars", 6000),
        ("chunk_chars", 1500),
        ("chunk_overlap", 200),
        ("loop_model", "gpt-5.6-luna"),
        ("writer_model", "gpt-5.6-terra"),
        ("at_cap", "inability"),
    ],
)
def test_the_defaults_are_the_specifications(name: str, value: object):
    assert getattr(Options(), name) == value


@pytest.mark.parametrize("name", Options.model_fields)
def test_every_option_says_what_it_means(name: str):
    description = Options.model_fields[name].description
    assert description
    assert description.endswith(".")


def test_a_variable_sets_its_option():
    assert Options.from_environment({"RESEARCHASSIST_TOOLBOX_K": "7"}).toolbox_k == 7
    assert variable("toolbox_k") == "RESEARCHASSIST_TOOLBOX_K"


def test_other_variables_are_ignored():
    assert Options.from_environment({"PATH": "/bin", "TOOLBOX_K": "7"}) == Options()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOOLBOX_KS", "5"),
        ("TOOLBOX_K", "0"),
        ("TOOLBOX_K", ""),
        ("TOOLBOX_K", "five"),
        ("PORT", "70000"),
        ("AT_CAP", "shout"),
        ("TURN_SECONDS", "0"),
        ("CHUNK_OVERLAP", "1500"),
    ],
)
def test_a_wrong_variable_is_refused_by_its_name(name: str, value: str):
    with pytest.raises(ConfigurationError, match=f"RESEARCHASSIST_{name}"):
        Options.from_environment({ENV_PREFIX + name: value})


def test_options_do_not_change():
    with pytest.raises(ValidationError):
        Options().toolbox_k = 9  # type: ignore[misc]


def test_the_example_file_lists_every_option_with_its_default_and_no_other():
    lines = re.findall(
        r"^#? ?(RESEARCHASSIST_[A-Z_]+)=(.*)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {name for name, _ in lines} == {variable(name) for name in Options.model_fields}
    assert Options.from_environment(dict(lines)) == Options()
