"""manage.py ablate_memory [FILE]: what each signal of the recall of facts is worth."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from researchassist.agent.assistant import configured
from researchassist.memory.ablation import Row, play, read_play, variants
from researchassist.memory.facts import weights

from ._sentences import SentenceCommand

PLAY = settings.BASE_DIR / "fixtures" / "memory" / "facts_and_questions.json"


class Command(SentenceCommand):
    """Prints a table; reads and writes nothing of the database but which embedding model it has."""

    help = "Plays facts and questions with one signal of the recall taken away at a time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and whether to print every question."""
        parser.add_argument("file", nargs="?", type=Path, default=PLAY, help="facts and questions as JSON")
        parser.add_argument("--ranks", action="store_true", help="print the rank for each question too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Embeds the texts once and plays each variant."""
        memory = configured().memory
        content = read_play(options["file"])
        facts = memory.embedder.embed([fact.text for fact in content.facts])
        questions = memory.embedder.embed([question.text for question in content.questions])
        chosen = weights(memory.options)
        rows = [
            play(
                content,
                variant,
                facts=facts,
                questions=questions,
                k=memory.options.facts_k,
                decay_rate=memory.options.fact_decay,
            )
            for variant in variants(chosen)
        ]
        self.stdout.write(
            f"{len(content.facts)} facts, {len(content.questions)} questions, {memory.embedder.name}; "
            f"weights: relevance {chosen.relevance:g}, recency {chosen.recency:g}, "
            f"importance {chosen.importance:g}"
        )
        self.stdout.write("\n".join(_table(rows, memory.options.facts_k)))
        if options["ranks"]:
            self._ranks(rows, [f"{q.id} ({q.decides})" for q in content.questions])

    def _ranks(self, rows: list[Row], names: list[str]) -> None:
        self.stdout.write("\n| question | " + " | ".join(row.name for row in rows) + " |")
        self.stdout.write("| --- |" + " ---: |" * len(rows))
        for place, name in enumerate(names):
            self.stdout.write(f"| {name} | " + " | ".join(str(r.ranks[place] or "-") for r in rows) + " |")


def _table(rows: list[Row], k: int) -> list[str]:
    lines = [f"\n| recall | mean reciprocal rank | first | among {k} |", "| --- | ---: | ---: | ---: |"]
    return lines + [
        f"| {row.name} | {row.reciprocal_rank:.3f} | {row.first} of {len(row.ranks)} | {row.found} |"
        for row in rows
    ]
