"""Validated points: which θ are played again, what names them, and how a study keeps them with their games.

Of a study's user attributes, one a point and one a game are theirs: ``point:<key>`` and
``validation:<key>:<replicate>``.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import optuna
from optuna.trial import TrialState

from agents.agent import Game
from study.experiments.definition import Experiment
from study.samplers.fitted_model import FittedModel
from study.samplers.predicted_front import best_within_budgets
from study.store.trial_games import games_in

POINT_PREFIX = "point:"
GAME_PREFIX = "validation:"


@dataclass
class Validated:
    """A θ that is played again.

    Attributes
    ----------
    key : str
        Names it in the study; the same for the same θ.
    params : mapping
        θ.
    origin : str
        ``trial 12``, ``proposal``, or a baseline's name.
    games : dict of int to Game
        Finished ones, by replicate.
    number : int
        Which of the study's points it is, in the order in which they were first validated: it names its seeds.
    """

    key: str
    params: Mapping[str, Any]
    origin: str
    games: dict[int, Game] = field(default_factory=dict)
    number: int = 0

    @property
    def in_order(self) -> list[Game]:
        """Games, by replicate."""
        return [self.games[replicate] for replicate in sorted(self.games)]

    @property
    def scores(self) -> list[float]:
        """Scores, by replicate."""
        return [game.score for game in self.in_order]


def key_of(params: Mapping[str, Any]) -> str:
    """Name a θ: ten hexadecimal digits, the same for the same values."""
    plain = {
        name: value if isinstance(value, str) else float(value)
        for name, value in sorted(params.items())
    }
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:10]


def choose_points(
    model: FittedModel, study: optuna.Study, experiment: Experiment, n_points: int
) -> list[Validated]:
    """Choose what to validate: along the time axis, and the baselines.

    For each of ``n_points`` budgets, equally far apart in log cost over the posterior front: the best trial
    and the best point of all, both by posterior mean. The costs are posterior means too, which for
    costs are nearly exact.
    """
    ends = np.concatenate([model.trial_front.mean[:, 1], model.predicted_front.mean[:, 1]])
    budgets = np.linspace(ends.max(), ends.min(), n_points) - 1e-9
    trials = [
        trial
        for trial in study.get_trials(deepcopy=False)
        if trial.state == TrialState.COMPLETE and set(trial.params) >= set(experiment.space.names)
    ]
    codes = model.cube.encode([trial.params for trial in trials])
    chosen: dict[str, Validated] = {}

    def add(params: Mapping[str, Any], origin: str) -> None:
        values = {each.name: each.clip(params[each.name]) for each in experiment.space}
        chosen.setdefault(key_of(values), Validated(key_of(values), values, origin))

    for name, values in experiment.baselines.items():
        add(values, name)
    for index in best_within_budgets(model.trial_front, budgets):
        nearest = int(np.argmin(np.abs(codes - model.trial_front.points[index]).sum(axis=1)))
        add(trials[nearest].params, f"trial {trials[nearest].number}")
    for index in best_within_budgets(model.predicted_front, budgets):
        add(tidy(model.cube.decode(model.predicted_front.points[index]), experiment), "proposal")
    return list(chosen.values())


def tidy(params: Mapping[str, Any], experiment: Experiment) -> dict[str, Any]:
    """Round a proposal to what a person would write."""
    return {each.name: each.tidy(params[each.name]) for each in experiment.space}


def validated_points(study: optuna.Study) -> list[Validated]:
    """Return all points of a study that were ever validated, with their games."""
    attributes = study.user_attrs
    points = []
    for name, stored in attributes.items():
        if name.startswith(POINT_PREFIX):
            key = name[len(POINT_PREFIX) :]
            number = stored.get("number", 0)  # formerly all points had the seeds of the first
            points.append(Validated(key, stored["params"], stored["origin"], number=number))
    games: dict[str, dict[str, Any]] = {point.key: {} for point in points}
    for name, record in attributes.items():
        if name.startswith(GAME_PREFIX):
            key, _, replicate = name[len(GAME_PREFIX) :].partition(":")
            games[key][replicate] = record
    for point in points:
        point.games = games_in(games[point.key], "")
    return points
