"""The chart of slices: the model's mean along each parameter through a point of the front."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from thetafront.study.estimate import Z95
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.space import CategoricalParameter, Dimension, is_absent
from thetafront.study.page.charts.axes import (
    DIGITS_OF_TICK,
    ROOM,
    Row,
    cost_ticks,
    goal_axis,
    goal_domain,
    in_columns,
    log_marks,
    looked_up,
    named,
    rounded,
    short,
    told_apart,
)
from thetafront.study.page.charts.palette import BLUE, GREEN, ORANGE
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis
from thetafront.study.samplers.fitted_model import FittedModel

KEY, TITLE = "slices", "Slices of the model"
PARAM = "slice"
N_POINTS, N_STEPS = 5, 25
HEIGHT, WIDTH = 96, 150
GAP, OF_AXIS = 12, 62  # between the columns, and for the axis of each
FEW_VALUES = 12  # of a parameter on a grid, up to which each is a dot
LARGE = 1e4  # from which values are written with prefixes
LONGEST_CHOICE = 12  # in characters


@dataclass(frozen=True)
class Slice:
    """What a model expects along one parameter, the others as at a point of the front.

    Attributes
    ----------
    values : list
        Of the parameter, in order.
    goal, cost : list of (float, float, float)
        Mean (of the cost, the median) and ends of the 95% band, in the units of both.
    """

    values: list[Any]
    goal: list[tuple[float, float, float]]
    cost: list[tuple[float, float, float]]


def steps_of(parameter: Dimension, here: Any) -> list[Any]:
    """Return values of a parameter over its range, and the one that is here, in order."""
    if isinstance(parameter, CategoricalParameter):
        return [*parameter.choices]
    found = {parameter.from_unit(float(u)) for u in np.linspace(0.0, 1.0, N_STEPS)}
    return sorted(found if is_absent(here) else found | {parameter.clip(here)})


def slice_at(
    model: FittedModel, experiment: Experiment, theta: Mapping[Any, Any], parameter: Dimension
) -> Slice:
    """Ask the model along one parameter through θ, where that is feasible.

    A parameter that becomes active is in the middle.
    """
    space = experiment.space
    values = steps_of(parameter, theta.get(parameter.name))
    changed = [space.active({**theta, parameter.name: value}) for value in values]
    allowed = [k for k, each in enumerate(changed) if not space.broken_by(each)]
    values = [values[k] for k in allowed]
    points = model.cube.encode([changed[k] for k in allowed])
    belief = model.posterior.goal(points)
    band = np.stack([belief.mean, belief.low95, belief.high95], axis=-1)
    mean, variance = model.posterior.processes[1].predict(points)
    spread = Z95 * np.sqrt(variance)
    costs = 10.0 ** -np.stack([mean, mean + spread, mean - spread], axis=-1)
    return Slice(values, [tuple(row) for row in band.tolist()], [tuple(r) for r in costs.tolist()])


def chosen_points(data: Analysis, model: FittedModel) -> list[tuple[str, dict[str, Any]]]:
    """Return up to five points of the front from cheap to dear, with what they are called.

    Validated points; before there are any, points of the front that the model predicts.
    """
    experiment, front = data.data.experiment, data.tables["front"]
    cost = experiment.cost
    rows = front[front["on_front"].astype(bool)].to_dict("records") if len(front) else []
    if rows:
        found = [
            (
                f"{row['number']}: {cost.text(row[f'combined_{cost.name}'])}",
                experiment.space.present(row),
            )
            for row in rows
        ]
    else:
        points = model.predicted_front.points
        costs = model.posterior.cost(points)
        found = [
            (f"predicted: {cost.text(each)}", model.cube.decode(point))
            for each, point in zip(costs.tolist(), points, strict=True)
        ]
    chosen = np.unique(np.linspace(0, len(found) - 1, N_POINTS).round().astype(int))
    return [found[k] for k in chosen]


def slices_figure(data: Analysis) -> Figure:
    """Return slices of the model given all games, a row a parameter: the goal, and the cost."""
    experiment, model = data.data.experiment, data.combined
    if model is None:
        text = "No game is finished yet: there is no model."
        return Figure(KEY, TITLE, text, None, pd.DataFrame())
    goal, cost = experiment.goal, experiment.cost
    with threadpool_limits(1):
        points = chosen_points(data, model)
        slices = [
            [slice_at(model, experiment, theta, parameter) for parameter in experiment.space]
            for _, theta in points
        ]
    text = (
        f"A row is a parameter: the model's mean of the {goal.label} and of the {cost.label}, "
        "given all games, if it alone is changed from a point of the front (the diamond), with 95% "
        f"bands. Of {len(model.observations.points):,} trials and validated points; a band where "
        "nothing was played is wide."
    )
    return Figure(
        KEY, TITLE, text, chart_of(points, slices, experiment), table_of(points, slices, experiment)
    )


def chart_of(
    points: Sequence[tuple[str, Mapping[Any, Any]]],
    slices: Sequence[Sequence[Slice]],
    experiment: Experiment,
) -> alt.VConcatChart:
    """Return two small charts a parameter, and a choice among the points."""
    every = [each for of_point in slices for each in of_point]
    goals = [row for each in every for row in each.goal]
    costs = [row for each in every for row in each.cost]
    goal_ends = goal_domain(
        experiment.goal, [row[0] for row in goals], [end for row in goals for end in row[1:]]
    )
    middles = [row[0] for row in costs]
    cost_ends = min(middles) / 1.3, max(middles) * 1.3
    choice = alt.param(
        name=PARAM,
        value=len(points) // 2,
        bind=alt.binding_select(
            options=[*range(len(points))],
            labels=[label for label, _ in points],
            name="through point of the front ",
        ),
    )
    datasets: dict[str, list[Row]] = {}
    rows = [
        alt.hconcat(
            *panels(
                parameter,
                named(
                    datasets,
                    f"along_{k}",
                    rows_along(
                        parameter,
                        [
                            (theta.get(parameter.name), of_point[k])
                            for (_, theta), of_point in zip(points, slices, strict=True)
                        ],
                    ),
                ),
                experiment,
                goal_ends,
                cost_ends,
            ),
            spacing=GAP,
        )
        for k, parameter in enumerate(experiment.space)
    ]
    # Given at once: each method of a chart of many panels copies all of it.
    return alt.vconcat(
        *rows,
        spacing=8,
        params=[choice.param],
        background="transparent",
        description=TITLE,
        datasets=datasets,
        usermeta=in_columns(2, beside=2 * OF_AXIS + GAP),
    )


def rows_along(parameter: Dimension, found: Sequence[tuple[Any, Slice]]) -> list[Row]:
    """Return rows of slices along a parameter, through each point; ``o`` marks the point itself."""
    rows: list[Row] = []
    for k, (here, each) in enumerate(found):
        for value, ours, theirs in zip(each.values, each.goal, each.cost, strict=True):
            row = {
                "s": k,
                "x": parameter.choices.index(value)
                if isinstance(parameter, CategoricalParameter)
                else value,
                **dict(zip("abc", ours, strict=True)),
                **dict(zip("def", theirs, strict=True)),
            }
            row = {key: rounded(cell, 4) for key, cell in row.items()}
            rows.append(row | ({"o": 1} if value == here else {}))
    return rows


def panels(
    parameter: Dimension,
    data: alt.NamedData,
    experiment: Experiment,
    goal_ends: tuple[float, float],
    cost_ends: tuple[float, float],
) -> list[alt.LayerChart]:
    """Return a parameter's two charts."""
    goal, cost = experiment.goal, experiment.cost
    x = x_of(parameter, short(parameter.label))
    goal_y = alt.Y(
        "a:Q",
        axis=goal_axis(goal, short(goal.label, 22), tickCount=4, titleLimit=HEIGHT + 20),
        scale=alt.Scale(domain=[rounded(each) for each in goal_ends], nice=False, zero=False),
    )
    options: dict[str, Any] = {"values": marks} if (marks := log_marks(*cost_ends)) else {}
    cost_y = alt.Y(
        "d:Q",
        axis=alt.Axis(
            title=short(cost.label, 22),
            titleLimit=HEIGHT + 20,
            labelExpr=cost_ticks(cost),
            labelOverlap="greedy",
            **options,
        ),
        scale=alt.Scale(type="log", domain=[rounded(each) for each in cost_ends], nice=False),
    )
    said = told_apart(
        [
            alt.Tooltip("v:N", title=short(parameter.label)),
            alt.Tooltip("a:Q", title=short(goal.label), format=",.5~g"),
            alt.Tooltip("b:Q", title="from", format=",.5~g"),
            alt.Tooltip("c:Q", title="to", format=",.5~g"),
            alt.Tooltip("d:Q", title=short(cost.label), format=".4~s"),
        ]
    )
    on_grid = is_on_grid(parameter)
    charts = []
    for y, low, high, colour in ((goal_y, "b", "c", BLUE), (cost_y, "e", "f", GREEN)):
        base = (
            alt.Chart(data)
            .transform_filter(f"datum.s == {PARAM}")
            .transform_calculate(v=texts_of(parameter))
        )
        band = (
            base.mark_rule(strokeWidth=5, opacity=0.3, color=colour, clip=True)
            if on_grid
            else base.mark_area(opacity=0.2, color=colour, clip=True)
        ).encode(x=x, y=alt.Y(f"{low}:Q"), y2=f"{high}:Q")
        layers = [band]
        if not isinstance(parameter, CategoricalParameter):
            layers.append(base.mark_line(color=colour, strokeWidth=1.8, clip=True).encode(x=x, y=y))
        layers.append(
            base.mark_circle(color=colour, size=34, opacity=1 if on_grid else 0, clip=True).encode(
                x=x, y=y, tooltip=said
            )
        )
        here = base.transform_filter("datum.o == 1")
        layers.append(
            here.mark_point(
                shape="diamond", filled=True, size=90, color=ORANGE, opacity=1, clip=True
            ).encode(x=x, y=y, tooltip=said)
        )
        charts.append(alt.LayerChart(layer=layers, width=WIDTH, height=HEIGHT))
    return charts


