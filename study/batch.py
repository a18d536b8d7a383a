"""Batches: the games of one parameter vector, on their way into the study.

Each finished game is written at once, as one attribute: ``game:<replicate>`` of its trial, or
``baseline:<name>:<replicate>`` of the study. A game that is written a second time is the same game, so
that doing so is harmless.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from agents.agent import Agent, Game
from study.replicate import game_to_record, record_to_game, summarize

__all__ = ["BaselineBatch", "Batch", "TrialBatch", "baseline_games", "games_of"]

GAME_PREFIX = "game:"
BASELINE_PREFIX = "baseline:"


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


def baseline_games(study: optuna.Study, baseline: str) -> dict[int, Game]:
    """Return a baseline's finished games, by replicate."""
    return games_in(study.user_attrs, f"{BASELINE_PREFIX}{baseline}:")


class Batch(ABC):
    """The games of one parameter vector.

    Parameters
    ----------
    agent : Agent
        What plays them.
    games : dict of int to Game
        Finished ones, by replicate.
    n_wanted : int
        Replicates 0 to ``n_wanted`` − 1 make the batch complete.
    """

    def __init__(self, agent: Agent, games: dict[int, Game], n_wanted: int) -> None:
        self.agent = agent
        self.games = games
        self.missing = {replicate for replicate in range(n_wanted) if replicate not in games}
        self.waiting = deque(sorted(self.missing))
        self.failed = False

    def add(self, replicate: int, game: Game) -> bool:
        """Write a finished game; return whether it is new and the batch's last."""
        self.store(replicate, game)
        self.games[replicate] = game
        if replicate not in self.missing:
            return False
        self.missing.remove(replicate)
        return not self.missing

    @abstractmethod
    def store(self, replicate: int, game: Game) -> None:
        """Write one finished game."""

    @abstractmethod
    def complete(self) -> None:
        """Write what the games amount to, once all are there."""

    @abstractmethod
    def fail(self, message: str) -> None:
        """Write that the games cannot be played."""


class TrialBatch(Batch):
    """The games of a trial that is running."""

    def __init__(
        self,
        agent: Agent,
        games: dict[int, Game],
        n_wanted: int,
        study: optuna.Study,
        storage: BaseStorage,
        number: int,
    ) -> None:
        super().__init__(agent, games, n_wanted)
        self.study = study
        self.storage = storage
        self.number = number
        self.trial_id = trial_id(study, storage, number)

    @property
    def values(self) -> tuple[float, float]:
        """Mean score, and seconds per move, of the games so far."""
        summary = summarize([self.games[replicate] for replicate in sorted(self.games)])
        return summary.score_mean, summary.seconds_per_move

    def store(self, replicate: int, game: Game) -> None:
        """Write one finished game."""
        key = f"{GAME_PREFIX}{replicate}"
        self.storage.set_trial_user_attr(self.trial_id, key, game_to_record(game))

    def complete(self) -> None:
        """Tell the study the trial's objectives."""
        self.study.tell(self.number, self.values)

    def fail(self, message: str) -> None:
        """Tell the study that the trial failed, and why."""
        self.storage.set_trial_user_attr(self.trial_id, "error", message)
        self.study.tell(self.number, state=TrialState.FAIL)


class BaselineBatch(Batch):
    """The games of a baseline: kept with the study, since it is no trial."""

    def __init__(
        self, agent: Agent, games: dict[int, Game], n_wanted: int, study: optuna.Study, name: str
    ) -> None:
        super().__init__(agent, games, n_wanted)
        self.study = study
        self.name = name

    def store(self, replicate: int, game: Game) -> None:
        """Write one finished game."""
        key = f"{BASELINE_PREFIX}{self.name}:{replicate}"
        self.study.set_user_attr(key, game_to_record(game))

    def complete(self) -> None:
        """Do nothing: a baseline's games are all there is to keep."""

    def fail(self, message: str) -> None:
        """Do nothing: what is missing is played by the next sweep."""


def trial_id(study: optuna.Study, storage: BaseStorage, number: int) -> int:
    """Return the storage's own name of a trial."""
    study_id = storage.get_study_id_from_name(study.study_name)
    return storage.get_trial_id_from_study_id_trial_number(study_id, number)
