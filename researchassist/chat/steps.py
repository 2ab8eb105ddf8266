"""The steps of a turn as the page shows them: in words, with how each ended and how long it took."""

from dataclasses import dataclass

from researchassist.memory.records import TurnRecord

_SUCCESS = "success"


@dataclass(frozen=True)
class Step:
    """One tool call. `said` is what the model wrote before it."""

    doing: str
    name: str
    said: str
    failed: bool
    took: str


def steps_of(turn: TurnRecord) -> tuple[Step, ...]:
    """The calls of a turn that has ended, in their order."""
    return tuple(
        Step(
            doing=call.get("doing") or call["name"],
            name=call["name"],
            said=call.get("said", ""),
            failed=call["status"] != _SUCCESS,
            took=took(call["seconds"]),
        )
        for call in turn.used.get("calls", ())
    )


def took(seconds: float) -> str:
    """A duration in words: milliseconds below a second."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
