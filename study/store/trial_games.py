"""The games of a trial, and how a study stores them.

Each finished game is written at once, as the trial's user attribute ``game:<replicate>``; writing
it twice is harmless. When the trial completes, ``moments:<objective>`` keeps the number, mean and
sum of squared deviations of the games' samples, so that a model need not parse the games.
"""

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from agents.agent import Agent, Game
from study.experiments.objectives import Cost, Goal
from study.shrinkage import Moments
from study.store.damage import locating
from study.store.seeds import (
    LARGEST_NUMBER,
    game_to_record,
    record_to_game,
    replicate_of,
    shortened,
)

GAME_PREFIX = "game:"
MOMENTS_PREFIX = "moments:"


def games_of(trial: FrozenTrial, kind: type[Game] = Game) -> dict[int, Game]:
    """Return a trial's finished games, by replicate; DamageError if one cannot be read."""
    games = {}
    for key, record in trial.user_attrs.items():
        if key.startswith(GAME_PREFIX):
            with locating(f"trial {trial.number}, {key}"):
                games[replicate_of(key[len(GAME_PREFIX) :])] = record_to_game(record, kind)
    return dict(sorted(games.items()))


def moments_of(trial: FrozenTrial, goal: Goal, games: Mapping[int, Game] | None = None) -> Moments:
    """Return the moments of a trial's samples: as stored, or else computed from its games.

    ``games`` are the trial's if they have been read already. DamageError if what is stored cannot
    be read.
    """
    name = MOMENTS_PREFIX + goal.name
    if name in trial.user_attrs:
        with locating(f"trial {trial.number}, {name}"):
            return stored_moments(trial.user_attrs[name])
    games = games_of(trial) if games is None else games
    return Moments.of(goal.samples(list(games.values())))


def stored_moments(stored: Any) -> Moments:
    """Read moments back; ValueError if they are none."""
    try:
        n, mean, m2 = map(float, stored)
    except (TypeError, ValueError, OverflowError):
        n = mean = m2 = math.nan
    if not (n >= 1 and n == int(n) and abs(mean) <= LARGEST_NUMBER and 0 <= m2 < math.inf):
        raise ValueError(f"{shortened(stored)} given, number, mean and squares expected")
    return Moments(int(n), mean, m2)


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
        cost: Cost,
        goal: Goal,
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
    def in_order(self) -> list[Game]:
        """The games so far, by replicate."""
        return [self.games[replicate] for replicate in sorted(self.games)]

    @property
    def values(self) -> tuple[float, float]:
        """Both objectives, the maximized one first, of the games so far."""
        return self.goal.estimate(self.in_order).value, self.cost.of(self.in_order)

    @property
    def attributes(self) -> dict[str, Any]:
        """What a model reads of the trial beyond its values: the moments of its samples."""
        moments = Moments.of(self.goal.samples(self.in_order))
        return {MOMENTS_PREFIX + self.goal.name: list(moments)}

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
        """Tell the study the trial's objectives, and the moments of its samples."""
        for name, moments in self.attributes.items():
            self.storage.set_trial_user_attr(self.trial_id, name, moments)
        self.storage.set_trial_state_values(self.trial_id, TrialState.COMPLETE, self.values)

    def fail(self, message: str) -> None:
        """Tell the study that the trial failed, and why."""
        self.storage.set_trial_user_attr(self.trial_id, "error", message)
        self.storage.set_trial_state_values(self.trial_id, TrialState.FAIL)


def trial_id(study: optuna.Study, storage: BaseStorage, number: int) -> int:
    """Return the storage's own name of a trial."""
    study_id = storage.get_study_id_from_name(study.study_name)
    return storage.get_trial_id_from_study_id_trial_number(study_id, number)
