"""Limits of a process that plays games."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SECONDS = 300.0
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
MAX_SHOWN = 40  # characters of the given size in a message
SIZE = re.compile(r"(\d{1,15}(?:\.\d+)?) ?(KB|MB|GB)")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a game, and environment variables of its process.

    ValueError if a time is not above 0, the memory is not a number of bytes, or a variable is not
    text.
    """

    seconds: float = SECONDS  # wall-clock time of a game
    cpu_seconds: float = math.inf  # of all processes of the game; infinity for no limit
    memory: int = 0  # bytes that all processes of the game may take together; 0 for no limit
    # Variables that are added to the worker's environment, or replace variables in it.
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not 0 < self.seconds < math.inf:
            raise ValueError(f"time_limit must be above 0 s (got {self.seconds:g})")
        if not self.cpu_seconds > 0:
            raise ValueError(f"cpu_time_limit must be above 0 seconds (got {self.cpu_seconds:g})")
        if not (isinstance(self.memory, int | float) and self.memory >= 0):
            raise ValueError(f"memory must be a number of bytes (got {self.memory!r})")
        for name, value in self.environment.items():
            if not (isinstance(name, str) and isinstance(value, str)):
                raise ValueError(f"environment.{name} must be text (got {value!r})")


def memory_in(given: Any) -> int:
    """Return the number of bytes that a text such as ``2 GB`` stands for; 0 for None.

    ValueError if the argument is not such a text.
    """
    if given is None:
        return 0
    match = SIZE.fullmatch(given) if isinstance(given, str) else None
    size = float(match[1]) * UNITS[match[2]] if match is not None else 0.0
    if not 1.0 <= size < 2.0**63:
        shown = given if len(str(given)) <= MAX_SHOWN else f"{str(given)[:MAX_SHOWN]}…"
        raise ValueError(f"memory_limit must be a size such as '500 MB' (got {shown!r})")
    return round(size)
