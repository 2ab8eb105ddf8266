"""The page of a long conversation in a long list: server time, bytes, and how many queries it takes.

Once small and once with 500 messages in 200 threads, after a warm-up. Aims for the first view: under
100 ms and 150 kB, and as many queries as the small one.

    python -m benchmarks.page [--messages 500] [--threads 200] [--views 30]
"""

import argparse
import shutil
import time

from .environment import percentile, throwaway

FOLDER = throwaway()

from django.conf import settings  # noqa: E402  (Django must be set up first)
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from researchassist.memory.manager import MemoryManager  # noqa: E402

ANSWER = """Kestrel **lowers** the latency by 41 %, measured over 200 runs with `p95` as the bound.

| run | tokens | ms |
| --- | ---: | ---: |
| one | 1,024 | 41.2 |
| two | 4,096 | 97.0 |

- the window is treated like memory, and what leaves it is condensed
- what was condensed opens again

```python
def evict(window, most):
    return window[-most:]
```

So the cost is $O(n)$ in what is shown and not in what was said. """


def fill(memory: MemoryManager, messages: int, threads: int) -> None:
    """A thread `long` of whole turns, and threads beside it."""
    for number in range(threads - 1):
        memory.write_thread(f"thread-{number}", title=f"A conversation about paper {number} and its limits")
    for number in range(messages // 2):
        turn = memory.open_turn(
            thread_id="long",
            query=f"What does section {number} say?",
            key=f"{messages}-{number}",
            owner="1@1",
            model="m",
        )
        used = {"model": "m", "budget": 128000, "tokens": {"question": 12, "conversation": 900}, "given": {}}
        memory.finish_turn(turn, outcome="answered", answer=ANSWER * 2, steps=[], used=used, helpers={})


def row(client: Client, name: str, address: str, views: int) -> str:
    """One line of the table."""
    for _ in range(3):
        client.get(address)
    times = []
    for _ in range(views):
        started = time.perf_counter()
        response = client.get(address)
        times.append(1000 * (time.perf_counter() - started))
    assert response.status_code == 200, address
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    size = len(response.content) / 1000
    return (
        f"| {name} | {percentile(times, 0.5):.1f} | {percentile(times, 0.95):.1f} | {size:.0f} | "
        f"{len(queries)} |"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--threads", type=int, default=200)
    parser.add_argument("--views", type=int, default=30)
    arguments = parser.parse_args()
    memory, client = MemoryManager(settings.RESEARCHASSIST), Client(headers={"Host": "localhost"})
    fill(memory, 10, 3)
    lines = [row(client, "a conversation of 10 messages, 3 in the list", "/threads/long", arguments.views)]
    memory.delete_thread("long")
    fill(memory, arguments.messages, arguments.threads)
    size = f"{arguments.messages} messages, {arguments.threads} in the list"
    lines.append(row(client, f"one of {size}", "/threads/long", arguments.views))
    middle = memory.messages("long")[arguments.messages // 2].id
    lines.append(
        row(client, "the same at a message in its middle", f"/threads/long?at={middle}", arguments.views)
    )
    lines.append(row(client, "a search over it", "/search?q=window+latency", arguments.views))
    print("\n| page | p50 ms | p95 ms | kB | queries |\n| --- | ---: | ---: | ---: | ---: |")
    print("\n".join(lines))
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
