"""Axes of goals, costs and parameters: their ranges and the labels of their ticks."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thetafront.study.charts.chart import Axis, Row, short
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, Dimension
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.experiments.objectives.formats import significant
from thetafront.study.experiments.objectives.goals import Goal

N_TICKS = 8
TICKS_PER_DECADE = ((1, 2, 3, 5, 7), (1, 2, 5), (1,))
WIDE_AXIS, WIDEST_AXIS, NARROW_AXIS = 20.0, 3000.0, 2.0  # upper end / lower end of an axis
ROOM = 0.03  # empty space at each end of an axis, as a share of the values' range
MAX_CUT = 0.25  # how far intervals may extend an axis, as a share of the other values' range
GAP = 0.15  # smallest distance of an outlier from the others, as a share of their range
MAX_OUTLIERS = 0.02  # as a share of all values
MILLION = 1e6
MAX_CHOICE = 14  # characters of a choice's name on an axis


def without_outliers(values: Iterable[float]) -> list[float]:
    """Return the finite values in ascending order, without a few that lie far from all others."""
    found = sorted(each for each in values if math.isfinite(each))
    for _ in range(max(1, int(MAX_OUTLIERS * len(found)))):
        for rest, gap in ((found[:-1], found[-2:]), (found[1:], found[:2])):
            if len(rest) > 2 and gap[1] - gap[0] > GAP * (rest[-1] - rest[0]):
                found = rest
                break
    return found


def axis_span(
    sure: Iterable[float], wide: Iterable[float] = (), observed: Iterable[float] = ()
) -> tuple[float, float]:
    """Return the ends of an axis, with some room beyond the values.

    Values in ``sure`` must be visible. Ends of intervals, ``wide``, extend each end of the axis by
    at most a quarter of the range of all other values; an interval that reaches farther is cut. A
    few outliers among ``observed`` values may lie outside the axis.
    """
    seen = [*(each for each in sure if math.isfinite(each)), *without_outliers(observed)]
    low, high = min(seen), max(seen)
    most = MAX_CUT * ((high - low) or abs(high) or 1.0)
    ends = [*(each for each in wide if math.isfinite(each)), low, high]
    low, high = max(min(ends), low - most), min(max(ends), high + most)
    room = ROOM * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def round_values(low: float, high: float, n: int = N_TICKS) -> list[float]:
    """Return equally spaced round numbers from ``low`` to ``high``, at most ``n`` + 1."""
    step = 10.0 ** math.floor(math.log10((high - low) / n))
    step = next(m * step for m in (1, 2, 5, 10) if m * step * n >= (high - low) * (1.0 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.10g}") for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers from ``low`` to ``high`` for a logarithmic axis."""
    if high < NARROW_AXIS * low:
        return round_values(low, high)
    crowding = int(high >= WIDE_AXIS * low) + int(high >= WIDEST_AXIS * low)
    return round_numbers(low, high, TICKS_PER_DECADE[crowding])


def round_numbers(
    low: float, high: float, multiples: Sequence[int] = TICKS_PER_DECADE[1]
) -> list[float]:
    """Return round numbers from ``low`` to ``high``: each of ``multiples`` times powers of ten."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [float(f"{m}e{power}") for power in powers for m in multiples]
    return [each for each in found if low <= each <= high]


def thinned(values: Sequence[float], n: int) -> list[float]:
    """Return every k-th value, with the smallest k that leaves at most ``n`` values."""
    return [*values[:: -(-len(values) // n) or 1]]


def linear_axis(
    title: str, ends: tuple[float, float], write: Any = significant, n: int = N_TICKS
) -> Axis:
    """Return a linear axis with ticks at round values; ``write`` makes the ticks' labels."""
    return Axis(title, *ends, {each: write(each) for each in round_values(*ends, n)})


def goal_axis(goal: Goal, ends: tuple[float, float], title: str = "", n: int = N_TICKS) -> Axis:
    """Return the axis of a goal or, with a ``title``, of another quantity in the goal's unit."""
    values = round_values(*ends, n)
    if not title:
        scale = goal.estimator.scale
        values = [each for each in values if scale.low <= each <= scale.high]
        title = goal.axis_label if goal.sign > 0 else f"{goal.axis_label} (lower is better)"
    return Axis(title, *ends, dict(zip(values, goal.format.ticks(values), strict=True)))


def area_axis(goal: Goal, ends: tuple[float, float]) -> Axis:
    """Return the axis of hypervolumes, which are areas under a front."""
    write = goal.format.at_axis if goal.format.suits_areas else significant
    return linear_axis(f"hypervolume, {goal.format.area_unit} · decades", ends, write)


def cost_axis(
    cost: Cost, sure: Iterable[float], wide: Iterable[float] = (), observed: Iterable[float] = ()
) -> Axis:
    """Return the logarithmic axis of a cost, for values as in :func:`axis_span`."""
    ends = axis_span(*(map(math.log10, each) for each in (sure, wide, observed)))
    if ends[1] - ends[0] < 2.1 * ROOM:  # there is only one value
        ends = ends[0] - math.log10(NARROW_AXIS), ends[1] + math.log10(NARROW_AXIS)
    low, high = (10.0**each for each in ends)
    ticks = {each: cost_tick(cost, each) for each in log_ticks(low, high)}
    return Axis(cost.axis_label, low, high, ticks, is_log=True)


def cost_tick(cost: Cost, value: float) -> str:
    """Return the label of a value on a cost's axis; large counts are written in millions."""
    if cost.is_in_seconds:
        number, _, unit = cost.text(value).partition(" ")
        return f"{float(number.replace(',', '')):,.10g} {unit}"
    return f"{significant(value / MILLION)} M" if value >= MILLION else significant(value)


def parameter_axis(parameter: Dimension, title: str) -> Axis:
    """Return the axis of a parameter: its choices, side by side, or its numeric scale."""
    if isinstance(parameter, CategoricalParameter):
        names = [short(parameter.text(each), MAX_CHOICE) for each in parameter.choices]
        ticks = {float(k): name for k, name in enumerate(names)}
        return Axis(title, -0.5, len(names) - 0.5, ticks)
    low, high = float(parameter.low), float(parameter.high)
    if not parameter.log:
        room = ROOM * (high - low)
        found = linear_axis(title, (low - room, high + room), lambda x: f"{x:,g}", 6)
        inside = {x: text for x, text in found.ticks.items() if low <= x <= high}
        if parameter.integer:
            inside = {x: text for x, text in inside.items() if x.is_integer()}
        return replace(found, ticks=inside)
    factor = (high / low) ** ROOM
    ticks = {each: f"{each:,g}" for each in log_ticks(low, high)}
    return Axis(title, low / factor, high * factor, ticks, is_log=True)


def theta_row(theta: Mapping[Any, Any], experiment: Experiment) -> Row:
    """Return θ's values as texts: ``p0`` for the space's first parameter, and so on."""
    return {f"p{k}": each.text(theta.get(each.name), 4) for k, each in enumerate(experiment.space)}


def theta_titles(experiment: Experiment) -> dict[str, str]:
    """Return the names that a tooltip shows for the fields of :func:`theta_row`."""
    return {f"p{k}": short(each.label) for k, each in enumerate(experiment.space)}


def field_values(rows: Sequence[Row], *names: str) -> list[float]:
    """Return the values of the named fields of all rows; missing fields are skipped."""
    return [row[name] for row in rows for name in names if name in row]


def clipped(goal: Goal, values: Iterable[float]) -> list[float]:
    """Clip values to a goal's limits; an interval of a few games may reach beyond them."""
    found: list[float] = np.clip([*values], *goal.limits).tolist()
    return found
