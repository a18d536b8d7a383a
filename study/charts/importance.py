"""The chart of importance: how much a model's mean depends on each parameter (total Sobol indices).

:mod:`study.report.importance` has the notation and computes the indices.
"""

import numpy as np
import pandas as pd

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
from thetafront.study.report.tables import model_note
from thetafront.study.scale import Form

KEY, TITLE = "importance", "Which parameters matter"
WORDS = {  # an objective's transformation in the model, to be written before its name
    Form.LINEAR: "",
    Form.LOG: "the logarithm of ",
    Form.ROOT: "the square root of ",
    Form.ANGLE: "the angle of ",
}
HEIGHT_PER_PARAMETER = 38  # pixels for two bars
BAR = 0.3
INTERVAL = Kind("95% interval (integration error)", GREY, LINE)


def importance_chart(analysis: Analysis) -> Chart:
    """Return the chart of total Sobol indices of the model's mean, for both objectives."""
    experiment, model, found = analysis.data.experiment, analysis.combined, analysis.importance
    if model is None or found is None:
        return Chart(KEY, TITLE, "No game is finished yet, so there is no model.")
    goal, cost = short(experiment.goal.label, 40), short(experiment.cost.label, 40)
    kinds = [Kind(goal, BLUE, SQUARE), Kind(f"{cost} (logarithm)", ORANGE, SQUARE)]
    parameters = [*experiment.space]
    ends = np.maximum(np.stack([found.total, found.low, found.high], axis=-1), 0.0)  # (2, d, 3)
    table = pd.DataFrame({"parameter": [each.label for each in parameters]})
    for kind, of_kind in zip(kinds, ends.tolist(), strict=True):
        table[kind.label] = [f"{v:.2f} ({low:.2f} to {high:.2f})" for v, low, high in of_kind]
    if not found.total.any():
        text = "The model's mean is the same everywhere: no parameter changes it."
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
        said = {"who": "parameter", "of": "objective", "seen": "total index"}
        layers += [
            Layer("rect", kind, rows, "zero", "top", "value", "bottom", said, opacity=0.85),
            Layer("rule", INTERVAL, rows, "low", "middle", x2="high", tooltip=said, size=2.0),
        ]
    of_goal, of_cost = (WORDS[each.form] for each in experiment.scales)
    text = (
        f"Total Sobol indices of the model's mean over the whole space, given "
        f"{model_note(model)}. A parameter's index is the share of the variance in "
        f"{of_goal}{experiment.goal.label} or in {of_cost}{experiment.cost.label} that would "
        f"remain if all other parameters were known. Indices may add up to more than 1. Their "
        f"intervals cover the numerical integration error, but not the model's errors."
    )
    most = max(1.0, float(ends.max()))
    x = linear_axis("total Sobol index, share of the variance", (0.0, most), lambda v: f"{v:g}")
    names = {float(place): short(parameters[k].label, 20) for place, k in enumerate(order)}
    y = Axis("", len(order) - 0.5, -0.5, names, has_grid=False)
    panel = Panel(x, y, layers, HEIGHT_PER_PARAMETER * len(order))
    return Chart(KEY, TITLE, text, table, [[panel]], experiment.title)
