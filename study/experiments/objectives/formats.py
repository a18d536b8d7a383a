"""How values of objectives are written."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

SECONDS_PREFIXES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
DIGITS, DIGITS_OF_HALF, DIGITS_OF_TICK = 4, 2, 10  # ticks are round, but may be close together
MAX_MORE_DIGITS = 8  # beyond those, values are as good as equal
MIN_POWER, MAX_POWER = -6, 12  # powers of ten between which numbers have no exponent
MAX_DECIMALS = 12
MAX_ELO = 600  # a score of 97%
NO_PLURALS_IN_S = ("ss", "us", "is", "ies", "sses", "xes", "ches", "shes", "siemens")
MIN_PLURAL = 5  # letters; a shorter unit in -s may be an abbreviation: ms, Mbps


def format_seconds(seconds: float) -> str:
    """Write a time with three digits and a readable unit: ``183 µs``, ``1.25 ms``, ``1,250 s``."""
    seconds = float(f"{seconds:.3g}")
    if 1e3 <= seconds < math.inf:
        return f"{seconds:,.0f} s"
    for scale, unit in SECONDS_PREFIXES:
        if seconds >= scale:
            return f"{f'{seconds / scale:#.3g}'.rstrip('.')} {unit}"
    return f"{seconds:g} s"


def beside_unit(text: str, unit: str) -> str:
    """Write a unit after a number, in the singular after 1 if the unit is a plural in ``-s``."""
    what, per, work = unit.partition(" per ")
    is_plural = len(what) >= MIN_PLURAL and what.replace(" ", "").isalpha()
    if text == "1" and is_plural and not what.endswith(NO_PLURALS_IN_S):
        what = what.removesuffix("s")
    return f"{text} {what}{per}{work}".rstrip()


@dataclass(frozen=True)
class Format:
    """How a goal's values are written."""

    # Format specifications of a value, of a value at an axis, and of an area under a front.
    value: str
    tick: str
    area_value: str
    unit: str  # unit of values; empty if there is none
    area_unit: str  # unit of an area under a front, without the factor "decades of cost"
    # "plus-minus": `100 ± 5`, or `100 ± ?` for a width of 0, since the error is then unknown.
    # "ends": `30% (25% to 36%)`. "exact": `100 ± 5`, or `100` for a width of 0.
    interval_style: Literal["plus-minus", "ends", "exact"] = "plus-minus"

    @property
    def suits_areas(self) -> bool:
        """Whether areas on an axis are written like values."""
        return not self.value or self.value.endswith(".0f")

    def text(self, value: float, more: int = 0) -> str:
        """Write a value without its unit, with some ``more`` digits than usual."""
        return format(value, with_more_digits(self.value, more))

    def texts(self, *values: float) -> list[str]:
        """Write values that are compared, with more digits if different ones would look equal."""
        return told_apart(self.text, values)

    def with_unit(self, value: float) -> str:
        """Write a value with its unit: ``1 point``, ``2 points``."""
        return self.beside_unit(self.text(value))

    def beside_unit(self, text: str) -> str:
        """Write the unit after a number."""
        return beside_unit(text, self.unit)

    def error(self, value: float) -> str:
        """Write a standard error without its unit."""
        return self.text(value)

    def error_with_unit(self, value: float) -> str:
        """Write a standard error with its unit."""
        return self.beside_unit(self.error(value))

    def at_axis(self, value: float) -> str:
        """Write a value on an axis."""
        return format(value, self.tick)

    def ticks(self, values: Sequence[float]) -> list[str]:
        """Write the ticks of an axis, with more digits if different ones would look equal."""
        return told_apart(
            lambda each, more: format(each, with_more_digits(self.tick, more)), values
        )

    def area(self, value: float) -> str:
        """Write an area under a front without its unit."""
        return format(value, self.area_value)

    def interval(self, value: float, low: float, high: float) -> str:
        """Write a value with its 95% interval, without its unit."""
        if self.interval_style == "ends":
            return with_ends(*map(self.text, (value, low, high)))
        if self.interval_style == "exact" and low == high:
            return self.text(value)
        half = (high - low) / 2
        return f"{self.text(value)} ± {self.text(half) if 0 < half < math.inf else '?'}"

    def interval_with_unit(self, value: float, low: float, high: float) -> str:
        """Write a value with its 95% interval and its unit."""
        return self.beside_unit(self.interval(value, low, high))


def with_more_digits(specification: str, more: int) -> str:
    """Return a format specification with a higher precision."""
    return re.sub(r"\.(\d+)", lambda digits: f".{int(digits[1]) + more}", specification)


