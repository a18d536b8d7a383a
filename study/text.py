"""Counts, times and lists in sentences: ``1 game``, ``2 games``; ``7 min 05 s``; ``a, b and c``."""

import math
from collections.abc import Sequence


def duration(seconds: float) -> str:
    """Write a time span: ``-``, ``42 s``, ``7 min 05 s``, ``3 h 20 min``."""
    if not math.isfinite(seconds):
        return "-"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def counted(n: int, noun: str) -> str:
    """Write a number with its noun, given in the singular; the plural takes an s."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def there_already(*counts: str) -> str:
    """Say of counts from :func:`counted` that they need not be played again."""
    one = len(counts) == 1 and counts[0].startswith("1 ")
    return f"{' and '.join(counts)} {'is' if one else 'are'} there already"


def listed(names: Sequence[str]) -> str:
    """Write ``a``, ``a and b``, ``a, b and c``."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
