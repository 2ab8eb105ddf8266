"""One assistant: options, memory, models, toolbox, put together in one place."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings

from researchassist.llm.offline import OfflineModel
from researchassist.llm.openai_compatible import OpenAICompatibleModel
from researchassist.llm.types import LanguageModel
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options
from researchassist.papers import sources as outside
from researchassist.papers.process import Limits
from researchassist.papers.sources import Sources

from .allowances import allowances
from .budget import Calibration, weigh
from .condense import Condenser
from .toolbox import Toolbox
from .tools import Tool, default_tools


@dataclass(frozen=True)
class Assistant:
    """Everything a turn works with. `writer` is None where no language model is set; `count` estimates
    the tokens of a text for the guards."""

    options: Options
    memory: MemoryManager
    model: LanguageModel
    writer: LanguageModel | None
    toolbox: Toolbox
    condenser: Condenser
    calibration: Calibration
    count: Callable[[str], int]
    sources: Sources

    @property
    def limits(self) -> Limits:
        """What reading one file may take."""
        return outside.limits(self.options)

    def tokens(self, text: str) -> int:
        """Tokens of a text as the model's server is likely to count them."""
        return self.calibration.corrected(self.count(text))

    def warm_up(self) -> None:
        """Loads the embedding model, reads the matrices, registers the tools and embeds old messages."""
        self.memory.query_vector("warm-up")
        self.memory.read_in()
        self.toolbox.ensure_registered()
        self.toolbox.augment_all()
        self.memory.embed_all_messages()


def build(
    memory: MemoryManager,
    *,
    model: LanguageModel | None = None,
    writer: LanguageModel | None = None,
    tools: Sequence[Tool] | None = None,
    sources: Sources | None = None,
    count: Callable[[str], int] = weigh,
) -> Assistant:
    """An assistant over this memory; without a model it answers by quoting (llm/offline.py).

    Raises ConfigurationError where the lines of the window do not fit in it.
    """
    allowances(memory.options)
    return Assistant(
        options=memory.options,
        memory=memory,
        model=model or OfflineModel(),
        writer=writer,
        toolbox=Toolbox(memory, writer, default_tools() if tools is None else tools),
        condenser=Condenser(memory, writer),
        calibration=Calibration(),
        count=count,
        sources=sources or outside.public(memory.options),
    )


_lock = threading.Lock()
_configured: Assistant | None = None


def configured() -> Assistant:
    """The assistant of this process, as the options and the environment have it."""
    global _configured
    with _lock:
        if _configured is None:
            options: Options = settings.RESEARCHASSIST
            _configured = build(
                MemoryManager(options),
                model=_model(options.loop_model, options),
                writer=_model(options.writer_model, options),
                tools=default_tools(web=bool(settings.TAVILY_API_KEY)),
                sources=outside.public(options, settings.TAVILY_API_KEY),
            )
        return _configured


def _model(name: str, options: Options) -> LanguageModel | None:
    """The model of that name on the server of the environment; None where neither key nor URL is set."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_API_URL):
        return None
    return OpenAICompatibleModel(
        name,
        key=settings.OPENAI_API_KEY,
        base_url=settings.OPENAI_API_URL,
        connect_timeout=options.connect_timeout,
        read_timeout=max(options.first_token_timeout, options.token_timeout),
        retries=options.model_retries,
    )


def use(assistant: Assistant | None) -> None:
    """Makes `assistant` the one of this process (None: as configured again). For tests."""
    global _configured
    with _lock:
        _configured = assistant
