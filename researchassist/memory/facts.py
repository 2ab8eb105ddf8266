"""The part of MemoryManager that holds facts about the person: reading, ranking, writing, taking back.

Every row is the user's of the options. What a language model decides is decided before; the rules that
every write path honours are stores/fact_changes.py's.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from researchassist.options import Options

from . import clock, consent
from .embedded import EmbeddedMemory
from .embedding import Embedder
from .fact_records import FactChangeRecord, FactDecision, FactDraft, FactOutcome, FactRecord
from .models import FactState
from .records import MessageRecord
from .scoring import Weights
from .stores import conversational, fact_branches, fact_undo, summary, threads
from .stores.fact_changes import FactWriter
from .stores.facts import FactStore
from .stores.vector_store import VectorStore


class FactMemory(EmbeddedMemory):
    """FACT: what is known of the person and their work."""

    def __init__(self, options: Options, embedder: Embedder | None = None) -> None:
        """`embedder` is chosen by the option at the first embedding where none is given."""
        super().__init__(options, embedder)
        self._facts = FactStore()
        self._fact_writer = FactWriter(self._facts.store)

    def personal_stores(self) -> Sequence[VectorStore[Any]]:
        """The stores about the person that are searched by meaning."""
        return (self._facts.store,)

    # What may be read and written

    def personal_memory_is_on(self) -> bool:
        """Whether anything is remembered of the person, and recalled, at all."""
        return consent.is_on(self.options.user)

    def set_personal_memory(self, *, on: bool) -> None:
        """Turns remembering and recalling on or off; what is remembered stays."""
        consent.turn(self.options.user, on=on)

    def privacy(self, thread_id: str) -> str:
        """What a thread leaves behind, one of Privacy."""
        return threads.privacy(thread_id)

    def set_privacy(self, thread_id: str, privacy: str) -> None:
        """Says what a thread leaves behind from now on."""
        threads.set_privacy(thread_id, privacy)

    def may_recall(self, thread_id: str) -> bool:
        """Whether a turn of this thread may be given what is known of the person."""
        return consent.may_recall(self.options.user, thread_id)

    def may_remember(self, thread_id: str) -> bool:
        """Whether what is said in this thread may be remembered of the person."""
        return consent.may_remember(self.options.user, thread_id)

    # FACT

    def facts(self, states: Collection[str] = (FactState.ACTIVE,)) -> list[FactRecord]:
        """What is remembered, in the order it was told."""
        return self._facts.all(self.options.user, states)

    def fact(self, fact_id: int) -> FactRecord:
        """One fact, whatever its state; raises UnknownFact."""
        return self._facts.get(self.options.user, fact_id)

    def similar_facts(self, draft: FactDraft, k: int | None = None) -> list[FactRecord]:
        """The facts a new one is compared with, at most `fact_similar`: the nearest in meaning about the
        same thing first, so that "loves seafood" meets "is vegetarian", then the nearest of all."""
        user, k = self.options.user, k or self.options.fact_similar
        vector = self.query_vector(draft.text)
        same = self._facts.nearest(vector, user, k, subject=draft.subject, attribute=draft.attribute)
        others = self._facts.nearest(vector, user, k)
        return list({fact.id: fact for fact in (*same, *others)}.values())[:k]

    def recall_facts(self, query: str, k: int | None = None, now: datetime | None = None) -> list[FactRecord]:
        """The facts most worth recalling for a query, best first, each with its score; touches none."""
        options = self.options
        return self._facts.recall(
            self.query_vector(query),
            options.user,
            now=now or clock.now(),
            k=k or options.facts_k,
            weights=weights(options),
            decay_rate=options.fact_decay,
        )

    def touch_facts(self, fact_ids: Sequence[int], now: datetime | None = None) -> None:
        """Notes that facts were recalled."""
        if fact_ids:
            self._facts.touch(fact_ids, now or clock.now())

    def said_before(self, message: MessageRecord) -> tuple[str, str]:
        """What the assistant last said before a message in its thread, and the label of the thread's
        latest summary; "" where there is none."""
        last = conversational.answer_before(message)
        return (last.content if last else "", summary.latest_label(message.thread_id))

    def write_facts(
        self,
        decisions: Sequence[FactDecision],
        *,
        by: str,
        turn_id: str | None = None,
        lift: bool = False,
    ) -> list[FactOutcome]:
        """Does what was decided about new facts, in one transaction; see FactWriter.write."""
        return self._fact_writer.write(
            decisions,
            user=self.options.user,
            by=by,
            turn_id=turn_id,
            lift=lift,
            embedder=self.embedder,
        )

    def promote_facts(self, fact_ids: Sequence[int], fact_id: int) -> None:
        """Notes that one fact was drawn from others, so that it happens once."""
        self._facts.promote(self.options.user, fact_ids, fact_id)

    def forget_fact(self, fact_id: int) -> str:
        """Forgets a fact for good, until that is undone; gives the batch, "" where it is gone already."""
        return self._fact_writer.forget(self.options.user, fact_id)

    def undo_facts(self, batches: Sequence[str]) -> list[FactChangeRecord]:
        """Takes changes back; raises MemoryRefused where that cannot be."""
        return fact_undo.undo(self.options.user, batches, store=self._facts.store, embedder=self.embedder)

    def settle_facts(self) -> int:
        """Facts follow their messages: see fact_branches.settle."""
        store = self._facts.store
        return fact_branches.settle(self.options.user, store=store, embedder=self.embedder)

    def latest_fact_change(self) -> FactChangeRecord | None:
        """The newest change that can be taken back."""
        return fact_undo.latest(self.options.user)

    def fact_changes(self, fact_id: int | None = None) -> list[FactChangeRecord]:
        """The history of one fact or of all, oldest first."""
        user = self.options.user
        return fact_undo.all_of(user) if fact_id is None else fact_undo.of_fact(user, fact_id)

    def fact_changes_of_turns(self, turn_ids: Collection[str]) -> list[FactChangeRecord]:
        """What was remembered after these turns and stands, in order."""
        return fact_undo.of_turns(self.options.user, turn_ids)


def weights(options: Options) -> Weights:
    """The weights of the options."""
    return Weights(options.fact_weight_relevance, options.fact_weight_recency, options.fact_weight_importance)
