"""The chart of importance: on which parameters a model's mean depends, by total Sobol indices.

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

The indices are of the model's mean: their intervals cover only the error of the integration, not
errors of the model.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from thetafront.study.charts.axes import linear_axis
from thetafront.study.charts.chart import (
    BLUE,
    GREY,
    LINE,
    ORANGE,
    SQUARE,
    Axis,
    Chart,
    Kind,
    Layer,
    Panel,
    short,
)
from thetafront.study.report.analysis import Analysis
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.scale import Form

KEY, TITLE = "importance", "Which parameters matter"
WORDS = {  # of an objective, as the model takes it
    Form.LINEAR: "",
    Form.LOG: "the logarithm of ",
    Form.ROOT: "the square root of ",
    Form.ANGLE: "the angle of ",
}
HEIGHT_PER_PARAMETER = 38  # for two bars
BAR = 0.3
INTERVAL = Kind("95% interval of the integration", GREY, LINE)

Floats = npt.NDArray[np.float64]
N_SAMPLES, N_SAMPLES_OF_MANY = 1024, 512  # powers of two, as Sobol's sequence needs
MANY = 600  # observations, from which a prediction takes much longer
N_RESAMPLES = 99
MAX_DRAWS = 64  # for each feasible point


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
    """Estimate total Sobol indices by Jansen's estimator, with the same draws each time.

    Of pairs of feasible points that differ in one parameter, half the mean squared difference is
    the variance that is left when all others are known.

    Parameters
    ----------
    mean : function
        Of points of the unit cube, shape (m, n_coordinates), to both objectives, shape (m, 2).
    cube : UnitCube
        The space.
    n : int
        How many pairs; the function is evaluated n · (n_parameters + 1) times.
    """
    from scipy.stats import qmc  # noqa: PLC0415, takes half a second

    d, rng = len(cube.widths), np.random.default_rng(0)
    drawn = qmc.Sobol(2 * d, rng=rng).random(n * (MAX_DRAWS if len(cube.feasible_points) else 1))
    drawn = drawn[cube.is_feasible(coordinates(drawn[:, :d], cube))][:n]
    first = drawn[:, :d]
    values = mean(coordinates(first, cube))
    variance = np.where(np.var(values, axis=0) > 0.0, np.var(values, axis=0), np.inf)
    found = np.zeros((3, 2, d))
    for k in range(d):
        moved, waiting = first.copy(), np.arange(len(first))
        moved[:, k] = drawn[:, d + k]
        for _ in range(MAX_DRAWS):
            waiting = waiting[~cube.is_feasible(coordinates(moved[waiting], cube))]
            if not len(waiting):
                break
            moved[waiting, k] = rng.random(len(waiting))
        waiting = waiting[~cube.is_feasible(coordinates(moved[waiting], cube))]
        moved[waiting, k] = first[waiting, k]  # it can hardly be another
        halves = 0.5 * (values - mean(coordinates(moved, cube))) ** 2 / variance
        again = rng.integers(len(first), size=(N_RESAMPLES, len(first)))
        found[0, :, k] = halves.mean(axis=0)
        found[1:, :, k] = np.quantile(halves[again].mean(axis=1), [0.025, 0.975], axis=0)
    return Importance(*found)


def compute_importance(data: Analysis) -> Importance | None:
    """Return the indices of the model given all games; None without any game."""
    if (model := data.combined) is None:
        return None
    n = N_SAMPLES if len(model.observations.points) < MANY else N_SAMPLES_OF_MANY
    with threadpool_limits(1):
        return total_indices(model.posterior.mean, model.cube, n)


def importance_chart(analysis: Analysis, found: Importance | None = None) -> Chart:
    """Return total Sobol indices of the model's mean for both objectives.

    ``found`` are the indices of :func:`compute_importance`, where they are known.
    """
    experiment, model = analysis.data.experiment, analysis.combined
    found = compute_importance(analysis) if found is None else found
    if model is None or found is None:
        return Chart(KEY, TITLE, "No game is finished yet: there is no model.")
    goal, cost = short(experiment.goal.label, 40), short(experiment.cost.label, 40)
    kinds = [Kind(goal, BLUE, SQUARE), Kind(f"{cost}, in decades", ORANGE, SQUARE)]
    parameters = [*experiment.space]
    ends = np.maximum(np.stack([found.total, found.low, found.high], axis=-1), 0.0)  # (2, d, 3)
    table = pd.DataFrame({"parameter": [each.label for each in parameters]})
    for kind, of_kind in zip(kinds, ends.tolist(), strict=True):
        table[kind.label] = [f"{v:.2f} ({low:.2f} to {high:.2f})" for v, low, high in of_kind]
    if not found.total.any():
        text = "The model's mean is the same everywhere: no parameter matters to it."
        return Chart(KEY, TITLE, text, table)
    order = sorted(range(len(parameters)), key=lambda k: (-found.total[0, k], k))
    layers = []
    for side, kind, of_kind in zip((-1, 0), kinds, ends.tolist(), strict=True):
        rows = [
            {
                "zero": 0.0,
                "value": value,
                "low": low,
                "high": high,
                "top": place + side * BAR,
                "middle": place + (side + 0.5) * BAR,
                "bottom": place + (side + 1) * BAR,
                "parameter": k,
                "who": short(parameters[k].label),
                "of": kind.label,
                "seen": f"{value:.3f} ({low:.3f} to {high:.3f})",
            }
            for place, k in enumerate(order)
            for value, low, high in [of_kind[k]]
        ]
        said = {"who": "parameter", "of": "of the mean of", "seen": "total index"}
        layers += [
            Layer("rect", kind, rows, "zero", "top", "value", "bottom", said, opacity=0.85),
            Layer("rule", INTERVAL, rows, "low", "middle", x2="high", tooltip=said, size=2.0),
        ]
    of_goal, of_cost = (WORDS[each.form] for each in experiment.scales)
    text = (
        f"Total Sobol indices of the model's mean over the whole space, given "
        f"{len(model.observations.points):,} trials and validated points: the share of its "
        f"variance that would remain if all other parameters were known. They refer to "
        f"{of_goal}{experiment.goal.label} and to {of_cost}{experiment.cost.label}. They may add "
        f"up to more than 1. The intervals do not cover errors of the model."
    )
    most = max(1.0, float(ends.max()))
    x = linear_axis("total Sobol index, share of the variance", (0.0, most), lambda v: f"{v:g}")
    names = {float(place): short(parameters[k].label, 20) for place, k in enumerate(order)}
    y = Axis("", len(order) - 0.5, -0.5, names, has_grid=False)
    panel = Panel(x, y, layers, HEIGHT_PER_PARAMETER * len(order))
    return Chart(KEY, TITLE, text, table, [[panel]], experiment.title)
