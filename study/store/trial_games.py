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

from thetafront.agents.agent import Agent, FailedGame, Game, Outcome
from thetafront.study.experiments.failures import (
    MAX_FAILURES,
    counting,
    counting_games,
    left_out_text,
    shows_failures,
    split,
)
from thetafront.study.experiments.objectives import Cost, Goal
from thetafront.study.shrinkage import Moments
from thetafront.study.store.damage import locating
from thetafront.study.store.games_table import NO_CELLS, Cells
from thetafront.study.store.seeds import (
    LARGEST_NUMBER,
    record_to_game,
    record_to_outcome,
    replicate_of,
    shortened,
)

GAME_PREFIX = "game:"
MOMENTS_PREFIX = "moments:"


def games_of(
    trial: FrozenTrial, kind: type[Game] = Game, stored: Cells = NO_CELLS
) -> dict[int, Outcome]:
    """Return a trial's games, ended or failed, by replicate; DamageError if one cannot be read.

    ``stored`` are those in the table; those of studies of before are among its attributes.
    """
    games: dict[int, Outcome] = {}
    for key, record in trial.user_attrs.items():
        if key.startswith(GAME_PREFIX):
            with locating(f"trial {trial.number}, {key}"):
                games[replicate_of(key[len(GAME_PREFIX) :])] = record_to_game(record, kind)
    for replicate, cell in stored.items():
        with locating(f"trial {trial.number}, {GAME_PREFIX}{replicate}"):
            games[replicate_of(replicate)] = record_to_outcome(cell.json, kind)
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
    games = split(games_of(trial), goal.penalty)[0] if games is None else games
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
    games : dict of int to Game or FailedGame
        Those there are, by replicate.
    n_wanted : int
        Replicates 0 to ``n_wanted`` − 1 make the trial complete, with as many more as failed.
    number : int
        The trial's.
    cost : Cost
        The second objective.
    goal : Goal
        The first.
    max_failures : float
        The failure rate above which θ is left out.

    Attributes
    ----------
    games : dict of int to Game
        Those that count.
    failures : dict of int to FailedGame
        Those that failed.
    """

    def __init__(
        self,
        agent: Agent,
        games: Mapping[int, Outcome],
        n_wanted: int,
        number: int,
        cost: Cost,
        goal: Goal,
        max_failures: float = MAX_FAILURES,
    ) -> None:
        self.agent = agent
        self.games = counting_games(games, goal.penalty)
        self.failures = {n: each for n, each in games.items() if isinstance(each, FailedGame)}
        self.n_replicates = n_wanted + (0 if goal.penalty is not None else len(self.failures))
        self.missing = {each for each in range(self.n_replicates) if each not in games}
        self.waiting = deque(sorted(self.missing))
        self.max_failures = max_failures
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

    @property
    def flaw(self) -> str:
        """Why θ is left out; empty if it is not."""
        n_ended = sum(game.has_ended for game in self.games.values())
        is_unplayed = not (n_ended or self.missing)  # so that it has no cost
        outcomes: dict[int, Outcome] = {**self.games, **self.failures}
        if is_unplayed or shows_failures(outcomes, self.goal, self.max_failures):
            return left_out_text(self.failures, n_ended)
        return ""

    def add(self, replicate: int, game: Outcome) -> bool:
        """Add a game; return whether it is new and the trial's last.

        One that failed is replaced, unless it counts with a penalty.
        """
        counts = counting(game, self.goal.penalty)
        if isinstance(game, FailedGame):
            self.failures[replicate] = game
        if counts is not None:
            self.games[replicate] = counts
        if replicate not in self.missing:
            return False
        self.missing.remove(replicate)
        if counts is None:
            self.missing.add(self.n_replicates)
            self.waiting.append(self.n_replicates)
            self.n_replicates += 1
        return not self.missing


def trial_id(study: optuna.Study, storage: BaseStorage, number: int) -> int:
    """Return the storage's own name of a trial."""
    study_id = storage.get_study_id_from_name(study.study_name)
    return storage.get_trial_id_from_study_id_trial_number(study_id, number)
