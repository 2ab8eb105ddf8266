"""/help"""

from researchassist.agent.commands import TYPED


def test_every_command_that_can_be_typed_is_listed_with_its_arguments(give):
    rows = give("help").rows
    assert [row.title for row in rows] == [command.usage for command in TYPED]
    assert "/arxiv QUERY" in [row.title for row in rows]
    assert all(row.text for row in rows)
