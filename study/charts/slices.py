"""The chart of slices: the model's mean along each parameter through a point on the front."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from thetafront.study.charts.axes import (
    axis_span,
    cost_axis,
    field_values,
    goal_axis,
    parameter_axis,
    thinned,
)
from thetafront.study.charts.chart import (
    BLUE,
    GREEN,
    LINE,
    ORANGE,
    Chart,
    Choice,
    Kind,
    Layer,
    Panel,
    Row,
    short,
)
from thetafront.study.estimate import Z95
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import CategoricalParameter, Dimension, is_absent
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import model_note
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.predicted_front import spread

KEY, TITLE = "slices", "Slices of the model"
N_POINTS, N_STEPS = 5, 25
HEIGHT = 116
N_TICKS = 4  # of a cost
FEW_VALUES = 12  # if a parameter has at most this many values, each value is drawn as a dot
MAX_TITLE = 18  # characters of an objective's name
# Fields of a row: mean and ends of the band. Names are short because a page has thousands of rows.
GOAL_FIELDS, COST_FIELDS = ("g0", "g1", "g2"), ("c0", "c1", "c2")

GOAL, COST = Kind("the goal", BLUE, LINE), Kind("the cost", GREEN, LINE)
HERE = Kind("the point itself", ORANGE, "diamond")


def parameter_steps(parameter: Dimension, here: Any) -> list[Any]:
    """Return values over a parameter's range, and its value ``here``, in order."""
    if isinstance(parameter, CategoricalParameter):
        return [*parameter.choices]
    found = {parameter.from_unit(float(u)) for u in np.linspace(0.0, 1.0, N_STEPS)}
    return sorted(found if is_absent(here) else found | {parameter.clip(here)})


def slice_at(
    model: FittedModel, experiment: Experiment, theta: Mapping[Any, Any], parameter: Dimension
) -> list[Row]:
    """Evaluate the model along one parameter through θ, where the space's constraints allow it.

    Each row has a value of the parameter, the goal's mean with its 95% band, and the cost's median
    with its 95% band; each of the three is there as text, too. The row with θ's own value also has
    ``here``. If another parameter becomes active, it is set to the middle of its range.
    """
    goal, cost, space = experiment.goal, experiment.cost, experiment.space
    steps = parameter_steps(parameter, theta.get(parameter.name))
    changed = {value: space.active({**theta, parameter.name: value}) for value in steps}
    allowed = {value: each for value, each in changed.items() if not space.broken_by(each)}
    points = model.cube.encode([*allowed.values()])
    belief = model.posterior.goal(points)
    band = np.stack([belief.mean, belief.low95, belief.high95], axis=-1)
    mean, deviation = (each[:, 1] for each in model.posterior.predict(points))
    costs = 10.0 ** -(mean[:, None] + Z95 * deviation[:, None] * np.array([0.0, 1.0, -1.0]))
    rows = []
    for value, of_goal, of_cost in zip(allowed, band.tolist(), costs.tolist(), strict=True):
        is_choice = isinstance(parameter, CategoricalParameter)
        row = {
            "x": parameter.choices.index(value) if is_choice else value,  # type: ignore[union-attr]
            **dict(zip(GOAL_FIELDS, of_goal, strict=True)),
            **dict(zip(COST_FIELDS, of_cost, strict=True)),
            "v": short(parameter.text(value, 3), 60),
            "g": goal.format.interval(*of_goal),
            "c": cost.interval(*of_cost),
        }
        is_here = value == theta.get(parameter.name)
        rows.append(row | ({"here": 1} if is_here else {}))
    return rows


def chosen_points(analysis: Analysis, model: FittedModel) -> list[tuple[str, dict[str, Any]]]:
    """Return up to five points on the front with their names, the cheapest first.

    They are validated points or, before there are any, points on the front that the model predicts.
    """
    experiment = analysis.data.experiment
    space, cost = experiment.space, experiment.cost
    found = [
        (f"point {row['number']} ({cost.text(row[f'combined_{cost.name}'])})", space.present(row))
        for row in analysis.tables["front"].to_dict("records")
        if row["on_front"]
    ]
    if not found:
        points = model.predicted_front.points
        costs = model.posterior.cost(points).tolist()
        found = [
            (f"predicted point ({cost.text(each)})", model.cube.decode(point))
            for each, point in zip(costs, points, strict=True)
        ]
    return [found[k] for k in spread(len(found), N_POINTS)]


