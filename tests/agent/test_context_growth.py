"""What the harness saves: appending everything grows with the square of the steps, ours stays flat."""

from itertools import pairwise

from benchmarks.context_growth import missions, play_naive, play_ours
from researchassist.memory.manager import MemoryManager
from researchassist.options import Options

SIXTY = missions()[1]


def test_after_sixty_steps_at_most_a_third_of_naive_was_sent(tiny_embedder, transactional_db):
    memory = MemoryManager(Options(token_budget=32_000), tiny_embedder)
    ours, naive = play_ours(SIXTY, memory).by_step, play_naive(SIXTY).by_step
    assert sum(ours) * 3 <= sum(naive)
    # Naive: each step costs more than the one before, by the same again; ours has a ceiling.
    growth = [later - earlier for earlier, later in pairwise(naive)]
    assert min(growth) > 0
    assert max(growth) - min(growth) < 0.1 * max(growth)
    assert max(ours[20:]) <= 1.5 * min(ours[20:])
