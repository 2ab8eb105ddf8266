"""/tools"""


def test_the_tools_a_turn_would_be_offered_come_first(give, assistant):
    rows = give("tools", "open a summary into its original messages").rows
    assert "expand_summary" in [row.title for row in rows]
    assert len(rows) <= assistant.options.toolbox_k


def test_it_says_where_a_model_would_be_used(give):
    assert "No language model is set" in give("tools").text
    assert "No language model is set" in give("tools", "papers").text


def test_without_words_all_are_listed(give):
    names = [row.title for row in give("tools").rows]
    assert "search_arxiv" in names
    assert names == sorted(names)
    assert len(names) > 5
