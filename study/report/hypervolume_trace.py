"""How the hypervolume of a study grew, trial by trial."""

import math

import numpy as np
import pandas as pd
from optuna.trial import TrialState

from thetafront.study.log.study_data import StudyData
from thetafront.study.model.study_model import describe_objectives
from thetafront.study.pareto import hypervolume
from thetafront.study.samplers.candidates import sobol_points
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.observations import observe, study_directions
from thetafront.study.samplers.posterior import Posterior
from thetafront.study.samplers.predicted_front import climb

N_STEPS = 24
N_POINTS = 12
MAX_CONDITIONED = 384  # trials
N_SOBOL, N_ROUNDS, N_NEAR = 1024, 8, 256  # of the search for a front


def hypervolume_trace(data: StudyData) -> pd.DataFrame:
    """Return the hypervolume of the first m trials, for some two dozen m.

    Returns
    -------
    DataFrame
        ``n_trials``, ``n_games``, and hypervolumes in the goal's unit times decades: ``observed``,
        of observed means, biased upwards as a maximum over noise; ``predicted``, of points at
        twelve budgets of the front over the whole space that these trials predict, found by a quick
        search.
    """
    experiment, goal = data.experiment, data.experiment.goal
    objectives, directions = describe_objectives(experiment), study_directions(goal)
    cube = UnitCube.from_space(experiment.space)
    complete = [
        trial
        for trial in data.frozen_trials
        if trial.state == TrialState.COMPLETE and cube.is_whole(trial.params)
    ]
    worst, max_cost = data.reference or (math.nan, math.nan)
    worst *= goal.sign
    steps = np.unique(np.geomspace(1, max(1, len(complete)), N_STEPS).round().astype(int))
    n_games = {trial.number: len(trial.games) for trial in data.trials}
    rows = []
    for m in steps[steps <= len(complete)]:
        known = observe(complete[:m], cube, directions, objectives)
        known, posterior = Posterior.from_subset(known, MAX_CONDITIONED)
        rng = np.random.default_rng(0)
        front = np.concatenate([known.points, sobol_points(cube, N_SOBOL, rng)])
        front = climb(posterior.front(front), posterior, cube, rng, N_ROUNDS, N_NEAR)
        logs = -posterior.mean(front)[:, 1]
        budgets = np.linspace(logs[0], logs[-1], N_POINTS) + 1e-9
        front = front[np.unique(np.searchsorted(logs, budgets, side="right") - 1)]
        scores, costs = posterior.goal(front).mean, posterior.cost(front)
        values = np.array([trial.values for trial in complete[:m]])
        rows.append(
            {
                "n_trials": m,
                "n_games": sum(n_games[trial.number] for trial in complete[:m]),
                "observed": hypervolume(goal.sign * values[:, 0], values[:, 1], worst, max_cost),
                "predicted": hypervolume(goal.sign * scores, costs, worst, max_cost),
            }
        )
    return pd.DataFrame(rows, columns=["n_trials", "n_games", "observed", "predicted"])
