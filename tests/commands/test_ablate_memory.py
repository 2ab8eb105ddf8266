def test_a_table_with_one_row_a_variant_is_printed(command):
    printed = command("ablate_memory", "--ranks")
    assert "60 facts, 20 questions" in printed
    for name in (
        "full score",
        "relevance only",
        "no recency",
        "no importance",
        "no write-back",
        "flat decay",
    ):
        assert f"\n| {name} | " in printed
    assert "| q20 (relevance) | " in printed
