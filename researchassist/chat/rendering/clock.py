"""A limit on the work one text may cause, looked at from inside the parsers.

No timer and no thread: the parsers come by at every step, and the step after the limit raises. What
is counted is this thread's own processor time, so that a busy machine cuts nothing off.
"""

import time

# How many steps go by between two looks at the clock.
_STEPS = 32


class TooLong(Exception):
    """The text takes longer than it may; it is shown as plain text."""


class Clock:
    """Seconds of processor time that may still be spent."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds
        self._steps = 0

    def step(self) -> None:
        """Comes by at each step of a parser; raises TooLong once the time is spent."""
        self._steps += 1
        if self._steps % _STEPS == 0:
            self.look()

    def look(self) -> None:
        """Raises TooLong where the time is spent."""
        if self.is_spent():
            raise TooLong

    def is_spent(self) -> bool:
        """Whether no time is left."""
        return time.thread_time() > self._end
