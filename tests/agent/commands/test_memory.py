def test_it_shows_core_memory_and_the_profile(give, memory):
    memory.write_profile("User reads papers.", folded=[1], before=None)
    give("core", "Is vegetarian.")
    core, profile = give("memory").cards
    assert (core.title, core.text) == ("Core memory", "Is vegetarian.")
    assert (profile.title, profile.text) == ("Profile", "User reads papers.")


def test_where_nothing_is_remembered_core_memory_is_shown_empty(give):
    [core] = give("memory").cards
    assert core.text == "(empty)"
    assert [one.label for one in core.actions] == ["Edit"]
