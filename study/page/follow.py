"""A page that is rewritten while its study grows."""

import time
from collections.abc import Callable

from thetafront.study import interrupt

POLL_INTERVAL = 1.0
SECONDS_BETWEEN_PAGES = 15.0
MAX_SHARE = 0.1
"""Of the time that writing may take: the cores are the sweep's."""


def follow(
    newest: Callable[[], object],
    write: Callable[[float | None], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Write a page at once and whenever there is more to show; at Ctrl-C for the last time.

    Parameters
    ----------
    newest : callable
        Returns something that differs when the study has grown, or a sweep has begun or ended; it
        is called every second and must be cheap.
    write : callable
        Writes the page; its argument is after how many seconds the page is to reload itself, or
        None for the last one.
    clock, sleep : callable
        As in :mod:`time`.
    """
    try:
        with interrupt.deferred():
            while not interrupt.requested():
                known, began = newest(), clock()
                write(SECONDS_BETWEEN_PAGES)
                due = clock() + max(SECONDS_BETWEEN_PAGES, (clock() - began) / MAX_SHARE)
                while not interrupt.requested() and (clock() < due or newest() == known):
                    sleep(POLL_INTERVAL)
            write(None)
    except KeyboardInterrupt:
        return
