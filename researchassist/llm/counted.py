"""A model that answers only so many requests: the bound on what helpers of one turn may cost."""

from collections.abc import Iterator, Sequence

from researchassist.errors import ModelError

from .types import LanguageModel, Message, Piece, ToolSchema

SPENT = "The requests that the steps after one answer may make are used up."


class CountedModel:
    """`model`, which refuses after `most` requests."""

    def __init__(self, model: LanguageModel, most: int) -> None:
        self._model = model
        self.left = most

    @property
    def name(self) -> str:
        """The model's name, as its server knows it."""
        return self._model.name

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[Piece]:
        """See LanguageModel.stream; raises ModelError where nothing is left."""
        if self.left <= 0:
            raise ModelError(SPENT)
        self.left -= 1
        yield from self._model.stream(messages, tools, max_tokens)
