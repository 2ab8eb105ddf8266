"""The budget: estimating use, and keeping every model call within it (R6, R7).

Pure where it can be. What must give way goes in this order: the conversation (condensed, opens
again), then old tool results (down to their log's id). The question never.
"""

import json
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from researchassist.llm.types import Message, ToolSchema
from researchassist.options import Options

if TYPE_CHECKING:
    from .context import Context

Status = Literal["ok", "warning", "critical"]

_RATIOS_KEPT = 10
_LARGEST_RATIO = 8.0


@dataclass(frozen=True)
class BudgetUse:
    """How much of the budget something takes, by the estimate."""

    tokens: int
    budget: int
    status: Status

    @property
    def percent(self) -> float:
        """Share of the budget, of a hundred."""
        return 100 * self.tokens / self.budget


def estimate(text: str) -> int:
    """R6: four characters a token, rounded down."""
    return len(text) // 4


def monitor(tokens: int, options: Options, budget: int | None = None) -> BudgetUse:
    """R6: ok below 50 %, warning from there, critical from 80 % of the budget (options)."""
    budget = budget or options.budget()
    status: Status = "ok"
    if tokens * 100 >= budget * options.warning_percent:
        status = "warning"
    if tokens * 100 >= budget * options.critical_percent:
        status = "critical"
    return BudgetUse(tokens, budget, status)


def weigh(text: str) -> int:
    """A careful estimate for the guards: as `estimate`, but a whole token for each character that is
    not ASCII, since Chinese, Japanese, Korean and emoji take one or more."""
    wide = len(text) - len(text.encode("ascii", "ignore"))
    return (len(text) + 3 * wide) // 4


class Calibration:
    """How much more the model's server counts than we estimate. Threads may share one.

    The worst of the latest ratios counts, never less than 1: an estimate that was too low once
    must not overflow the window the next time.
    """

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=_RATIOS_KEPT)

    def note(self, *, estimated: int, counted: int) -> None:
        """Takes in what a server counted for a request of that estimate."""
        if estimated > 0 and counted > 0:
            self._ratios.append(min(counted / estimated, _LARGEST_RATIO))

    def corrected(self, estimated: int) -> int:
        """The estimate as the server is likely to count it."""
        return math.ceil(estimated * max(1.0, *self._ratios, 1.0))


def guard(
    context: "Context", fits: Callable[["Context"], bool], offload: Callable[["Context"], "Context"]
) -> "Context":
    """The check before the first model call: over the threshold the conversation is offloaded.

    `offload` condenses the thread and gives the context back with a stub in its place (R7).
    """
    return context if context.offloaded or fits(context) else offload(context)


def request_tokens(
    messages: Sequence[Message], tools: Sequence[ToolSchema], count: Callable[[str], int] = weigh
) -> int:
    """Careful estimate of a whole request: contents, tool calls and schemas."""
    return count(json.dumps([*messages, *tools], ensure_ascii=False))


def shrink_tool_results(
    messages: Sequence[Message], log_ids: Mapping[str, str], fits: Callable[[Sequence[Message]], bool]
) -> list[Message]:
    """The request with its oldest tool results reduced to a pointer to their log until it fits.

    `log_ids` gives the tool log of each tool call id. The latest round of results stays, so that
    the model can go on from it.
    """
    fitted = list(messages)
    latest = max((place for place, m in enumerate(fitted) if m["role"] == "assistant"), default=0)
    for place in range(latest):
        if fits(fitted):
            break
        log_id = log_ids.get(str(fitted[place].get("tool_call_id")))
        if log_id is not None:
            pointer = (
                f'[Left out to stay within the budget. Tool log {log_id} has it: read_tool_log("{log_id}").]'
            )
            fitted[place] = {**fitted[place], "content": pointer}
    return fitted
