import pytest

from researchassist.agent import assistant as assistants
from researchassist.agent.tools import default_tools
from researchassist.llm.offline import OfflineModel
from researchassist.llm.openai_compatible import OpenAICompatibleModel
from researchassist.memory.models import ToolboxMemory


@pytest.fixture
def configured(settings, db):
    def make(key: str = "", url: str = ""):
        settings.OPENAI_API_KEY, settings.OPENAI_API_URL = key, url
        assistants.use(None)
        return assistants.configured()

    yield make
    assistants.use(None)


def test_without_key_and_address_it_answers_by_quoting(configured):
    made = configured()
    assert isinstance(made.model, OfflineModel)
    assert made.writer is None


@pytest.mark.parametrize(
    ("key", "url"), [("sk-1", ""), ("", "http://127.0.0.1:9/v1"), ("sk-1", "http://h/v1")]
)
def test_a_key_or_an_address_sets_both_models(configured, key: str, url: str):
    made = configured(key, url)
    assert isinstance(made.model, OpenAICompatibleModel)
    assert (made.model.name, made.writer.name) == ("gpt-5.6-luna", "gpt-5.6-terra")


def test_a_process_has_one(configured):
    assert configured() is assistants.configured()


def test_warming_up_registers_the_tools(assistant_with):
    assistant_with("unused").warm_up()
    assert set(ToolboxMemory.objects.values_list("name", flat=True)) == {t.name for t in default_tools()}
