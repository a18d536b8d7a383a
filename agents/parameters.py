"""Numbers of things, checked: what frozen dataclasses ask of their whole parameters.

A kernel takes a float for a number of simulations as readily as an integer, and goes on to do something else, or fails
far from where the number was given. So what counts must be an integer, whatever its value; True and False, which Python
takes for 1 and 0, are none.
"""

import math
from numbers import Integral
from typing import Any


def check_count(name: str, value: Any, least: int, most: float = math.inf) -> None:
    """Refuse, by ValueError, what is no integer, or none from ``least`` to ``most``: 1.5, and 2.0 and True, too."""
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if is_integer and least <= value <= most:
        return
    of, allowed = ("of", f"{least} or more") if most == math.inf else ("from", f"{least} to {most}")
    kind = "" if is_integer else f"an integer {of} "
    raise ValueError(f"{name}: {value} given, {kind}{allowed} allowed")
