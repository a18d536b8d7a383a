"""The chart of importance: which parameters the model's mean depends on, by total Sobol indices.

Notation
--------
======  ============================================================================================
u       parameters in [0, 1], one a parameter, uniform and independent; each stands for a value as
        :meth:`study.experiments.space.NumericParameter.from_unit` has it
f(u)    the model's mean there, of the goal on the scale of the model or of log₁₀ of the cost
STᵢ     total index: the share of the variance of f that is left on average when all but uᵢ are
        known. 0 means that parameter i does not matter; interactions make the sum exceed 1
======  ============================================================================================

Where a space has constraints, u is uniform on its feasible points, and uᵢ varies as far as it may
while the others are as they are. An inactive parameter changes nothing.

The indices are of the model's mean: that a model may be wrong is not in their intervals, which tell
the error of the integration alone.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import DegenerateDataWarning, sobol_indices, uniform
from threadpoolctl import threadpool_limits

from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.objectives import scales_of
from thetafront.study.page.charts.axes import Row, looked_up, rounded, rows_of, short
from thetafront.study.page.charts.palette import BLUE, GREY, ORANGE, SQUARE, Kind, encodings
from thetafront.study.page.section import Figure
from thetafront.study.report.analysis import Analysis
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.scale import Form

Floats = npt.NDArray[np.float64]
KEY, TITLE = "importance", "Which parameters matter"
N_SAMPLES, N_SAMPLES_OF_MANY = 1024, 512  # powers of two, as Sobol's sequence needs
MANY = 600  # observations, from which a prediction takes much longer
N_RESAMPLES = 99
MAX_DRAWS = 64  # for each feasible point
WORDS = {
    Form.LINEAR: "",
    Form.LOG: "the logarithm of ",
    Form.ROOT: "the square root of ",
    Form.ANGLE: "the angle of ",
}
HEIGHT_A_PARAMETER = 38  # for two bars


@dataclass(frozen=True)
class Importance:
    """Total indices of both objectives, with 95% intervals, each of shape (2, n_parameters).

    All are 0 where an objective's mean does not vary at all.
    """

    total: Floats
    low: Floats
    high: Floats


def coordinates(u: Floats, cube: UnitCube) -> Floats:
    """Map parameters in [0, 1], shape (n, n_parameters), to real points of the unit cube.

    A categorical parameter's interval is cut into equal parts, one a choice, in their order.
    """
    points = np.zeros((len(u), cube.n_coordinates))
    for k, (name, columns) in enumerate(cube.columns.items()):
        if name in cube.categorical:
            n = columns.stop - columns.start
            chosen = np.minimum((u[:, k] * n).astype(int), n - 1)
            points[np.arange(len(u)), columns.start + chosen] = 1.0
        else:
            points[:, columns.start] = u[:, k]
    return cube.snap(points)


def total_indices(
    mean: Callable[[Floats], Floats], cube: UnitCube, n: int = N_SAMPLES
) -> Importance:
    """Estimate total Sobol indices by Saltelli's scheme, with the same draws each time.

    Parameters
    ----------
    mean : function
        Of points of the unit cube, shape (m, n_coordinates), to both objectives, shape (m, 2).
    cube : UnitCube
        The space.
    n : int
        Of the design, a power of two; the function is evaluated n · (n_parameters + 2) times.
    """
    d = len(cube.widths)
    if len(cube.feasible_points):
        return constrained_indices(mean, cube, n)
    # Of a parameter that does not matter at all, or a constant, variances are 0.
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", DegenerateDataWarning)
        result = sobol_indices(
            func=lambda u: mean(coordinates(u.T, cube)).T,
            n=n,
            dists=cast(Any, [uniform()] * d),
            rng=np.random.default_rng(0),
        )
        interval = result.bootstrap(n_resamples=N_RESAMPLES).total_order.confidence_interval
    total, low, high = (
        np.asarray(each, np.float64).reshape(2, d)
        for each in (result.total_order, interval.low, interval.high)
    )
    return Importance(
        total, np.where(np.isnan(low), total, low), np.where(np.isnan(high), total, high)
    )


def constrained_indices(
    mean: Callable[[Floats], Floats], cube: UnitCube, n: int = N_SAMPLES
) -> Importance:
    """Estimate total indices over the feasible points of a space: Jansen's estimator on pairs.

    A pair differs in one parameter, which is drawn from its feasible values.
    """
    d, rng = len(cube.widths), np.random.default_rng(0)
    draws = rng.random((MAX_DRAWS, n, d))
    first = np.concatenate([u[cube.is_feasible(coordinates(u, cube))] for u in draws])[:n]
    values = mean(coordinates(first, cube))
    variance = np.where(np.var(values, axis=0) > 0.0, np.var(values, axis=0), np.inf)
    found = np.zeros((3, 2, d))
    for k in range(d):
        moved, waiting = first.copy(), np.arange(len(first))
        for _ in range(MAX_DRAWS):
            moved[waiting, k] = rng.random(len(waiting))
            waiting = waiting[~cube.is_feasible(coordinates(moved[waiting], cube))]
        moved[waiting, k] = first[waiting, k]  # it can hardly be another
        halves = 0.5 * (values - mean(coordinates(moved, cube))) ** 2 / variance
        again = rng.integers(len(first), size=(N_RESAMPLES, len(first)))
        found[0, :, k] = halves.mean(axis=0)
        found[1:, :, k] = np.quantile(halves[again].mean(axis=1), [0.025, 0.975], axis=0)
    return Importance(*found)


def importance_of(data: Analysis) -> Importance | None:
    """Return the indices of the model given all games; None without any game."""
    if (model := data.combined) is None:
        return None
    n = N_SAMPLES if len(model.observations.points) < MANY else N_SAMPLES_OF_MANY
    with threadpool_limits(1):
        return total_indices(model.posterior.mean, model.cube, n)


def scaled_labels(data: Analysis) -> tuple[str, str]:
    """Name goal and cost as the model takes them, which the indices are of."""
    experiment = data.data.experiment
    goal, cost = (WORDS[each.form] for each in scales_of(experiment))
    return f"{goal}{experiment.goal.label}", f"{cost}{experiment.cost.label}"


def importance_figure(data: Analysis, found: Importance | None = None) -> Figure:
    """Return total Sobol indices of the model's mean for both objectives.

    ``found`` are the indices of :func:`importance_of` where they are known already.
    """
    experiment, model = data.data.experiment, data.combined
    found = importance_of(data) if found is None else found
    if model is None or found is None:
        text = "No game is finished yet: there is no model."
        return Figure(KEY, TITLE, text, None, pd.DataFrame())
    n_known = len(model.observations.points)
    goal, cost = experiment.goal, experiment.cost
    kinds = [
        Kind(short(goal.label, 40), BLUE, SQUARE),
        Kind(f"{short(cost.label, 40)}, in decades", ORANGE, SQUARE),
    ]
    rows = [
        {
            "kind": kind.label,
            "p": k,
            "v": max(found.total[objective, k], 0.0),
            "l": max(found.low[objective, k], 0.0),
            "h": found.high[objective, k],
        }
        for objective, kind in enumerate(kinds)
        for k in range(len(experiment.space))
    ]
    table = pd.DataFrame(
        {
            "parameter": [each.label for each in experiment.space],
            **{
                kind.label: [
                    f"{v:.2f} ({low:.2f} to {high:.2f})"
                    for v, low, high in zip(
                        found.total[j], found.low[j], found.high[j], strict=True
                    )
                ]
                for j, kind in enumerate(kinds)
            },
        }
    )
    text = (
        f"Total Sobol indices of the model's mean over the whole space, given {n_known:,} trials "
        "and validated points: the share of its variance that would be left if all other "
        f"parameters were known. They are of {' and of '.join(scaled_labels(data))}. "
        "They may add up to more than 1. Lines are 95% intervals of the "
        "integration; that the model may be wrong is not in them."
    )
    if not found.total.any():
        text = "The model's mean is the same everywhere: no parameter matters to it."
        return Figure(KEY, TITLE, text, None, table)
    return Figure(KEY, TITLE, text, chart_of(rows, kinds, experiment), table)


def chart_of(rows: list[Row], kinds: list[Kind], experiment: Experiment) -> alt.LayerChart:
    """Return bars of both objectives, the parameter that matters most to the goal first."""
    of_goal = {row["p"]: -row["v"] for row in rows if row["kind"] == kinds[0].label}
    # Labels may be the same once they are cut: parameters are told apart by number.
    labels = {float(k): short(each.label, 20) for k, each in enumerate(experiment.space)}
    order = sorted(range(len(labels)), key=lambda k: (of_goal.get(k, 0.0), k))
    names = [kind.label for kind in kinds]
    y = alt.Y(
        "p:O",
        title=None,
        sort=order,
        axis=alt.Axis(labelExpr=looked_up(labels), ticks=False, domain=False, labelLimit=140),
        scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2),
    )
    offset = alt.YOffset("kind:N", sort=names, scale=alt.Scale(domain=names))
    most = max(1.0, *(row["h"] for row in rows))
    title = "total Sobol index, share of the variance"
    scale = alt.Scale(domain=[0.0, rounded(most, 3)], nice=False)
    x = alt.X("v:Q", axis=alt.Axis(title=title, tickCount=6), scale=scale)
    tooltip = [
        alt.Tooltip("kind:N", title="of the mean of"),
        alt.Tooltip("v:Q", title="total index", format=".3f"),
        alt.Tooltip("l:Q", title="from", format=".3f"),
        alt.Tooltip("h:Q", title="to", format=".3f"),
    ]
    chart = alt.Chart(rows_of(rows)).encode(y=y, yOffset=offset, tooltip=tooltip)
    return alt.LayerChart(
        layer=[
            chart.mark_bar(fillOpacity=0.85, strokeWidth=0).encode(x=x, **encodings(kinds, "fill")),
            chart.mark_rule(color=GREY, strokeWidth=2).encode(x=alt.X("l:Q"), x2="h:Q"),
        ],
        width="container",
        height=HEIGHT_A_PARAMETER * len(labels),
        background="transparent",
        description=title,
    )
