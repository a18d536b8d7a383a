"""The chart of two parameters: lines of equal goal and of equal cost."""

from collections.abc import Callable, Sequence
from itertools import compress, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from contourpy import contour_generator

from thetafront.study.arrays import Floats
from thetafront.study.charts.axes import cost_tick, log_ticks, parameter_axis, round_values, thinned
from thetafront.study.charts.chart import (
    BLUE,
    GREEN,
    GREY,
    LINE,
    ORANGE,
    Axis,
    Chart,
    Kind,
    Layer,
    Panel,
    Row,
    short,
)
from thetafront.study.charts.labels import Box, centred_text, point_box
from thetafront.study.charts.slices import HERE, chosen_points, parameter_steps
from thetafront.study.experiments.dimension import NumericParameter, is_absent
from thetafront.study.report.analysis import Analysis

KEY, TITLE = "pair", "Two parameters together"
N_LEVELS = (4, 3)  # maximum numbers of contour levels: of the goal, and of the cost
# Places of a label to try, as shares of its line's length.
LABEL_AT = (0.35, 0.45, 0.25, 0.55, 0.65, 0.15)
# Distances of a label's middle above its line to try, in typographic points.
LABEL_ABOVE = (7.0, -7.0)
N_CELLS = 5  # in each row and each column of the table
FRONT, LABELS = Kind("points on the front", ORANGE, is_hollow=True), Kind("", GREY)


def pair_chart(analysis: Analysis) -> Chart:
    """Return the chart of goal and cost over two parameters, by the model given all games.

    It shows two of the numeric parameters that are active at the middle point on the front: those
    with the largest total Sobol indices, summed over both objectives.
    """
    experiment, model = analysis.data.experiment, analysis.combined
    importance = analysis.importance
    if model is None or importance is None:
        return Chart(KEY, TITLE, "No game is finished yet, so there is no model.")
    goal, cost, space = experiment.goal, experiment.cost, experiment.space
    points = chosen_points(analysis, model)
    name, theta = points[len(points) // 2]
    active = [
        each
        for each in (list(space)[k] for k in np.argsort(-importance.total.sum(axis=0)))
        if isinstance(each, NumericParameter) and not is_absent(theta.get(each.name))
    ]
    if len(active) < 2:
        return Chart(
            KEY,
            TITLE,
            "There is no pair to draw, because fewer than two numeric parameters are active at "
            "the middle point on the front.",
        )
    pair = first, second = active[0], active[1]
    x, y = (parameter_steps(each, theta[each.name]) for each in pair)
    thetas = [space.active({**theta, first.name: a, second.name: b}) for b, a in product(y, x)]
    allowed = np.array([not space.broken_by(each) for each in thetas])
    values = np.full((2, len(thetas)), np.nan)
    codes = model.cube.encode([*compress(thetas, allowed)])
    values[:, allowed] = model.posterior.goal(codes).mean, model.posterior.cost(codes)
    goals, costs = values.reshape(2, len(y), len(x))
    front = [
        {"x": row[first.name], "y": row[second.name], "who": f"number {row['number']}"}
        for row in analysis.tables["front"].to_dict("records")
        if row["on_front"] and not any(is_absent(row[each.name]) for each in pair)
    ]
    across, up = (parameter_axis(each, short(each.label)) for each in pair)
    of_goal = f"{short(goal.label)}, {goal.format.unit}" if goal.format.unit else short(goal.label)
    axes = across, up
    here: list[Row] = [{"x": theta[first.name], "y": theta[second.name]}]
    taken = [point_box(each, *axes) for each in (*front, *here)]
    layers = [
        *contour_lines(of_goal, (x, y, goals), round_values, goal.format.at_axis, 0, axes, taken),
        *contour_lines(
            short(cost.axis_label),
            (x, y, costs),
            log_ticks,
            lambda each: cost_tick(cost, each),
            1,
            axes,
            taken,
        ),
        Layer("point", FRONT, front, tooltip={"who": "point"}, size=50),
        Layer("point", HERE, here, size=90),
    ]
    text = (
        f"The two most important numeric parameters. Thick lines connect θ with equal "
        f"{goal.label}, and thin lines θ with equal {cost.label}, by the model's mean given all "
        f"games. These θ differ from {name}, the diamond, only in {first.label} and "
        f"{second.label}, whereas points on the front, the circles, may also differ in other "
        f"parameters. The slices chart shows how certain the model is."
    )
    rows, columns = (
        np.unique(np.linspace(0, len(each) - 1, N_CELLS).astype(int)) for each in (y, x)
    )
    written = {
        f"{first.label} {first.text(x[j], 3)}": [
            "-"
            if np.isnan(goals[k, j])
            else f"{goal.format.text(goals[k, j])}, {cost.text(costs[k, j])}"
            for k in rows
        ]
        for j in columns
    }
    table = pd.DataFrame({second.label: [second.text(y[k], 3) for k in rows], **written})
    return Chart(KEY, TITLE, text, table, [[Panel(across, up, layers)]], experiment.title)


def contour_lines(
    label: str,
    values: tuple[npt.ArrayLike, npt.ArrayLike, Floats],
    ticks: Callable[[float, float], Sequence[float]],
    write: Callable[[float], str],
    which: int,
    axes: tuple[Axis, Axis],
    taken: list[Box],
) -> list[Layer]:
    """Return lines of equal value on a grid, at round values between its minimum and maximum.

    ``label`` names what is equal, with the unit of the values that are written at the lines.

    Each label takes the first place along its line where it covers no point and no other label.
    ``taken`` has the boxes of points and of earlier labels; those of the new ones are appended.
    """
    x, y, z = values
    found, low, high = contour_generator(x, y, np.ma.masked_invalid(z)), np.nanmin(z), np.nanmax(z)
    kind = Kind(f"equal {label}", (BLUE, GREEN)[which], LINE)
    segments, labels = list[Row](), list[Row]()
    for level in thinned(ticks(float(low), float(high)), N_LEVELS[which]) if low < high else ():
        parts: Any = found.lines(level)
        for part in parts:
            ends = zip(part[:-1].tolist(), part[1:].tolist(), strict=True)
            segments += [{"x": a, "y": b, "x2": c, "y2": d} for (a, b), (c, d) in ends]
        if parts:
            longest = max(parts, key=len)
            text = write(level)
            ats = [longest[int(each * len(longest))].tolist() for each in LABEL_AT]
            places = [
                (centred_text(text, at, axes, dy), *at, dy) for dy in LABEL_ABOVE for at in ats
            ]
            box, across, up, dy = min(places, key=lambda each: sum(map(each[0].overlap, taken)))
            taken.append(box)
            labels.append({"x": across, "y": up, "label": text, "dx": 0, "dy": dy})
    return [
        Layer("rule", kind, segments, x2="x2", y2="y2", size=(2.4, 1.2)[which]),
        Layer("text", LABELS, labels),
    ]
