"""AC6 (R6): the estimate is characters // 4, and its share of the budget gives the status."""

from collections.abc import Callable

import pytest

from researchassist.agent.budget import estimate, monitor
from researchassist.options import Options

BUDGET = 1000


@pytest.mark.parametrize(("percent", "status"), [(40, "ok"), (65, "warning"), (85, "critical")])
def test_use_of_the_budget_gives_its_status(
    percent: int, status: str, evidence: Callable[[str], None]
) -> None:
    text = "x" * (BUDGET * 4 * percent // 100 + 3)

    use = monitor(estimate(text), Options(), budget=BUDGET)

    assert use.tokens == len(text) // 4
    assert use.status == status
    evidence(f"{percent} % of {BUDGET} tokens: {use.tokens} tokens, {use.status}")


@pytest.mark.parametrize(
    ("tokens", "status"), [(499, "ok"), (500, "warning"), (799, "warning"), (800, "critical")]
)
def test_the_thresholds_are_50_and_80_percent(tokens: int, status: str) -> None:
    assert monitor(tokens, Options(token_budget=BUDGET)).status == status


def test_the_budget_is_known_by_the_models_name() -> None:
    assert Options().budget() == 256_000
    assert Options(loop_model="someone's-model").budget() == 128_000
