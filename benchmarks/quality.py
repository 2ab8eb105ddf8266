"""How much of what should be found is found, on public data, through the product's own functions.

The data is not part of the project; its folder is the argument. It holds any of

    locomo/turns.jsonl       conv, session, date, id, speaker, text and perhaps caption, in order
    locomo/questions.jsonl   conv, category (1 to 4 are counted), question, evidence: ids of turns
    scifact/corpus.jsonl     id, title, sentences
    scifact/claims.jsonl     claim, cited: ids of abstracts
    tools_metatool/tools.jsonl, queries.jsonl    name, description; query, tools: names

Conversations are imported, messages embedded and abstracts ingested as in the product; "fused" is what
recall_search, archival_search and the toolbox give. Cosine alone and words alone stand beside it.

    python -m benchmarks.quality FOLDER [--only locomo,tools,scifact]
"""

import argparse
import itertools
import json
import random
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from .environment import throwaway

FOLDER = throwaway()

import numpy as np  # noqa: E402  (Django must be set up first)
from django.conf import settings  # noqa: E402
from django.utils import timezone  # noqa: E402

from researchassist.agent.assistant import Assistant, build  # noqa: E402
from researchassist.agent.ingest import ingest_bytes  # noqa: E402
from researchassist.memory.manager import MemoryManager  # noqa: E402
from researchassist.memory.stores.message_search import MessageFilter  # noqa: E402
from researchassist.memory.word_index import MESSAGE_WORDS, PASSAGE_WORDS  # noqa: E402

Row = Mapping[str, Any]
CUTS = (5, 10, 20)
CATEGORIES = {1: "several turns", 2: "time", 3: "open", 4: "one turn"}


