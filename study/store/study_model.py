"""The model of a study: its data, its noise, and the points that it suggests for validation."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from optuna.trial import FrozenTrial, TrialState
from threadpoolctl import threadpool_limits

from study.experiments.definition import Experiment
from study.experiments.objectives import Goal
from study.samplers.fitted_model import FittedModel, fit_model
from study.samplers.observations import Objectives
from study.samplers.predicted_front import best_within_budgets
from study.shrinkage import Moments
from study.store.study_data import StudyData
from study.store.study_record import DIRECTIONS
from study.store.trial_games import moments_of
from study.store.validated_points import ValidatedPoint, key_of


def objectives_of(
    experiment: Experiment, moments: Mapping[int, Moments] | None = None
) -> Objectives:
    """Describe a study's objectives to a model: the cost's scale, the reference, the noise.

    ``moments`` are those of trials, by number, that have been read already.
    """
    return Objectives(
        logarithmic=(False, True),
        reference_point=(experiment.reference_score, experiment.reference_cost),
        noise=partial(noise_of_trials, goal=experiment.goal, moments=moments or {}),
    )


def noise_of_trials(
    trials: Sequence[FrozenTrial], goal: Goal, moments: Mapping[int, Moments]
) -> npt.NDArray[np.float64]:
    """Return the variances of the trials' means, shape (n, 2); NaN for costs, to be inferred."""
    found = [moments.get(trial.number) or moments_of(trial, goal) for trial in trials]
    variances = goal.estimator.variances(found)
    return np.stack([variances, np.full(len(trials), np.nan)], axis=-1)


def fit_study(data: StudyData) -> FittedModel | None:
    """Fit the model to a study's complete trials; None if there are none."""
    experiment = data.experiment
    # One thread for linear algebra: on matrices this small, more are slower.
    with threadpool_limits(1):
        return fit_model(
            data.frozen_trials,
            DIRECTIONS,
            experiment.space,
            objectives_of(experiment, data.moments),
            data.record.seed,
        )


def choose_points(model: FittedModel, data: StudyData, n_points: int) -> list[ValidatedPoint]:
    """Choose the points to validate: the baselines, and points along the predicted front.

    For each of ``n_points`` budgets, equally spaced in log cost over the predicted front, these are
    the best trial and the best point of the whole space, both by posterior mean. Costs are
    posterior means, too, which for costs are nearly exact.
    """
    experiment = data.experiment
    ends = np.concatenate([model.trial_front.mean[:, 1], model.predicted_front.mean[:, 1]])
    budgets = np.linspace(ends.max(), ends.min(), n_points) - 1e-9
    trials = [
        trial
        for trial in data.frozen_trials
        if trial.state == TrialState.COMPLETE and set(trial.params) >= set(experiment.space.names)
    ]
    codes = model.cube.encode([trial.params for trial in trials])
    chosen: dict[str, ValidatedPoint] = {}

    def add(params: Mapping[str, Any], origin: str) -> None:
        values = experiment.space.clip(params)
        chosen.setdefault(key_of(values), ValidatedPoint(key_of(values), values, origin))

    for name, values in experiment.baselines.items():
        add(values, name)
    for index in best_within_budgets(model.trial_front, budgets):
        nearest = int(np.argmin(np.abs(codes - model.trial_front.points[index]).sum(axis=1)))
        add(trials[nearest].params, f"trial {trials[nearest].number}")
    for index in best_within_budgets(model.predicted_front, budgets):
        proposal = model.cube.decode(model.predicted_front.points[index])
        add(experiment.space.tidy(proposal), "proposal")
    return list(chosen.values())
