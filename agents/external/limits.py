"""Limits of a process that plays games."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SECONDS = 300.0
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9}
MAX_SHOWN = 40  # characters of what was given
SIZE = re.compile(r"(\d{1,15}(?:\.\d+)?) ?(KB|MB|GB)")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a game, and environment variables of its process.

    ValueError if a time is not above 0, or a variable is not text.
    """

    seconds: float = SECONDS  # wall-clock time of a game
    cpu_seconds: float = math.inf  # of all its processes; infinity for no limit
    memory: int = 0  # bytes that all its processes may have in memory; 0 for no limit
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)  # in addition to ours

    def __post_init__(self) -> None:
        if not 0 < self.seconds < math.inf:
            raise ValueError(f"time_limit must be above 0 s (got {self.seconds:g})")
        if not self.cpu_seconds > 0:
            raise ValueError(f"cpu_time_limit must be above 0 seconds (got {self.cpu_seconds:g})")
        for name, value in self.environment.items():
            if not (isinstance(name, str) and isinstance(value, str)):
                raise ValueError(f"environment.{name} must be text (got {value!r})")


def memory_in(given: Any) -> int:
    """Return the number of bytes in a text such as ``2 GB``; 0 for None, ValueError for others."""
    if given is None:
        return 0
    match = SIZE.fullmatch(given) if isinstance(given, str) else None
    size = float(match[1]) * UNITS[match[2]] if match is not None else 0.0
    if not 1.0 <= size < 2.0**63:
        shown = given if len(str(given)) <= MAX_SHOWN else f"{str(given)[:MAX_SHOWN]}…"
        raise ValueError(f"memory_limit must be a size such as '500 MB' (got {shown!r})")
    return round(size)
