"""The policy `page`: the window as working memory, from which the oldest messages are evicted.

Owns which messages leave and when; what becomes of the running summary is running_summary.py's, and
the evicted messages stay in their store, marked with a record that opens them. Evicting is done after
the answer. A turn that starts above the threshold leaves its oldest messages out, counted, and waits
for no model.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from researchassist.llm.types import LanguageModel
from researchassist.memory.manager import MemoryManager
from researchassist.memory.readings import message_line
from researchassist.memory.records import MessageRecord, RunningSummary, SummaryRecord

from .condense import first_batch
from .context import Context, without_oldest
from .running_summary import fold, text_of
from .summaries import summary_by_rule

log = logging.getLogger(__name__)

# A thread that was long before it was paged is folded over several turns.
_MOST_FOLDS = 8

Count = Callable[[str], int]


@dataclass(frozen=True)
class Evicted:
    """One eviction: the record that opens the messages, and the thread's running summary after it."""

    record: SummaryRecord
    running: RunningSummary


@dataclass(frozen=True)
class Pager:
    """Evicts from threads. `count` gives the tokens of a text as the model's server counts them."""

    memory: MemoryManager
    writer: LanguageModel | None
    count: Count

    def evict(self, thread_id: str, *, beside: int) -> list[Evicted]:
        """Evicts the oldest messages of a thread where its next request would be above the threshold,
        until that is below the target.

        `beside` is what the request takes besides messages and running summary, in tokens.
        """
        messages = self.memory.unconsolidated_messages(thread_id)
        options, running = self.memory.options, self.memory.running_summary(thread_id)
        sizes = [self.count(message_line(message, options.message_chars)) for message in messages]
        tokens = beside + sum(sizes) + self._size(running)
        leaving = messages[: _leaving(messages, sizes, tokens, self._limits, options.page_turns)]
        made: list[Evicted] = []
        while leaving and len(made) < _MOST_FOLDS:
            batch = first_batch(leaving, options.summary_input_chars)
            left = sum(sizes[len(messages) - len(leaving) :][: len(batch)])
            after = self._evict(thread_id, batch, running, tokens, left)
            if after is None:
                # Another process took some of these meanwhile; what is still there waits for the next turn.
                break
            made.append(after)
            running, tokens = after.running, after.running.tokens_after
            leaving = leaving[len(batch) :]
        return made

    @property
    def _limits(self) -> tuple[int, int]:
        """The threshold and the target in tokens."""
        options = self.memory.options
        budget = options.budget()
        return budget * options.page_percent // 100, budget * options.page_target_percent // 100

    def _size(self, running: RunningSummary | None) -> int:
        return self.count(text_of(running)) if running else 0

    def _evict(
        self,
        thread_id: str,
        batch: Sequence[MessageRecord],
        running: RunningSummary | None,
        tokens: int,
        left: int,
    ) -> Evicted | None:
        options = self.memory.options
        folded = fold(running, batch, self.writer, options)
        after = tokens - left + self._size(folded) - self._size(running)
        folded = replace(folded, tokens_before=tokens, tokens_after=after)
        transcript = "\n".join(message_line(message) for message in batch)
        written = summary_by_rule(transcript, options)
        record = self.memory.write_summary(
            full_content=transcript,
            summary=written.text,
            description=written.label,
            thread_id=thread_id,
            messages=batch,
            running=folded,
        )
        if record is None:
            return None
        log.info("Evicted %d messages into %s: %d to %d tokens.", len(batch), record.id, tokens, after)
        return Evicted(record, folded)


def _leaving(
    messages: Sequence[MessageRecord],
    sizes: Sequence[int],
    tokens: int,
    limits: tuple[int, int],
    turns: int,
) -> int:
    """How many of the oldest messages leave: down to the target, the latest `turns` turns only down to
    the threshold, the last turn never. An answer leaves with its question."""
    threshold, target = limits
    if tokens <= threshold:
        return 0
    asked = [place for place, message in enumerate(messages) if message.role == "user"] or [0]
    kept, last = asked[-turns] if len(asked) >= turns else asked[0], asked[-1]
    count = 0
    while count < last and tokens > (target if count < kept else threshold):
        tokens -= sizes[count]
        count += 1
    while 0 < count < last and messages[count].role == "assistant":
        count += 1
    return count


def made_to_fit(context: Context, fits: Callable[[Context], bool], longest: int) -> Context:
    """The context with as few of its oldest messages left out, counted, as make it fit; with none of
    them where nothing does."""
    low, high = 0, len(context.conversation.records)
    while low < high:
        middle = (low + high) // 2
        if fits(without_oldest(context, middle, longest)):
            high = middle
        else:
            low = middle + 1
    return without_oldest(context, low, longest)