def is_on_grid(parameter: Dimension) -> bool:
    """Tell whether a parameter has so few values that each is drawn alone."""
    if isinstance(parameter, CategoricalParameter):
        return True
    n_values = (parameter.high - parameter.low) / parameter.grid + 1 if parameter.grid else np.inf
    return bool(n_values <= FEW_VALUES)


def texts_of(parameter: Dimension) -> str:
    """Return a Vega expression that writes a row's value of the parameter."""
    if isinstance(parameter, CategoricalParameter):
        choices = {
            float(k): short(parameter.text(each), 60) for k, each in enumerate(parameter.choices)
        }
        return looked_up(choices).replace("datum.value", "datum.x")
    return "datum.x"


def x_of(parameter: Dimension, title: str) -> alt.X:
    """Return the axis of a parameter: its choices side by side, or its scale."""
    if isinstance(parameter, CategoricalParameter):
        names = {
            float(k): short(parameter.text(each), LONGEST_CHOICE)
            for k, each in enumerate(parameter.choices)
        }
        return alt.X(
            "x:Q",
            axis=alt.Axis(
                title=title, values=[*names], labelExpr=looked_up(names), labelOverlap="greedy"
            ),
            scale=alt.Scale(domain=[-0.5, len(names) - 0.5], nice=False, zero=False),
        )
    low, high = float(parameter.low), float(parameter.high)
    options: dict[str, Any] = {"title": title, "labelOverlap": "greedy"}
    if parameter.log:
        if marks := log_marks(low, high):
            options["values"] = marks
        factor = (high / low) ** ROOM
        low, high = low / factor, high * factor
    else:
        low, high = low - ROOM * (high - low), high + ROOM * (high - low)
    return alt.X(
        "x:Q",
        axis=alt.Axis(
            format="~s" if high >= LARGE else f".{DIGITS_OF_TICK}~g", tickCount=5, **options
        ),
        scale=alt.Scale(
            type="log" if parameter.log else "linear",
            domain=[rounded(low), rounded(high)],
            nice=False,
        ),
    )


def table_of(
    points: Sequence[tuple[str, Mapping[Any, Any]]],
    slices: Sequence[Sequence[Slice]],
    experiment: Experiment,
) -> pd.DataFrame:
    """Return, through the middle point, both ends and the best value of each parameter."""
    goal, cost = experiment.goal, experiment.cost
    k = len(points) // 2
    rows = []
    for parameter, each in zip(experiment.space, slices[k], strict=True):
        best = int(np.argmax(goal.sign * np.array([mean for mean, _, _ in each.goal])))
        for what, i in (
            ("lowest", 0),
            ("best of the mean", best),
            ("highest", len(each.values) - 1),
        ):
            rows.append(
                {
                    "through point": points[k][0],
                    "parameter": parameter.label,
                    "at its": what,
                    "value": parameter.text(rounded(each.values[i], 4)),
                    f"{goal.label}, 95% band": goal.format.interval_with_unit(*each.goal[i]),
                    f"{cost.label}, 95% band": cost.interval(*each.cost[i]),
                }
            )
    return pd.DataFrame(rows)
