"""What a request grows to over a long mission: the product against a harness that appends everything.

The same scripted missions are played through the product's own `call_agent` and through a naive harness
with the same model, the same working tools and the same outputs, which keeps every message and every tool
result in the request and has neither summary tools nor a log. Tokens are the estimate of each request
(characters // 4 of messages and schemas), added up over all model calls; a tiny embedder of words stands in
for the real one, since retrieval is not what is measured.

    python -m benchmarks.context_growth [--policy condense|page] [--png FOLDER]
"""

import argparse
import itertools
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from researchassist.llm.types import Message, Reply, ToolCall, ToolSchema

# Seed 003: what the twelve steps of the mission do and see.
TWELVE = (
    "list_files -> [app.py, settings.yaml, notes.txt, legacy/, deploy.md]",
    "read_file(app.py) -> imports settings; serves /v1/query",
    "read_file(settings.yaml) -> rate_limit: 120  # ERR-4092 when exceeded",
    "grep('quota') -> deploy.md: 'quota resets monthly'",
    "read_file(notes.txt) -> TODO move rate limiting to gateway",
    "read_file(deploy.md) -> deploy via compose; quota resets monthly",
    "list_files(legacy/) -> [old_limits.cfg]",
    "read_file(legacy/old_limits.cfg) -> rate_limit: 60 (SUPERSEDED)",
    "grep('4092') -> settings.yaml comment; docs/api.md missing",
    "check_docs -> api docs not in repo; only settings comment",
    "compare -> current limit 120, legacy 60, superseded",
    "draft_answer -> settings.yaml sets rate_limit 120; ERR-4092 = exceeded",
)
# Seed 004: the five queries that build on each other. A search there brings in 2,000 to 4,000 tokens.
FIVE = (
    "Search for recent papers on AI agent memory published in 2026",
    "Pick the 3rd paper from the list and give me the key takeaways",
    "What other viewpoints or approaches might that paper have missed?",
    "Summarize everything we've discussed so far",
    "What was the first question I asked in this conversation?",
)
_FILE_CHARS = 2000
_SEARCH_CHARS = 12_000


@dataclass(frozen=True)
class Mission:
    """Questions, and what the tool `work` gives for each; "" where no tool is called."""

    name: str
    steps: tuple[tuple[str, str], ...]


def _filled(head: str, number: int, length: int) -> str:
    """A tool's output: what matters, then lines as a file or a search has them."""
    lines = itertools.chain.from_iterable(
        (f"{number}.{line}: value {number * 31 + line} of the unit, checked and in order.",)
        for line in itertools.count()
    )
    text = head
    while len(text) < length:
        text += "\n" + next(lines)
    return text[:length]


def missions() -> tuple[Mission, ...]:
    """The three missions."""
    twelve = tuple(
        (f"step {n}: {step.split(' -> ')[0]}", _filled(step.split(" -> ")[1], n, _FILE_CHARS))
        for n, step in enumerate(TWELVE, 1)
    )
    sixty = tuple(
        (f"step {n}: read part {n} of the log", _filled(f"part {n}: nothing new", n, _FILE_CHARS))
        for n in range(1, 61)
    )
    calls = (True, True, True, False, False)
    five = tuple(
        (query, _filled("results", n, _SEARCH_CHARS) if called else "")
        for n, (query, called) in enumerate(zip(FIVE, calls, strict=True), 1)
    )
    return (
        Mission("12 steps of seed 003", twelve),
        Mission("60 steps", sixty),
        Mission("5 queries of seed 004", five),
    )


