"""A real Chromium against a real server: waitress in this process, on the test's database."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
import waitress.server
from django.core.wsgi import get_wsgi_application
from playwright.sync_api import Browser, ConsoleMessage, Error, Page

from researchassist.agent import assistant as assistants
from researchassist.agent.assistant import Assistant
from researchassist.agent.runner import runner
from researchassist.llm.types import Message, Reply, ToolSchema
from researchassist.memory.manager import MemoryManager


class HeldLLM:
    """Writes its first piece, waits until it is let go, and writes the rest."""

    name = "held"

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces
        self.let_go = threading.Event()

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema] = (), max_tokens: int | None = None
    ) -> Iterator[str | Reply]:
        for number, piece in enumerate(self.pieces):
            if number == 1:
                self.let_go.wait(20)
            yield piece
        yield Reply("".join(self.pieces))


@pytest.fixture
def server(transactional_db: None, assistant_with: Callable[..., Assistant]) -> Iterator[str]:
    """The address of the running product; no language model is set until a test sets one."""
    assistant_with()
    made = waitress.server.create_server(get_wsgi_application(), host="127.0.0.1", port=0, threads=12)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.effective_port}"
    runner().shut_down()
    made.close()
    made.task_dispatcher.shutdown()


class Cable:
    """What lies between the browser and the server: it can be pulled, and put in again."""

    def __init__(self, server: str) -> None:
        self._port = int(server.rpartition(":")[2])
        self._ends: set[socket.socket] = set()
        self._in = True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def pull(self) -> None:
        """Breaks every connection, and each that is tried."""
        self._in = False
        for end in list(self._ends):
            self._break(end)

    def put_in(self) -> None:
        """Lets connections through again."""
        self._in = True

    def end(self) -> None:
        """Ends for good."""
        self._listener.close()
        self.pull()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                browser, _ = self._listener.accept()
                if not self._in:
                    self._break(browser)
                    continue
                server = socket.create_connection(("127.0.0.1", self._port))
                self._ends |= {browser, server}
                for one, other in ((browser, server), (server, browser)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        self._break(one)
        self._break(other)

    def _break(self, end: socket.socket) -> None:
        self._ends.discard(end)
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@pytest.fixture
def cable(server: str) -> Iterator[Cable]:
    """A way to the server that can be broken; its address is `cable.url`."""
    made = Cable(server)
    yield made
    made.end()


@pytest.fixture
def held(server: str, memory: MemoryManager) -> Iterator[Callable[..., HeldLLM]]:
    """Makes the assistant's model one that waits in the middle of its answer."""
    models = []

    def make(*pieces: str) -> HeldLLM:
        models.append(HeldLLM(*pieces))
        assistants.use(assistants.build(memory, model=models[-1]))
        return models[-1]

    yield make
    for model in models:
        model.let_go.set()


@dataclass
class Tab:
    """A page and everything it complained about or asked of other servers."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def ask(self, text: str) -> None:
        """Writes a message and sends it with Enter."""
        self.page.fill("#query", text)
        self.page.press("#query", "Enter")

    def wait_until(self, expression: str) -> None:
        """Waits until a JavaScript expression is true (Playwright's own way needs eval in the page)."""
        for _ in range(200):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"Never true: {expression}")


@pytest.fixture
def open_tab(chromium: Browser, server: str) -> Iterator[Callable[..., Tab]]:
    """Opens a page at a path in a new tab; options are the browser context's."""
    contexts = []

    def make(path: str = "/", **options: object) -> Tab:
        context = chromium.new_context(**{"base_url": server, **options})  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(10_000)
        tab = Tab(context.new_page())

        def heard(message: ConsoleMessage) -> None:
            # Chromium reports each refused message (409, 422) as a failed resource.
            if message.type == "error" and "Failed to load resource" not in message.text:
                tab.complaints.append(message.text)

        tab.page.on("console", heard)
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        here = (server, str(options.get("base_url", server)))
        tab.page.on("request", lambda r: None if r.url.startswith(here) else tab.elsewhere.append(r.url))
        tab.page.goto(path)
        return tab

    yield make
    for context in contexts:
        context.close()


def press_without_scripts(page: Page, button: str) -> None:
    """Presses a button of a page without scripts, and looks again once the work is done."""
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()
    runner().wait_idle()
    look_again(page)


def look_again(page: Page) -> None:
    """Reloads a page without scripts. While something runs it reloads by itself, which ours may meet."""
    for _ in range(4):
        with contextlib.suppress(Error):
            page.reload()
            return
    pytest.fail("The page could not be loaded again.")
