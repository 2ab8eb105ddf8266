"""The part of MemoryManager that finds what was ever said, by meaning and words.

Owns cutting a message into parts the embedding model takes, and catching up with messages that have no
vectors yet: they are embedded after the answer, never before it.
"""

from researchassist.options import Options

from .embedded import EmbeddedMemory
from .embedding import Embedder
from .found_records import Recalled
from .records import MessageRecord
from .stores.message_recall import MessageRecall, said_by
from .stores.message_search import MessageFilter

_BATCH = 64


class RecallMemory(EmbeddedMemory):
    """Every message of every thread, searched by meaning and words together."""

    def __init__(self, options: Options, embedder: Embedder | None = None) -> None:
        """`embedder` is chosen by the option at the first embedding where none is given."""
        super().__init__(options, embedder)
        self._recall = MessageRecall()

    def recall_messages(
        self, query: str, *, where: MessageFilter | None = None, start: int = 0, limit: int = 10
    ) -> Recalled:
        """Messages of all threads (or of what `where` passes), best first, from the `start`th on.

        A blank query gives the latest first.
        """
        vector, where = self.query_vector(query), where or MessageFilter()
        return self._recall.search(query, vector, where=where, start=start, limit=limit)

    def embed_messages(self, limit: int) -> int:
        """Embeds at most `limit` messages that have no vectors yet, the latest first; says how many wait
        still."""
        waiting = self._recall.waiting(limit)
        self._recall.write([(message, self._message_parts(message)) for message in waiting], self.embedder)
        return self.messages_not_embedded()

    def embed_all_messages(self) -> None:
        """Embeds every message that has no vectors yet, batch by batch."""
        waiting = self.messages_not_embedded()
        while waiting:
            left = self.embed_messages(_BATCH)
            if left >= waiting:
                return
            waiting = left

    def messages_not_embedded(self) -> int:
        """How many messages are found by their words only, for now."""
        return self._recall.count_waiting()

    def _message_parts(self, message: MessageRecord) -> list[str]:
        """The text in parts that fit the model together with what is said before each."""
        return self.pieces(message.content, beside=said_by(message)) or [""]
