"""Batches: the games of one parameter vector, on their way into the study.

Each finished game is written at once, as one attribute: ``game:<replicate>`` of its trial. A game that is
written a second time is the same game, so that doing so is harmless.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from agents.agent import Agent, Game
from study.experiments.cost import SECONDS, Cost
from study.experiments.definition import Experiment
from study.experiments.objectives import SCORE, Goal
from study.samplers.observations import Objectives
from study.store.seeds import game_to_record, record_to_game

GAME_PREFIX = "game:"


def games_in(attributes: Mapping[str, Any], prefix: str) -> dict[int, Game]:
    """Read the games stored under ``prefix``, by replicate."""
    games = {
        int(key[len(prefix) :]): record_to_game(value)
        for key, value in attributes.items()
        if key.startswith(prefix)
    }
    return dict(sorted(games.items()))


def games_of(trial: FrozenTrial) -> dict[int, Game]:
    """Return a trial's finished games, by replicate."""
    return games_in(trial.user_attrs, GAME_PREFIX)


def objectives_of(experiment: Experiment) -> Objectives:
    """Return what a model must know of a study's objectives: costs are ratios, and the goal's noise is known."""
    return Objectives(
        logarithmic=(False, True),
        reference_point=(experiment.reference_score, experiment.reference_cost),
        noise=partial(noise_of_games, goal=experiment.goal),
    )


def noise_of_games(trials: Sequence[FrozenTrial], goal: Goal) -> npt.NDArray[np.float64]:
    """Return the variances of the trials' means; those of costs are left to be inferred."""
    samples = [goal.samples(list(games_of(trial).values())) for trial in trials]
    return np.stack([goal.variances(samples), np.full(len(samples), np.nan)], axis=-1)


class TrialBatch:
    """The games of a trial that is running.

    Parameters
    ----------
    agent : Agent
        What plays them.
    games : dict of int to Game
        Finished ones, by replicate.
    n_wanted : int
        Replicates 0 to ``n_wanted`` − 1 make the trial complete.
    storage : optuna.storages.BaseStorage
        Where it is kept.
    number, trial_id : int
        The trial's, and the storage's own name of it.
    cost : Cost
        The second objective.
    goal : Goal
        The first.
    """

    def __init__(
        self,
        agent: Agent,
        games: dict[int, Game],
        n_wanted: int,
        storage: BaseStorage,
        number: int,
        trial_id: int,
        cost: Cost = SECONDS,
        goal: Goal = SCORE,
    ) -> None:
        self.agent = agent
        self.games = games
        self.missing = {replicate for replicate in range(n_wanted) if replicate not in games}
        self.waiting = deque(sorted(self.missing))
        self.storage = storage
        self.number = number
        self.trial_id = trial_id
        self.cost = cost
        self.goal = goal

    @property
    def values(self) -> tuple[float, float]:
        """Both objectives, the maximized one first, of the games so far."""
        games = [self.games[replicate] for replicate in sorted(self.games)]
        return self.goal.mean(games), self.cost.of(games)

    @property
    def attributes(self) -> dict[str, Any]:
        """The games so far, as the storage has them."""
        return {f"{GAME_PREFIX}{r}": game_to_record(game) for r, game in self.games.items()}

    def add(self, replicate: int, game: Game) -> bool:
        """Write a finished game; return whether it is new and the trial's last."""
        key = f"{GAME_PREFIX}{replicate}"
        self.storage.set_trial_user_attr(self.trial_id, key, game_to_record(game))
        self.games[replicate] = game
        if replicate not in self.missing:
            return False
        self.missing.remove(replicate)
        return not self.missing

    def complete(self) -> None:
        """Tell the study the trial's objectives."""
        self.storage.set_trial_state_values(self.trial_id, TrialState.COMPLETE, self.values)

    def fail(self, message: str) -> None:
        """Tell the study that the trial failed, and why."""
        self.storage.set_trial_user_attr(self.trial_id, "error", message)
        self.storage.set_trial_state_values(self.trial_id, TrialState.FAIL)


def trial_id(study: optuna.Study, storage: BaseStorage, number: int) -> int:
    """Return the storage's own name of a trial."""
    study_id = storage.get_study_id_from_name(study.study_name)
    return storage.get_trial_id_from_study_id_trial_number(study_id, number)
