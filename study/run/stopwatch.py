"""A stopwatch: seconds spent on something that is done again and again."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Stopwatch:
    """Wall-clock seconds spent on something, and how often."""

    seconds: float = 0.0
    n: int = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what is done inside."""
        began = time.monotonic()
        yield
        self.seconds += time.monotonic() - began
        self.n += 1

    @property
    def mean(self) -> float:
        """Seconds each; 0 if it never happened."""
        return self.seconds / max(1, self.n)
