"""The part of MemoryManager that is the person's: what is remembered of one user, exact.

Every row is keyed by user (option `user`); needs no embedding model.
"""

from collections.abc import Callable

from researchassist.options import Options

from .models import SemanticMemory
from .records import CoreWrite, MessageRecord
from .stores import core


class PersonalMemory:
    """CORE_MEMORY, read and written as one text."""

    options: Options

    # CORE_MEMORY

    def read_core_memory(self) -> str:
        """The text as it is now."""
        return core.read(self.options.user)

    def core_writes(self) -> list[CoreWrite]:
        """Every write to it, oldest first, each with the text before."""
        return core.writes(self.options.user)

    def write_core_memory(
        self,
        change: Callable[[str], str],
        *,
        operation: str,
        author: str,
        count: Callable[[str], int],
        quote: str = "",
        message: MessageRecord | None = None,
    ) -> CoreWrite:
        """Makes the text what `change` makes of it; what `change` raises leaves it as it is."""
        return core.write(
            self.options.user,
            change,
            operation=operation,
            author=author,
            count=count,
            quote=quote,
            message=message,
        )

    def undo_core_memory(self, count: Callable[[str], int]) -> CoreWrite:
        """Takes the latest write back that stands; raises MemoryRefused where there is none."""
        return core.undo(self.options.user, count)

    def is_archived(self, text: str, kind: str) -> bool:
        """Whether a document of this kind holds `text`, word for word."""
        rows = SemanticMemory.objects.filter(document__kind=kind, text__contains=text)
        return rows.exists()
