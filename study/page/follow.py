"""A page that is written again while its study grows."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from thetafront.study import interrupt

SECONDS_BETWEEN_LOOKS = 1.0
SECONDS_BETWEEN_PAGES = 15.0
LARGEST_SHARE = 0.1
"""Of the time that writing may take: the cores are the sweep's."""


@dataclass
class Follower:
    """Writes a page whenever there is more to show, until Ctrl-C.

    Parameters
    ----------
    newest : callable
        Returns something that differs when the study has grown, or a sweep has begun or ended; it
        is called every second and must be cheap.
    write : callable
        Writes the page; given after how many seconds the page is to read itself again, or None for
        the last one.
    clock, sleep : callable
        As in :mod:`time`.
    """

    newest: Callable[[], object]
    write: Callable[[float | None], None]
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def run(self) -> None:
        """Write the page at once and whenever the study has grown; at Ctrl-C for the last time."""
        try:
            with interrupt.deferred():
                while not interrupt.requested():
                    known, began = self.newest(), self.clock()
                    self.write(SECONDS_BETWEEN_PAGES)
                    pause = max(SECONDS_BETWEEN_PAGES, (self.clock() - began) / LARGEST_SHARE)
                    due = self.clock() + pause
                    while not interrupt.requested() and (
                        self.clock() < due or self.newest() == known
                    ):
                        self.sleep(SECONDS_BETWEEN_LOOKS)
                self.write(None)
        except KeyboardInterrupt:
            return
