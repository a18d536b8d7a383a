"""How shares and differences of win rates are written."""

from math import isfinite

MINUS = "\N{MINUS SIGN}"


def percent(value: float) -> str:
    """Write a share; ``-`` for NaN."""
    return f"{value:.1%}" if isfinite(value) else "-"


def points(value: float) -> str:
    """Write a difference of win rates in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", MINUS)
