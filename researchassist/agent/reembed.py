"""Moving the database to another embedding model: which one, and every row to it (memory/reembed.py)."""

from collections.abc import Iterator

from researchassist.errors import EmbeddingError
from researchassist.memory import binding, embedding
from researchassist.memory.embedding import Embedder
from researchassist.memory.manager import MemoryManager
from researchassist.memory.reembed import Moved, move
from researchassist.options import Options


def target(model: str) -> Embedder:
    """The model to move to by its name as the option has it; "auto" goes on with a move that was cut off.

    Raises EmbeddingError where there is none, or it cannot be had.
    """
    if model == embedding.AUTO:
        model = binding.moving_to() or ""
    if not model:
        raise EmbeddingError("Say which model to move to, such as: manage.py reembed --model packaged")
    if model in (embedding.PACKAGED, embedding.PACKAGED_MODEL):
        return embedding.packaged()
    return embedding.choose(model, None)


def move_database(options: Options, embedder: Embedder) -> Iterator[Moved]:
    """Embeds every row by `embedder`, batch by batch; a run that was cut off goes on where it was."""
    memory = MemoryManager(options, embedder)
    yield from move(memory, memory.all_vector_stores())
