import pytest
from django.core.management import CommandError, call_command

from researchassist.memory import binding, embedding
from tests.tiny_embedder import TinyEmbedder


def test_it_moves_every_row_and_says_how_many(memory, monkeypatch, capsys):
    memory.write_knowledge_base("Owls hunt at night", {})
    memory.write_entity("Marlow", "PERSON", "")
    monkeypatch.setattr(embedding, "choose", lambda name, bound: TinyEmbedder(name))
    call_command("reembed", model="another")
    assert "2 rows moved; the database is bound to another." in capsys.readouterr().out
    call_command("reembed", model="another")
    assert "0 rows moved" in capsys.readouterr().out


def test_a_move_that_was_cut_off_goes_on_without_its_name(memory, monkeypatch, capsys):
    memory.write_knowledge_base("Owls hunt at night", {})
    binding.begin_move("another")
    monkeypatch.setattr(embedding, "choose", lambda name, bound: TinyEmbedder(name))
    call_command("reembed", model="auto")
    assert "1 rows moved; the database is bound to another." in capsys.readouterr().out


def test_it_asks_where_to_move_to(memory):
    with pytest.raises(CommandError, match="Say which model"):
        call_command("reembed", model="auto")