def tokens_of(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> int:
    """The estimate of one request (R6)."""
    return len(json.dumps([*messages, *tools], ensure_ascii=False)) // 4


@dataclass
class MissionModel:
    """The model of both: for each question it calls `work` once, where that has something, then answers.
    Keeps the tokens of each request and the step it belongs to."""

    mission: Mission
    name: str = "scripted"
    step: int = 0
    tokens: list[tuple[int, int]] = field(default_factory=list)

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """See LanguageModel.stream."""
        del max_tokens
        self.tokens.append((self.step, tokens_of(messages, tools)))
        output = self.mission.steps[self.step - 1][1]
        if output and messages[-1]["role"] != "tool":
            call = ToolCall(f"call_{len(self.tokens)}", "work", json.dumps({"step": self.step}))
            yield Reply("", (call,), "tool_calls")
            return
        text = f"Step {self.step} is done: " + "what was found is as expected and noted. " * 6
        yield text
        yield Reply(text)

    @property
    def by_step(self) -> list[int]:
        """Tokens sent in each step."""
        return [sum(t for step, t in self.tokens if step == n) for n in range(1, len(self.mission.steps) + 1)]


def writer_reply(messages: Sequence[Message]) -> str:
    """What the scripted writer model makes of a prompt: a summary in two lines, no entities, no facts."""
    prompt = str(messages[0]["content"])
    if "### Technical Information" in prompt:
        heads = (
            "Technical Information",
            "Emotional Context",
            "Entities & References",
            "Action Items & Decisions",
        )
        return "\n\n".join(f"### {head}\n- Steps were worked through, nothing new." for head in heads)
    if prompt.startswith("The window is full"):
        return "Steps were worked through one by one; nothing new was found."
    return "Reading the log part by part" if prompt.startswith("Name this") else "[]"


@dataclass
class Writer:
    """The writer model, scripted."""

    name: str = "scripted-writer"

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        """See LanguageModel.stream."""
        del tools, max_tokens
        yield Reply(writer_reply(messages))


def play_ours(mission: Mission, memory: Any) -> MissionModel:
    """The mission through the product, in one conversation over this memory."""
    from researchassist.agent.assistant import build  # noqa: PLC0415  (Django must be set up first)
    from researchassist.agent.tools import default_tools, define  # noqa: PLC0415
    from researchassist.agent.turn import call_agent  # noqa: PLC0415

    model = MissionModel(mission)
    assistant = build(
        memory, model=model, writer=Writer(), tools=[*default_tools(), define(_work_of(mission))]
    )
    for model.step, (question, _) in enumerate(mission.steps, 1):
        call_agent(assistant, question, f"mission {mission.name}")
    return model


def _work_of(mission: Mission) -> Callable[..., str]:
    def work(step: int) -> str:
        """Do the step of this number: read the file, list the folder, search, compare.

        Args:
            step: The number of the step.
        """
        return mission.steps[step - 1][1]

    return work


# The schema that the naive harness sends for `work`, as the product defines it.
_SCHEMA: ToolSchema = {
    "type": "function",
    "function": {
        "name": "work",
        "description": "Do the step of this number: read the file, list the folder, search, compare.",
        "parameters": {
            "type": "object",
            "properties": {"step": {"type": "integer", "description": "The number of the step."}},
            "required": ["step"],
        },
    },
}


def play_naive(mission: Mission) -> MissionModel:
    """The mission through a harness that appends everything: no log, no summaries, no memory."""
    model, work = MissionModel(mission), _work_of(mission)
    messages: list[Message] = [
        {"role": "system", "content": "You are a research paper assistant with access to tools."}
    ]
    for model.step, (question, _) in enumerate(mission.steps, 1):
        messages.append({"role": "user", "content": question})
        while True:
            *_, reply = model.stream(messages, [_SCHEMA])
            assert isinstance(reply, Reply)
            if not reply.tool_calls:
                messages.append({"role": "assistant", "content": reply.text})
                break
            [call] = reply.tool_calls
            function = {"name": call.name, "arguments": call.arguments}
            asked = {"id": call.id, "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [asked]})
            result = work(**json.loads(call.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return model


def _draw(file: Path, mission: Mission, ours: list[int], naive: list[int]) -> None:
    import matplotlib as mpl  # noqa: PLC0415  (an extra)

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    steps = range(1, len(ours) + 1)
    sums = [list(itertools.accumulate(values)) for values in (naive, ours)]
    panels = (((naive, ours), left, "tokens a step"), (sums, right, "tokens so far"))
    for values, panel, title in panels:
        panel.plot(steps, values[0], marker=".", color="#b4566b", label="appends everything")
        panel.plot(steps, values[1], marker=".", color="#2f8a80", label="ResearchAssist")
        panel.set_xlabel("step")
        panel.set_title(title)
        panel.set_ylim(bottom=0)
        panel.legend()
    figure.suptitle(mission.name)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Plays every mission twice and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--policy", choices=["condense", "page"], default="condense")
    parser.add_argument("--png", type=Path, help="folder for the charts (needs matplotlib)")
    given = parser.parse_args()
    from .environment import throwaway  # noqa: PLC0415

    folder = throwaway()
    from researchassist.memory.manager import MemoryManager  # noqa: PLC0415
    from researchassist.options import Options  # noqa: PLC0415
    from tests.tiny_embedder import TinyEmbedder  # noqa: PLC0415

    print(f"policy {given.policy}, window 32,000 tokens\n")
    print(f"{'step':>6}{'naive':>10}{'ours':>10}{'naive so far':>15}{'ours so far':>14}{'ratio':>8}")
    for mission in missions():
        options = Options(context_policy=given.policy, token_budget=32_000)
        ours = play_ours(mission, MemoryManager(options, TinyEmbedder())).by_step
        naive = play_naive(mission).by_step
        print(mission.name)
        rows = zip(naive, ours, itertools.accumulate(naive), itertools.accumulate(ours), strict=True)
        for step, (n, o, all_n, all_o) in enumerate(rows, 1):
            if len(ours) <= 12 or step % 10 == 0 or step == 1:
                print(f"{step:>6}{n:>10,}{o:>10,}{all_n:>15,}{all_o:>14,}{all_o / all_n:>8.2f}")
        if given.png:
            given.png.mkdir(parents=True, exist_ok=True)
            name = f"context_growth_{len(ours)}_{given.policy}.png"
            _draw(given.png / name, mission, ours, naive)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
