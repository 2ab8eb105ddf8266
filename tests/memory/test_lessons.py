"""Episodes and their lessons as seed 003 has them, and what is forgotten."""

import pytest

from researchassist.errors import MemoryRefused, UnknownLesson
from researchassist.memory.manager import MemoryManager
from researchassist.memory.models import WorkflowMemory
from researchassist.options import Options

EPISODES = (
    ("debug ERR-4092 spike", "quota resets monthly; heavy clients hit limits near month end.",
     "Check the quota calendar first.", "api-debug"),
    ("find vacation rollover rule", "handbook hr#vacation has it.",
     "HR questions need the handbook source filter.", "policy-qa"),
    ("monthly API failure report", "failures cluster after the 20th; correlated with quota exhaustion.",
     "Check the quota again.", "api-debug"),
)  # fmt: skip


def plant(memory: MemoryManager) -> list[int]:
    """The three episodes ep-1 to ep-3; their numbers."""
    ids = []
    for task, outcome, lesson, kind in EPISODES:
        workflow = memory.write_workflow(task, ["look() → success"], outcome)
        ids.append(memory.write_lesson(workflow.id, lesson, {"task_type": kind, "outcome": "solved"}).id)
    return ids


def test_the_episode_like_the_new_task_is_recalled(memory):
    plant(memory)
    found = memory.recall_lessons("investigate why API calls fail after the 20th of the month")
    assert found[0].lesson == "Check the quota again."
    assert found[0].meta == {"task_type": "api-debug", "outcome": "solved"}
    assert len(found) <= 2
    assert "failures cluster" in found[0].outcome


def test_a_forgotten_episode_is_recalled_no_more_and_not_learned_again(memory):
    _, vacation, _ = plant(memory)
    memory.forget_lesson(vacation)
    assert "handbook" not in " ".join(
        one.lesson for one in memory.recall_lessons("vacation rollover rule", 9)
    )
    workflow = memory.write_workflow("vacation again", ["look() → success"], "x")
    with pytest.raises(MemoryRefused, match="forgotten"):
        memory.write_lesson(workflow.id, "HR questions need the handbook source filter")
    with pytest.raises(UnknownLesson):
        memory.forget_lesson(vacation)
    assert len(memory.lessons()) == 2
    assert WorkflowMemory.objects.count() == 4


def test_a_contradicted_lesson_is_a_tombstone(memory):
    first, *_ = plant(memory)
    workflow = memory.write_workflow("debug again", ["look() → success"], "the quota is daily now")
    memory.write_lesson(workflow.id, "The quota is daily, the calendar is wrong.", contradicts=[first])
    assert first not in [one.id for one in memory.lessons()]
    with pytest.raises(MemoryRefused):
        memory.write_lesson(workflow.id, "Check the quota calendar first")


@pytest.mark.parametrize("lesson", ["", "  ", "The password is hunter2"])
def test_blank_and_secret_lessons_are_refused(memory, lesson: str):
    workflow = memory.write_workflow("x", ["look() → success"], "y")
    with pytest.raises(MemoryRefused):
        memory.write_lesson(workflow.id, lesson)


def test_work_that_is_unlike_teaches_nothing(transactional_db, tiny_embedder):
    strict = MemoryManager(Options(lesson_relevance=0.99), tiny_embedder)
    plant(strict)
    assert strict.recall_lessons("a new task") == []


def test_a_lesson_outlives_the_conversation_it_is_from_and_is_its_users_own(memory, tiny_embedder):
    memory.write_thread("alice")
    workflow = memory.write_workflow("find owls", ["look() → success"], "owls", thread_id="alice")
    memory.write_lesson(workflow.id, "Owls are in the second drawer.")
    assert MemoryManager(Options(user="bob"), tiny_embedder).recall_lessons("find owls") == []
    memory.delete_thread("alice")
    assert [one.lesson for one in memory.recall_lessons("find owls")] == ["Owls are in the second drawer."]