def lines(path: Path) -> list[Row]:
    """The rows of a file with one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def percent(values: Iterable[float]) -> str:
    """The mean in percent."""
    return f"{100 * float(np.mean(list(values))):.1f}"


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints one Markdown table."""
    print(f"\n{title}\n\n| {' | '.join(heads)} |\n| --- |{' ---: |' * (len(heads) - 1)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


# Conversations


def import_conversations(memory: MemoryManager, turns: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Each conversation as a thread; for each the message's id by the turn's."""
    ids: dict[str, dict[str, str]] = {}
    for conv, group in itertools.groupby(turns, key=lambda turn: turn["conv"]):
        said = list(group)
        first = said[0]["speaker"]
        memory.import_thread(
            conv,
            title=conv,
            messages=[
                ("user" if turn["speaker"] == first else "assistant", _text(turn), _time(turn["date"]))
                for turn in said
            ],
            speakers={
                "user": first,
                "assistant": next((t["speaker"] for t in said if t["speaker"] != first), "assistant"),
            },
        )
        kept = [message.id for message in memory.messages(conv)]
        ids[conv] = dict(zip((turn["id"] for turn in said), kept, strict=True))
    return ids


def _text(turn: Row) -> str:
    return f"{turn['text']} ({turn['caption']})" if turn.get("caption") else str(turn["text"])


def _time(date: str) -> datetime:
    return timezone.make_aware(datetime.strptime(date, "%I:%M %p on %d %B, %Y"))  # noqa: DTZ007


def locomo(memory: MemoryManager, folder: Path) -> None:
    """Recall of evidence turns, by category and way of searching; the pool is the conversation."""
    ids = import_conversations(memory, lines(folder / "turns.jsonl"))
    memory.embed_all_messages()

    def fused(query: str, conv: str) -> list[str]:
        found = memory.recall_messages(query, where=MessageFilter(thread_id=conv), limit=max(CUTS))
        return [hit.message.id for hit in found.hits]

    def meaning(query: str, conv: str) -> list[str]:
        vector = memory.query_vector(query)
        assert vector is not None
        hits = memory._recall.store.search(vector, 2 * max(CUTS), Q_of(conv))
        return list(dict.fromkeys(str(row.message_id) for row, _ in hits))

    def words(query: str, conv: str) -> list[str]:
        here = set(ids[conv].values())
        found = zip(*(values.tolist() for values in MESSAGE_WORDS.scores(query)), strict=True)
        return [str(pk) for pk, _ in sorted(found, key=lambda pair: -pair[1]) if str(pk) in here]

    ways: dict[str, Callable[[str, str], list[str]]] = {"cosine": meaning, "words": words, "fused": fused}
    scores: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for question in lines(folder / "questions.jsonl"):
        wanted = {ids[question["conv"]][e] for e in question["evidence"] if e in ids[question["conv"]]}
        if question["category"] not in CATEGORIES or not wanted:
            continue
        for way, search in ways.items():
            found = search(question["question"], question["conv"])
            for cut in CUTS:
                share = len(wanted & set(found[:cut])) / len(wanted)
                scores[way, question["category"], cut].append(share)
    rows = []
    for way in ways:
        every = [percent(itertools.chain(*(scores[way, c, cut] for c in CATEGORIES))) for cut in CUTS]
        by_category = [percent(scores[way, c, 10]) for c in CATEGORIES if scores[way, c, 10]]
        rows.append([way, *every, *by_category])
    heads = ["searched by", *(f"@{cut}" for cut in CUTS), *(f"@10 {name}" for name in CATEGORIES.values())]
    table("LoCoMo: recall of evidence turns, categories 1 to 4", heads, rows)


def Q_of(conv: str) -> Any:  # noqa: N802  (a condition, as Django names it)
    """The vectors of one conversation's messages."""
    from django.db.models import Q  # noqa: PLC0415

    return Q(message__thread_id=conv)


# Abstracts


def scifact(assistant: Assistant, folder: Path) -> None:
    """nDCG@10 and recall@10 of cited abstracts, the best passage of each counting."""
    memory = assistant.memory
    documents: dict[int, str] = {}
    for abstract in lines(folder / "corpus.jsonl"):
        text = f"# {abstract['title']}\n\n{' '.join(abstract['sentences'])}"
        done = ingest_bytes(assistant, f"{abstract['id']}.md", text.encode())
        documents[done.document.id] = str(abstract["id"])

    def fused(claim: str) -> list[int | None]:
        return [record.document_id for record in memory.search_documents(claim, 50).records]

    def meaning(claim: str) -> list[int | None]:
        return [record.document_id for record in memory.read_knowledge_base(claim, 50).records]

    def words(claim: str) -> list[int | None]:
        ids, values = PASSAGE_WORDS.scores(claim)
        best = [int(pk) for pk in ids[np.argsort(-values, kind="stable")[:50]]]
        rows = memory._knowledge_base.store.model.objects.in_bulk(best)
        return [rows[pk].document_id for pk in best]

    rows = []
    claims = [claim for claim in lines(folder / "claims.jsonl") if claim["cited"]]
    for way, search in (("cosine", meaning), ("words", words), ("fused", fused)):
        gains, recalls = [], []
        for claim in claims:
            wanted = {str(one) for one in claim["cited"]}
            found = list(dict.fromkeys(documents[one] for one in search(claim["claim"]) if one))[:10]
            gain = sum(1 / np.log2(place + 2) for place, one in enumerate(found) if one in wanted)
            gains.append(gain / sum(1 / np.log2(place + 2) for place in range(min(len(wanted), 10))))
            recalls.append(len(wanted & set(found)) / len(wanted))
        rows.append([way, percent(gains), percent(recalls)])
    table(
        f"SciFact: {len(documents):,} abstracts, {len(claims)} claims",
        ["searched by", "nDCG@10", "recall@10"],
        rows,
    )


# Tools


def tools(memory: MemoryManager, folder: Path) -> None:
    """Recall@5 and hit@1 of the right tool, by the size of the pool it is in.

    Registered without a writer model; then with three of the questions for a tool in the place of the
    queries a writer model would make up. Those questions are asked in neither.
    """
    described, questions = lines(folder / "tools.jsonl"), lines(folder / "queries.jsonl")
    draw = random.Random(7)
    of_tool: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        of_tool[question["tools"][0]].append(question["query"])
    examples = {name: draw.sample(asked, min(3, len(asked) // 2)) for name, asked in of_tool.items()}
    taken = set(itertools.chain(*examples.values()))
    asked = [question for question in questions if question["query"] not in taken]
    names = [tool["name"] for tool in described]
    shuffled = draw.sample(names, len(names))
    rows = []
    for title, queries in (("name, description, signature", {}), ("and three queries each", examples)):
        for tool in described:
            memory.write_toolbox(
                name=tool["name"],
                description=tool["description"],
                signature="(query: str) -> str",
                parameters={"type": "object", "properties": {"query": {"type": "string"}}},
                queries=queries.get(tool["name"], ()),
                augmented=bool(queries),
            )
        for size in sorted({10, 50, len(names)}):
            recalls, firsts = [], []
            pools = [shuffled[start : start + size] for start in range(0, len(names), size)]
            pool_of = {name: pool for pool in pools for name in pool}
            for question in asked:
                pool = pool_of.get(question["tools"][0], [])
                wanted = set(question["tools"]) & set(pool)
                if len(pool) < min(size, len(names)) or not wanted:
                    continue
                found = [tool.name for tool in memory.read_toolbox(question["query"], 5, names=pool)]
                recalls.append(len(wanted & set(found)) / len(wanted))
                firsts.append(float(found[0] in wanted))
            rows.append([title, str(size), percent(recalls), percent(firsts)])
    table(f"Tools: {len(asked):,} questions", ["embedded", "pool", "recall@5", "hit@1"], rows)


def main() -> None:
    """Runs what the folder has."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="locomo,tools,scifact", help="which of the three, with commas")
    arguments = parser.parse_args()
    memory = MemoryManager(settings.RESEARCHASSIST)
    assistant = build(memory)
    for name, work in (
        ("locomo", lambda: locomo(memory, arguments.folder / "locomo")),
        ("tools", lambda: tools(memory, arguments.folder / "tools_metatool")),
        ("scifact", lambda: scifact(assistant, arguments.folder / "scifact")),
    ):
        if name in arguments.only.split(","):
            work()
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
