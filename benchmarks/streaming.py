"""What one more token costs the page while an answer streams, at any length of the answer.

A model server of our own sends 5,000 tokens, 50 a second, to a real server process; Chromium shows
them. After each thousand the browser says how long its main thread has worked (script, layout,
painting) and how many tokens stand on the page.

    python -m benchmarks.streaming [--tokens 5000] [--rate 50] [--chromium /usr/bin/chromium]
"""

import argparse
import contextlib
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import CDPSession, Page, sync_playwright

from .environment import ROOT, throwaway

FOLDER = throwaway()
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# An answer of prose with a table and code now and then, a word a token.
WORDS = ("The ledger keeps every event as it came and points back to where it was made from. " * 6).split(" ")


def tokens(count: int) -> Iterator[str]:
    """The answer, token by token."""
    for number in range(count):
        end = "\n\n" if number % 90 == 89 else " "
        yield WORDS[number % len(WORDS)].replace("\n", "") + end


class Model(BaseHTTPRequestHandler):
    """Streams the answer at a steady rate."""

    count, rate = 5000, 50.0

    def do_POST(self) -> None:
        """Answers a chat completion."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        # The measurement ends before the answer does.
        with contextlib.suppress(ConnectionError):
            self._answer()

    def _answer(self) -> None:
        started = time.perf_counter()
        for number, token in enumerate(tokens(self.count)):
            self._event({"choices": [{"index": 0, "delta": {"content": token}, "finish_reason": None}]})
            time.sleep(max(started + (number + 1) / self.rate - time.perf_counter(), 0))
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, body: dict[str, object]) -> None:
        self.wfile.write(f"data: {json.dumps(body)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def serve(model_url: str) -> tuple["subprocess.Popen[str]", str]:
    """A real server process on the throwaway memory, and its address."""
    import os  # noqa: PLC0415  (after throwaway() has set it)

    environment = os.environ | {"OPENAI_BASE_URL": model_url, "RESEARCHASSIST_TURN_SECONDS": "3600"}
    process = subprocess.Popen(
        [sys.executable, "-u", "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    return process, found.group()


def busy(session: CDPSession) -> dict[str, float]:
    """Seconds the page's main thread has worked so far, by kind."""
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return {kind: metrics[f"{kind}Duration"] for kind in ("Task", "Script", "Layout")}


def shown(page: Page) -> int:
    """How many tokens stand on the page."""
    return len(page.locator(".live-text").last.inner_text().split())


def measure(page: Page, session: CDPSession, count: int) -> None:
    """Prints a row for each thousand tokens."""
    print("\n| tokens | main thread ms a token | of which script | layout |\n| --- | ---: | ---: | ---: |")
    before, done = busy(session), 0
    for goal in range(1000, count + 1, 1000):
        while (now := shown(page)) < goal:
            time.sleep(0.5)
        after = busy(session)
        cost = {kind: 1000 * (after[kind] - before[kind]) / (now - done) for kind in after}
        print(
            f"| {done:,} to {now:,} | {cost['Task']:.2f} | {cost['Script']:.2f} | {cost['Layout']:.2f} |",
            flush=True,
        )
        before, done = after, now


def main() -> None:
    """Runs the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=5000)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    # Some more than are measured, so that the last thousand still stands while it is.
    Model.count, Model.rate = arguments.tokens + 500, arguments.rate
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    process, url = serve(f"http://127.0.0.1:{model.server_address[1]}/v1")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=arguments.chromium, args=ARGUMENTS)
            page = browser.new_page()
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable")
            page.goto(url)
            page.fill("textarea", "Tell me everything about the ledger.")
            page.keyboard.press("Enter")
            page.wait_for_selector(".live-text", timeout=60_000)
            measure(page, session, arguments.tokens)
            browser.close()
    finally:
        process.terminate()
        process.wait(30)
    shutil.rmtree(FOLDER)


if __name__ == "__main__":
    main()
