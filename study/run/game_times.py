"""What a game takes, before it is played."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thetafront.study.log.study_data import StudyData
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import fit_hyperparameters

Floats = npt.NDArray[np.float64]
LEAST_SECONDS = 1e-6
MOST_TIMED = 256  # θ that the model is fitted to, spread over all that were played
DEARER = 1.8  # games of proposals and of the front than those of the design: 1.4 to 2.4 were seen


class GameTimes:
    """What a game of any θ takes alone, learned from the games of a study.

    Parameters
    ----------
    data : StudyData
        With one game at least.
    model : FittedModel
        Whose encoding of θ is used.
    overhead : float
        Seconds between two games, to be added.
    """

    def __init__(self, data: StudyData, model: FittedModel, overhead: float = 0.0) -> None:
        self.cube = model.cube
        self.overhead = overhead
        space = data.experiment.space
        played = [
            (params, np.mean([game.seconds for game in games.values() if game.is_timed]))
            for params, games in [
                *((trial.params, trial.games) for trial in data.trials),
                *((point.params, point.games) for point in data.points),
            ]
            if any(game.is_timed for game in games.values()) and space.is_whole(params)
        ]
        some = np.unique(np.linspace(0, len(played) - 1, MOST_TIMED).round().astype(int))
        played = [played[k] for k in some]
        points = self.cube.encode([params for params, _ in played])
        logs = np.log(np.maximum([seconds for _, seconds in played], LEAST_SECONDS))
        noise = np.full(len(logs), np.nan)
        hyper = fit_hyperparameters(points, logs, noise, self.cube.owners)
        self.process = GaussianProcess.condition(hyper, points, logs, noise)

    def at(self, params: Sequence[Mapping[str, Any]]) -> Floats:
        """Return the mean seconds of a game with its overhead, one a θ."""
        if not params:
            return np.zeros(0)
        mean, variance = self.process.predict(self.cube.encode(params))
        return np.asarray(np.exp(mean + 0.5 * variance)) + self.overhead


def typical_of(of_design: Floats) -> float:
    """Guess the seconds of a game that a sampler asks for, or a front, by those of the design.

    They vary by orders of magnitude: between the arithmetic and the geometric mean.
    """
    geometric = float(np.exp(np.mean(np.log(of_design))))
    return DEARER * math.sqrt(float(of_design.mean()) * geometric)
