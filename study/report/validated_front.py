"""Tables of the validated front, and of fronts over the whole space.

Validated values are means over games that did not choose their point, with 95% intervals. Predicted
values are posterior means with 95% bands, from the trials of the search alone. So the two can be
compared. Combined values are posterior means given all games, of trials and of validation: what to
expect. A front is chosen on the model's scale, of √score say, so a mean of scores may dip along it
where their uncertainty changes.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from thetafront.study.experiments.definition import Experiment
from thetafront.study.pareto import nondominated
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.expected import expected_at
from thetafront.study.report.tables import thetas_of
from thetafront.study.report.validated_rows import combined_columns, validated_columns

if TYPE_CHECKING:
    from thetafront.study.samplers.fitted_model import FittedModel

N_CURVE_ROWS = 120
BAND = ("mean", "low95", "high95")


def validated_frame(analysis: Analysis) -> pd.DataFrame:
    """Return the rows of validated points as a table, with what the model of trials predicts."""
    experiment, model = analysis.data.experiment, analysis.model
    columns = validated_columns(experiment, analysis.data.has_failures)
    frame = pd.DataFrame(analysis.rows, columns=columns)
    if model is not None and len(frame):
        codes = model.cube.encode(thetas_of(frame, experiment))
        predicted = model.posterior.goal(codes)
        for what in BAND:
            frame[experiment.goal.posterior_column(what)] = getattr(predicted, what)
    return frame


def predicted_front_frame(experiment: Experiment, model: "FittedModel") -> pd.DataFrame:
    """Return the front over the whole space that the trials predict, the cheapest first.

    It is thinned to some rows, of which none is dominated in the goal's own unit: on a curved scale
    an uncertain point's expected value is another than that of its mean. A row has θ, its predicted
    cost, the goal's posterior mean and 95% band; ``posterior_sd_common``, the part of the band's
    standard deviation that all of the front shares, and ``posterior_sd_local``, what is left; and
    ``distance_to_trial``, the distance to the nearest trial in the unit cube (√2 or more to a trial
    of another choice).
    """
    front, goal = model.predicted_front, experiment.goal
    rows, predicted = [], model.posterior.goal(front.points)
    shown = np.array(thinned(len(front.points)))
    rising = nondominated(goal.sign * predicted.mean[shown], -front.mean[shown, 1])
    for index in shown[rising]:
        gaps = model.observations.points - front.points[index]
        rows.append(
            {
                **model.cube.decode(front.points[index]),
                experiment.cost.name: 10.0 ** -front.mean[index, 1],
                **{goal.posterior_column(each): getattr(predicted, each)[index] for each in BAND},
                goal.posterior_column("sd_common"): front.common_deviation,
                goal.posterior_column("sd_local"): front.local_deviation[index],
                "distance_to_trial": float(np.sqrt((gaps**2).sum(axis=1).min())),
            }
        )
    return pd.DataFrame(rows)


def combined_front_frame(experiment: Experiment, combined: "FittedModel") -> pd.DataFrame:
    """Return the front over the whole space given all games, thinned, the cheapest first.

    A row has θ, and the combined mean and 95% interval of score and cost.
    """
    front = combined.predicted_front
    thetas = [combined.cube.decode(front.points[k]) for k in thinned(len(front.points))]
    found = expected_at(combined, thetas)
    return pd.DataFrame(
        [
            {**theta, **combined_columns(expected, experiment)}
            for theta, expected in zip(thetas, found, strict=True)
        ]
    )


def thinned(n: int) -> list[int]:
    """Return the indices of some of n points, equally spaced."""
    spaced: list[int] = np.linspace(0, n - 1, N_CURVE_ROWS).round().astype(int).tolist()
    return sorted(set(spaced))
