import pytest

from researchassist.errors import ModelError
from researchassist.llm.counted import CountedModel
from researchassist.llm.types import complete
from tests.scripted_llm import ScriptedLLM


def test_a_model_answers_so_many_times_and_no_more():
    inner = ScriptedLLM("yes", forever=True)
    model = CountedModel(inner, 2)
    assert [complete(model, "?", max_tokens=9) for _ in range(2)] == ["yes", "yes"]
    with pytest.raises(ModelError, match="used up"):
        complete(model, "?", max_tokens=9)
    assert (len(inner.requests), model.name) == (2, "scripted")
