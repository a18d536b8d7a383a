"""A run's budget of time: how it is written, and how much of it is left."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from thetafront.study.errors import InputError
from thetafront.study.text import seconds_in

NO_BUDGET = "none"
MAX_SECONDS = 365 * 24 * 3600.0
MAX_PAUSE = 20.0
MIN_SHARE = 0.05  # of one core's time; a process that used less for MAX_PAUSE seconds was stopped
MAX_OVERRUN, MAX_OVERRUN_SECONDS = 0.05, 1.0  # 5% of the budget plus 1 s, for games in flight


def parse_seconds(text: str) -> float:
    """Read a budget in seconds, infinity for ``none``; InputError if the text is not a time."""
    if text == NO_BUDGET:
        return math.inf
    try:
        seconds = seconds_in(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise InputError(
            "budget must be a time such as 90s, 15m or 1h30m, of at most 8760h, or none (got "
            f"{text!r})"
        )
    return seconds


class RunningTime:
    """A clock that stops while the process is stopped, for example by Ctrl-Z.

    A run reads the clock several times a second, except while it computes. If many seconds with
    hardly any CPU time pass between two readings, the process was stopped. These seconds do not
    count.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        cpu_clock: Callable[[], float] = time.process_time,
    ) -> None:
        self.clock, self.cpu_clock = clock, cpu_clock
        self.last, self.last_cpu = clock(), cpu_clock()
        self.running = 0.0

    def __call__(self) -> float:
        """Return the running time since the clock was created, in seconds."""
        now, cpu = self.clock(), self.cpu_clock()
        passed = now - self.last
        if passed < MAX_PAUSE or cpu - self.last_cpu > MIN_SHARE * passed:
            self.running += passed
        self.last, self.last_cpu = now, cpu
        return self.running


@dataclass(frozen=True)
class Budget:
    """Wall time for a run, or for a part of a run.

    Games that are still being played when the budget is spent are finished if that takes at most
    1 s plus 5% of the budget.
    """

    seconds: float = math.inf  # seconds after the budget is created; infinity for no limit
    clock: Callable[[], float] = field(default_factory=RunningTime)  # returns the time in seconds
    # Returns the seconds to be kept free for the work after the last game.
    reserve: Callable[[], float] = lambda: 0.0
    began: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "began", self.clock())

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return math.isfinite(self.seconds)

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self.end - self.clock())

    @property
    def end(self) -> float:
        """The clock's time at which the budget is spent."""
        return self.began + self.seconds - self.reserve()

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0.0

    @property
    def is_exceeded(self) -> bool:
        """Whether so much time has passed that the run no longer waits for games in flight."""
        overrun = MAX_OVERRUN_SECONDS + MAX_OVERRUN * self.seconds
        return self.is_limited and self.clock() > self.end + overrun
