"""The games of a trial that is running: those that are there, and those that are missing."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from thetafront.agents.agent import Agent, FailedGame, Game, Outcome
from thetafront.study.experiments.failures import (
    MAX_FAILURES,
    counting,
    counting_games,
    left_out_text,
    shows_failures,
)
from thetafront.study.experiments.objectives import Cost, Goal
from thetafront.study.log.study_data import MOMENTS_PREFIX, n_replicates
from thetafront.study.shrinkage import Moments


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
        self.n_replicates = n_replicates(n_wanted, len(self.failures), goal.penalty)
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
