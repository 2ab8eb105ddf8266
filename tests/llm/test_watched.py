import threading
import time
from collections.abc import Iterator

import pytest

from researchassist.errors import ModelError
from researchassist.llm.types import Reply, Retrying
from researchassist.llm.watched import Limits, StreamEnded, watched

LATER = Limits(deadline=1e12, first=60, between=60)


def never() -> bool:
    return False


@pytest.fixture
def silent():
    """A stream that says one word and then nothing, until the test is over."""
    over = threading.Event()

    def stream() -> Iterator[str | Reply]:
        yield "An "
        over.wait(20)
        yield Reply("An owl.")

    yield stream()
    over.set()


def test_all_pieces_come_in_order():
    pieces = ["An ", "owl", Reply("An owl")]
    assert list(watched(iter(pieces), stopped=never, limits=LATER)) == pieces


def test_a_stop_takes_effect_while_the_server_is_silent(silent):
    stop = threading.Event()
    pieces = watched(silent, stopped=stop.is_set, limits=LATER)
    assert next(pieces) == "An "
    threading.Timer(0.2, stop.set).start()
    started = time.monotonic()
    with pytest.raises(StreamEnded) as ended:
        next(pieces)
    assert ended.value.why == "stopped"
    assert time.monotonic() - started < 1


def test_a_deadline_takes_effect_while_the_server_is_silent(silent):
    started = time.monotonic()
    with pytest.raises(StreamEnded) as ended:
        list(watched(silent, stopped=never, limits=Limits(deadline=started + 0.3, first=60, between=60)))
    assert ended.value.why == "timed_out"
    assert time.monotonic() - started < 1


@pytest.mark.parametrize("error", [ModelError("It broke."), ValueError("bug")])
def test_an_error_passes_through(error: Exception):
    def broken() -> Iterator[str | Reply]:
        yield "An "
        raise error

    pieces = watched(broken(), stopped=never, limits=LATER)
    assert next(pieces) == "An "
    with pytest.raises(type(error), match=str(error)):
        next(pieces)


def test_a_stream_that_is_given_up_is_read_no_further():
    taken = []

    def endless() -> Iterator[str | Reply]:
        number = 0
        while True:
            taken.append(number)
            number += 1
            yield str(number)
            time.sleep(0.005)

    pieces = watched(endless(), stopped=never, limits=LATER)
    next(pieces)
    pieces.close()
    time.sleep(0.1)
    count = len(taken)
    time.sleep(0.1)
    assert len(taken) == count


@pytest.mark.parametrize("limits", [Limits(1e12, first=60, between=0.3), Limits(1e12, first=0.3, between=60)])
def test_silence_is_given_up(silent, limits: Limits):
    started = time.monotonic()
    if limits.first < 1:
        next(silent)
    with pytest.raises(ModelError, match=r"silent for 0\.3 seconds"):
        list(watched(silent, stopped=never, limits=limits))
    assert time.monotonic() - started < 1


def test_a_retry_is_waited_for_before_the_stream_is_read_on():
    def again() -> Iterator[str | Reply | Retrying]:
        yield Retrying("It is busy.", 0.4)
        yield Reply(f"{time.monotonic()}")

    started = time.monotonic()
    *_, reply = watched(again(), stopped=never, limits=Limits(1e12, first=0.3, between=0.3))
    assert float(reply.text) - started >= 0.4


def test_a_stop_takes_effect_while_a_retry_is_waited_for():
    def again() -> Iterator[str | Reply | Retrying]:
        yield Retrying("It is busy.", 20)
        yield Reply("never")

    stop = threading.Event()
    pieces = watched(again(), stopped=stop.is_set, limits=LATER)
    next(pieces)
    stop.set()
    started = time.monotonic()
    with pytest.raises(StreamEnded):
        next(pieces)
    assert time.monotonic() - started < 1
