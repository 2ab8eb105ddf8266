def test_samples_go_in_once(command, memory):
    assert "sample kestrel-notes.md: new" in command("ingest_fixtures")
    assert "sample seed-01: unchanged" in command("ingest_fixtures")
    assert len(memory.messages("seed-01")) == 12


def test_samples_are_taken_out(command, memory):
    command("ingest_fixtures")
    assert "sample seed-01: removed" in command("ingest_fixtures", "--remove")
    assert memory.documents() == []
    assert "There are no samples" in command("ingest_fixtures", "--remove")


def test_once_does_not_bring_back_what_was_taken_out(command, memory):
    assert "new" in command("ingest_fixtures", "--once")
    command("ingest_fixtures", "--remove")
    assert command("ingest_fixtures", "--once") == ""
    assert memory.documents() == []
    assert "new" in command("ingest_fixtures")
