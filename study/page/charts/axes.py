"""Axes of goals and costs in charts, and numbers as charts embed them."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives import Cost, Goal
from thetafront.study.experiments.space import is_absent

DIGITS, DIGITS_OF_TICK = 5, 6
MARKS_A_DECADE = ((1, 2, 3, 5, 7), (1, 2, 5), (1,))
WIDE_AXIS, WIDEST_AXIS, NARROW_AXIS = 30.0, 3000.0, 2.0  # ratios of an axis's ends
KEPT_BY_VEGA = ("title", "image")  # keys of its tooltips with a meaning of their own
LONGEST_LABEL = 28  # in characters, of a parameter or a choice
ROOM = 0.03  # of an axis's range, beyond each end
HEADROOM = 1.25  # of the range of points and bands, within which an axis ends
Row = dict[str, Any]


def short(text: str, longest: int = LONGEST_LABEL) -> str:
    """Cut a label that would not fit."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def rounded(value: Any, digits: int = DIGITS) -> Any:
    """Round a number to significant digits; texts stay, and what is no number becomes None."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if value is None or not math.isfinite(value):
        return None
    if float(value).is_integer() and abs(value) < 10.0**DIGITS:
        return int(value)
    return float(f"{value:.{digits}g}")


def rows_of(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Return rows as a chart's data, rounded; what is None is left out."""
    compact = [{key: rounded(value) for key, value in row.items()} for row in rows]
    return alt.InlineData(
        values=[{key: each for key, each in row.items() if each is not None} for row in compact]
    )


def in_columns(n: int, beside: int) -> dict[str, Any]:
    """Tell a page how wide the panels of a chart may be, which cannot fill a container by itself.

    There are ``n`` side by side, of one width, and ``beside`` pixels around them; the page's script
    reads it as ``usermeta.panels``.
    """
    return {"panels": {"columns": n, "beside": beside}}


def named(
    datasets: dict[str, list[Row]], name: str, rows: Iterable[Mapping[str, Any]]
) -> alt.NamedData:
    """Put rows among a chart's datasets under a name: Altair copies a panel often, these once."""
    datasets[name] = rows_of(rows).values
    return alt.NamedData(name=name)


def looked_up(texts: Mapping[float, str]) -> str:
    """Return a Vega expression that writes an axis's values as given texts, whatever is in them."""
    values, labels = json.dumps([*texts]), json.dumps([*texts.values()])
    return f"{labels}[indexof({values}, datum.value)]"


def goal_title(goal: Goal) -> str:
    """Return the title of a goal's axis."""
    return goal.axis_label if goal.sign > 0 else f"{goal.axis_label} (less is better)"


def goal_ticks(goal: Goal) -> str:
    """Return how Vega writes the values of a goal at an axis; empty where it is to decide."""
    tick = goal.format.tick
    return f"{tick[:-1]}.{DIGITS_OF_TICK}~g" if tick.endswith("g") else tick


def goal_axis(goal: Goal, title: str | None = None, **options: Any) -> alt.Axis:
    """Return a goal's axis."""
    title = goal_title(goal) if title is None else title
    if ticks := goal_ticks(goal):
        options["format"] = ticks
    return alt.Axis(title=title, **options)


def goal_domain(goal: Goal, sure: Sequence[float], wide: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a goal's axis.

    Parameters
    ----------
    goal : Goal
        A share's axis is its whole range; others begin at a lower bound.
    sure : sequence of float
        Values that must be seen.
    wide : sequence of float
        Ends of intervals, which are cut where they are far longer than all else.
    """
    if goal.is_share:
        return -ROOM, 1.0 + ROOM
    low, _ = goal.limits
    seen = np.array([each for each in sure if math.isfinite(each)])
    ends = np.array([each for each in wide if math.isfinite(each)] + [*seen])
    least, most = float(seen.min()), float(seen.max())
    base = least if low is None else low
    span = (most - base) or abs(most) or 1.0
    top = min(float(ends.max()), base + HEADROOM * span)
    bottom = base if low is not None else max(float(ends.min()), most - HEADROOM * span)
    room = ROOM * ((top - bottom) or span)
    return (bottom - room if low is None else bottom), max(top, most) + room


def within_limits(goal: Goal, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Clip values to a goal's limits, which tables of earlier versions may go beyond."""
    low, high = goal.limits
    return np.clip(values, -math.inf if low is None else low, math.inf if high is None else high)


def cost_ticks(cost: Cost) -> str:
    """Return a Vega expression that writes the values of a cost at an axis, times with units."""
    if cost.is_timed:
        return "format(datum.value, '~s') + 's'"
    return "format(datum.value, '~s')" if cost.is_whole else "format(datum.value, '~g')"


def log_marks(low: float, high: float) -> list[float]:
    """Return round numbers from low to high for a logarithmic axis; empty if it is short."""
    if high < NARROW_AXIS * low:
        return []
    crowding = int(high >= WIDE_AXIS * low) + int(high >= WIDEST_AXIS * low)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [float(f"{m}e{power}") for power in powers for m in MARKS_A_DECADE[crowding]]
    return [each for each in found if low <= each <= high]


def cost_axis(cost: Cost, low: float, high: float, **options: Any) -> dict[str, Any]:
    """Return axis and scale of a cost from low to high: logarithmic, as an encoding takes them."""
    widened = (low / (high / low) ** ROOM, high * (high / low) ** ROOM)
    if low == high:
        widened = low / NARROW_AXIS, high * NARROW_AXIS
    if marks := log_marks(*widened):
        options["values"] = marks
    options = {"title": cost.axis_label, "labelOverlap": "greedy", **options}
    return {
        "axis": alt.Axis(labelExpr=cost_ticks(cost), **options),
        "scale": alt.Scale(type="log", domain=[rounded(each) for each in widened], nice=False),
    }


def theta_row(theta: Mapping[Any, Any], experiment: Experiment) -> Row:
    """Return θ under short names, ``p0`` and so on; four digits of a number."""
    return {
        f"p{k}": rounded(theta[each.name], 4)
        for k, each in enumerate(experiment.space)
        if not is_absent(theta.get(each.name))
    }


def theta_tooltips(experiment: Experiment) -> list[alt.Tooltip]:
    """Return what a tooltip says of θ: all parameters."""
    return [
        alt.Tooltip(f"p{k}:N", title=short(each.label)) for k, each in enumerate(experiment.space)
    ]


def told_apart(tooltips: Iterable[alt.Tooltip]) -> list[alt.Tooltip]:
    """Give each line of a tooltip a title of its own: of equal ones, Vega shows the last alone.

    And none is ``title`` or ``image``, which Vega shows as a heading or a picture.
    """
    found: list[alt.Tooltip] = []
    used = {*KEPT_BY_VEGA}
    for each in tooltips:
        given = title = str(each["title"])
        n = 1
        while title in used:
            n += 1
            title = f"{given} ({n})"
        used.add(title)
        new = each.copy(deep=False)
        new["title"] = title
        found.append(new)
    return found
