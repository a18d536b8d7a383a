"""The games of a trial, and how a study stores them.

Games are rows of the table of games (:mod:`study.store.games_table`); in studies of before, each is
the trial's user attribute ``game:<replicate>``. When a trial completes, its user attribute
``moments:<objective>`` keeps the number, mean and sum of squared deviations of the games' samples,
so that a model need not read the games.
"""

import math
from collections import deque
from collections.abc import Mapping
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial

from agents.agent import Agent, Game
from study.experiments.objectives import Cost, Goal
from study.shrinkage import Moments
from study.store.damage import locating
from study.store.games_table import NO_CELLS, Cells
from study.store.seeds import (
    LARGEST_NUMBER,
    record_to_game,
    replicate_of,
    shortened,
)

GAME_PREFIX = "game:"
MOMENTS_PREFIX = "moments:"


def games_of(
    trial: FrozenTrial, kind: type[Game] = Game, stored: Cells = NO_CELLS
) -> dict[int, Game]:
    """Return a trial's finished games, by replicate; DamageError if one cannot be read.

    ``stored`` are those in the table; those of studies of before are among its attributes.
    """
    games = {}
    for key, record in trial.user_attrs.items():
        if key.startswith(GAME_PREFIX):
            with locating(f"trial {trial.number}, {key}"):
                games[replicate_of(key[len(GAME_PREFIX) :])] = record_to_game(record, kind)
    for replicate, cell in stored.items():
        with locating(f"trial {trial.number}, {GAME_PREFIX}{replicate}"):
            games[replicate_of(replicate)] = record_to_game(cell.json, kind)
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
    number : int
        The trial's.
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
        number: int,
        cost: Cost,
        goal: Goal,
    ) -> None:
        self.agent = agent
        self.games = games
        self.missing = {replicate for replicate in range(n_wanted) if replicate not in games}
        self.waiting = deque(sorted(self.missing))
        self.number = number
        self.cost = cost
        self.goal = goal

    @property
    def in_order(self) -> list[Game]:
        """The games so far, by replicate."""
        return [self.games[replicate] for replicate in sorted(self.games)]

    @property
    def values(self) -> tuple[float, float]:
        """Both objectives, the goal first, of the games so far."""
        return self.goal.estimate(self.in_order).value, self.cost.of(self.in_order)

    @property
    def attributes(self) -> dict[str, Any]:
        """What a model reads of the trial beyond its values: the moments of its samples."""
        moments = Moments.of(self.goal.samples(self.in_order))
        return {MOMENTS_PREFIX + self.goal.name: list(moments)}

    def add(self, replicate: int, game: Game) -> bool:
        """Add a finished game; return whether it is new and the trial's last."""
        self.games[replicate] = game
        if replicate not in self.missing:
            return False
        self.missing.remove(replicate)
        return not self.missing


def trial_id(study: optuna.Study, storage: BaseStorage, number: int) -> int:
    """Return the storage's own name of a trial."""
    study_id = storage.get_study_id_from_name(study.study_name)
    return storage.get_trial_id_from_study_id_trial_number(study_id, number)
