"""How values of objectives are written."""

import math
from dataclasses import dataclass
from typing import Literal

SECONDS_PREFIXES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def format_seconds(seconds: float) -> str:
    """Write a time with three digits and a readable unit: ``183 µs``, ``1.25 ms``."""
    seconds = float(f"{seconds:.3g}")
    for scale, unit in SECONDS_PREFIXES:
        if seconds >= scale:
            return f"{f'{seconds / scale:#.3g}'.rstrip('.')} {unit}"
    return f"{seconds:g} s"


@dataclass(frozen=True)
class Format:
    """How a goal's values are written.

    Attributes
    ----------
    value, tick, area_value : str
        Format specifications of a value, of a value at an axis, and of an area under a front.
    unit : str
        Unit of values; empty if there is none.
    area_unit : str
        Unit of an area under a front, beside decades of cost.
    interval_style : {"plus-minus", "ends", "exact"}
        ``100 ± 5``, ``30% (25% to 36%)``, or ``100`` where the interval has no width.
    """

    value: str
    tick: str
    area_value: str
    unit: str
    area_unit: str
    interval_style: Literal["plus-minus", "ends", "exact"] = "plus-minus"

    @property
    def is_whole(self) -> bool:
        """Whether values are written without decimals."""
        return self.value.endswith(".0f")

    def text(self, value: float) -> str:
        """Write a value without its unit."""
        return format(value, self.value)

    def with_unit(self, value: float) -> str:
        """Write a value with its unit: ``1 point``, ``2 points``."""
        text = self.text(value)
        return f"{text} {self.unit.removesuffix('s') if text == '1' else self.unit}".rstrip()

    def at_axis(self, value: float) -> str:
        """Write a value at an axis."""
        return format(value, self.tick)

    def area(self, value: float) -> str:
        """Write an area under a front without its unit."""
        return format(value, self.area_value)

    def interval(self, value: float, low: float, high: float) -> str:
        """Write a value with its 95% interval, without its unit."""
        if self.interval_style == "ends":
            return f"{self.text(value)} ({self.text(low)} to {self.text(high)})"
        if self.interval_style == "exact" and low == high:
            return self.text(value)
        half = (high - low) / 2
        return f"{self.text(value)} ± {self.text(half) if math.isfinite(half) else '?'}"

    def interval_with_unit(self, value: float, low: float, high: float) -> str:
        """Write a value with its 95% interval and its unit."""
        return f"{self.interval(value, low, high)} {self.unit}".rstrip()