def told_apart(write: Callable[[float, int], str], values: Sequence[float]) -> list[str]:
    """Write values with 0 to 8 ``more`` digits, so that different ones do not look equal."""
    for more in range(MAX_MORE_DIGITS + 1):
        found = [write(value, more) for value in values]
        if len(set(found)) == len(set(values)):
            return found
    return [write(value, 0) for value in values]


def with_ends(value: str, low: str, high: str) -> str:
    """Write a value with the ends of its interval."""
    return f"{value} ({low} to {high})"


def elo(score: float) -> float:
    """Return the difference in Elo that corresponds to a score against an opponent, 0 to 1."""
    if not 0.0 < score < 1.0:
        return math.nan if math.isnan(score) else math.copysign(math.inf, score - 0.5)
    return 400.0 * math.log10(score / (1.0 - score))


def score_of_elo(difference: float) -> float:
    """Return the score against an opponent that corresponds to a difference in Elo."""
    return 0.5 + 0.5 * math.tanh(difference * math.log(10.0) / 800.0)  # never overflows


@dataclass(frozen=True)
class MatchFormat(Format):
    """How scores against an opponent are written: in percent, and as Elo."""

    def interval(self, value: float, low: float, high: float) -> str:
        """Write a score with its 95% interval, and both as Elo: ``60% (…), Elo +70 (…)``."""
        differences = (elo_text(elo(each)) for each in (value, low, high))
        return f"{super().interval(value, low, high)}, Elo {with_ends(*differences)}"


def elo_text(difference: float) -> str:
    """Write a difference in Elo: ``+70``; beyond what games can show, ``> +600``."""
    if math.isnan(difference):
        return "?"
    if abs(difference) > MAX_ELO:
        return f"> +{MAX_ELO}" if difference > 0 else f"< −{MAX_ELO}"
    return f"{round(difference):+}".replace("-", "−")


def significant(value: float, n_digits: int = DIGITS) -> str:
    """Write a number with ``n_digits`` significant digits, or more if its integer part has more.

    Trailing zeros are left out: ``1,234,568``, ``43.21``, ``0.5``, ``0.000123``. From 10¹² on and
    below 10⁻⁶, the number has an exponent.
    """
    if not value or not math.isfinite(value):
        return f"{abs(value) if value == 0 else value:g}"
    power = int(f"{value:.{n_digits - 1}e}".partition("e")[2])
    if not MIN_POWER <= power < MAX_POWER:
        return f"{value:.{n_digits}g}"
    text = f"{value:,.{max(0, n_digits - 1 - power)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class FittingFormat(Format):
    """How values of any magnitude are written.

    A value without an interval has ``n_digits`` significant digits. In an interval, the half width
    has two significant digits, and the value has as many decimals as the half width:
    ``0.4312 ± 0.0021``.
    """

    value: str = ""
    tick: str = ""
    area_value: str = ""
    unit: str = ""
    area_unit: str = ""
    n_digits: int = DIGITS

    def text(self, value: float, more: int = 0) -> str:
        """Write a value without its unit, with some ``more`` digits than usual."""
        return significant(value, self.n_digits + more)

    def error(self, value: float) -> str:
        """Write a standard error without its unit, in two digits."""
        return significant(value, DIGITS_OF_HALF)

    def at_axis(self, value: float) -> str:
        """Write a value at an axis."""
        return significant(value, DIGITS_OF_TICK)

    def ticks(self, values: Sequence[float]) -> list[str]:
        """Write the ticks of an axis."""
        return [self.at_axis(value) for value in values]

    def area(self, value: float) -> str:
        """Write an area under a front without its unit."""
        return significant(value)

    def interval(self, value: float, low: float, high: float) -> str:
        """Write a value with its 95% interval, without its unit."""
        half = (high - low) / 2
        if half == 0 and self.interval_style != "plus-minus":
            return self.text(value)
        if half == 0 or not math.isfinite(half):
            return f"{self.text(value)} ± ?"
        half_text = f"{half:.{DIGITS_OF_HALF - 1}e}"
        decimals = DIGITS_OF_HALF - 1 - int(half_text.partition("e")[2])
        is_usual = 10.0**MIN_POWER <= max(abs(value), half) < 10.0**MAX_POWER
        fits = is_usual and decimals <= MAX_DECIMALS
        form = f",.{max(0, decimals)}f" if fits else f".{DIGITS}g"
        if self.interval_style == "ends":
            return with_ends(*(format(each, form) for each in (value, low, high)))
        return f"{value:{form}} ± {format(float(half_text), form if fits else '.2g')}"