def slices_chart(analysis: Analysis) -> Chart:
    """Return the chart of slices of the model given all games.

    Each parameter has a row with two panels: one for the goal, and one for the cost.
    """
    experiment, model = analysis.data.experiment, analysis.combined
    if model is None:
        return Chart(KEY, TITLE, "No game is finished yet, so there is no model.")
    goal, cost, space = experiment.goal, experiment.cost, experiment.space
    points = chosen_points(analysis, model)
    rows = {
        parameter.name: [
            {"s": k, **row}
            for k, (_, theta) in enumerate(points)
            for row in slice_at(model, experiment, theta, parameter)
        ]
        for parameter in space
    }
    every = [row for each in rows.values() for row in each]
    ends = axis_span(field_values(every, GOAL_FIELDS[0]), field_values(every, *GOAL_FIELDS[1:]))
    unit = goal.format.unit
    goal_y = goal_axis(goal, ends, short(f"{goal.label}{unit and f', {unit}'}", MAX_TITLE), n=4)
    cost_y = cost_axis(cost, field_values(every, COST_FIELDS[0]))
    few = {each: cost_y.ticks[each] for each in thinned([*cost_y.ticks], N_TICKS)}
    cost_y = replace(cost_y, title=short(cost.label, MAX_TITLE), ticks=few)
    panels = []
    for parameter in space:
        x = parameter_axis(parameter, short(parameter.label))
        mine = rows[parameter.name]
        said = {"v": short(parameter.label), "g": short(goal.label), "c": short(cost.label)}
        panels.append(
            [
                Panel(x, y, make_layers(parameter, mine, fields, kind, said), HEIGHT)
                for y, fields, kind in ((goal_y, GOAL_FIELDS, GOAL), (cost_y, COST_FIELDS, COST))
            ]
        )
    text = (
        f"Each row shows how {goal.label} and {cost.label} depend on one parameter when it alone "
        f"changes from a point on the front (the diamond). Lines are the model's mean, "
        f"with 95% bands, given all games from {model_note(model)}; bands are wide where "
        f"nothing was played. The parameter table refers to the slices through "
        f"{points[len(points) // 2][0]}, where a ? means that the bands are too wide "
        f"to tell whether the parameter has an effect."
    )
    choice = Choice("through", [name for name, _ in points], len(points) // 2)
    table = make_table(choice, rows, experiment)
    return Chart(KEY, TITLE, text, table, panels, experiment.title, choice)


def make_layers(
    parameter: Dimension,
    rows: list[Row],
    fields: tuple[str, str, str],
    kind: Kind,
    said: Mapping[str, str],
) -> list[Layer]:
    """Return one objective's band and line along a parameter, and the point itself."""
    mean, low, high = fields
    is_choice, is_grid = isinstance(parameter, CategoricalParameter), is_on_grid(parameter)
    here = [row for row in rows if "here" in row]
    return [
        Layer("rule", kind, rows, y=low, y2=high, size=5.0, opacity=0.3)
        if is_grid
        else Layer("area", kind, rows, y=low, y2=high, opacity=0.2),
        *([] if is_choice else [Layer("line", kind, rows, y=mean, size=1.8)]),
        Layer("point", kind, rows, y=mean, tooltip=said, size=34, opacity=float(is_grid)),
        Layer("point", HERE, here, y=mean, tooltip=said, size=90),
    ]


def is_on_grid(parameter: Dimension) -> bool:
    """Return whether a parameter has so few values that each is drawn separately."""
    if isinstance(parameter, CategoricalParameter):
        return True
    n_values = (parameter.high - parameter.low) / parameter.grid + 1 if parameter.grid else np.inf
    return bool(n_values <= FEW_VALUES)


def make_table(
    choice: Choice, rows: Mapping[str, Sequence[Row]], experiment: Experiment
) -> pd.DataFrame:
    """Return the table of parameters: their meanings, ranges, and effects along the middle slice.

    This is the slice that the chart shows first.
    """
    goal, cost, lines = experiment.goal, experiment.cost, []
    given, is_described = experiment.baselines, any(p.description for p in experiment.space)
    for each in experiment.space:
        mine = [row for row in rows[each.name] if row["s"] == choice.start]
        is_choice = isinstance(each, CategoricalParameter)
        values = map(each.text, each.choices) if is_choice else ()  # type: ignore[union-attr]
        span = ", ".join(values) or f"{each.low:,g} to {each.high:,g}"  # type: ignore[union-attr]
        line = {"symbol": short(each.label), "meaning": each.description, "range": span}
        line = {key: text for key, text in line.items() if key != "meaning" or is_described}
        if given:
            shown = [each.text(theta.get(each.name), 4) for theta in given.values()]
            line["baseline" if len(given) == 1 else "baselines"] = ", ".join(shown)
        line[f"{goal.label}, as the parameter grows"] = effect(
            mine, GOAL_FIELDS, is_choice, lambda high, low: goal.size_text(high - low)
        )
        line[f"{cost.label}, as the parameter grows"] = effect(
            mine, COST_FIELDS, is_choice, lambda high, low: f"×{high / low:.3g}"
        )
        lines.append(line)
    return pd.DataFrame(lines)


def effect(
    rows: Sequence[Row],
    fields: tuple[str, str, str],
    is_choice: bool,
    write: Callable[[float, float], str],
) -> str:
    """Say how an objective changes along a slice, and how much.

    A ? stands for a change that is too small compared with the bands.
    """
    mean, low, high = fields
    top, bottom = (end(rows, key=lambda row: row[mean]) for end in (max, min))
    if top[mean] - bottom[mean] <= math.hypot(
        *((row[high] - row[low]) / 2 for row in (top, bottom))
    ):
        return "?"
    by = write(top[mean], bottom[mean])
    if not is_choice and (bottom, top) == (rows[0], rows[-1]):
        return f"↑ {by}"
    if not is_choice and (bottom, top) == (rows[-1], rows[0]):
        return f"↓ {by}"
    return f"{by} from lowest (at {bottom['v']}) to highest (at {top['v']})"
