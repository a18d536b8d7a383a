"""Validation: the front played again, on seeds that the search never used.

A search picks the best of noisy means, so what it has observed of its picks is too good. Here some θ are
played until their means are known well: those of the posterior front among the trials, those that the
model believes in most but no trial has tried, and the baselines. Nothing that is observed here goes back
into the model, so that a point's games judge it without having chosen it.

Points get their games in turn, those with the fewest first: whenever it is stopped, all are equally
well known.
"""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import optuna

from agents.agent import Agent, warm
from study.experiments.definition import Experiment
from study.run.dispatch import Dispatch
from study.run.progress import Snapshot
from study.run.stopping import FEWEST_GAMES, Precision
from study.run.workers import Finished, PlayError
from study.store.seeds import game_to_record, validation_seed
from study.store.validated_points import GAME_PREFIX, POINT_PREFIX, Validated, validated_points
from study.text import counted

Key = tuple[str, int]
"""A game's point, and its replicate."""


@dataclass
class Validation:
    """Points being played until they are known well enough.

    Parameters
    ----------
    experiment : Experiment
        For agents and goal.
    study : optuna.Study
        Where games are kept; this process must be its only writer.
    seed : int
        The study's.
    points : list of Validated
        What to play; points of the same θ that the study knows already keep their games.
    precision : Precision
        How long.
    jobs : int
        How many workers play; no more than cores, or the timings mean nothing.
    on_change : callable
        Called with a :class:`Snapshot` several times a second.
    on_message : callable
        Called with a line of text when something happens that a user should know of.
    """

    experiment: Experiment
    study: optuna.Study
    seed: int
    points: list[Validated]
    precision: Precision
    jobs: int
    on_change: Callable[[Snapshot], None]
    on_message: Callable[[str], None]
    in_flight: dict[str, set[int]] = field(default_factory=dict)
    wanted: dict[str, int] = field(default_factory=dict)
    n_games_before: int = 0
    dispatch: Dispatch[Key] = field(init=False)

    def prepare(self) -> None:
        """Read the games that are there, and write down which points are played."""
        warm(self.experiment.build({}))
        known = {point.key: point for point in validated_points(self.study)}
        n_points = len(known)
        for point in self.points:
            if point.key in known:
                point.games = known[point.key].games
                point.number = known[point.key].number
            else:
                point.number = n_points
                n_points += 1
                contents = {
                    "params": dict(point.params),
                    "origin": point.origin,
                    "number": point.number,
                }
                self.study.set_user_attr(f"{POINT_PREFIX}{point.key}", contents)
        self.by_key = {point.key: point for point in self.points}
        self.agents = {point.key: self.experiment.build(point.params) for point in self.points}
        self.in_flight = {point.key: set() for point in self.points}
        self.wanted = {point.key: self.n_wanted(point) for point in self.points}
        self.n_games_before = sum(len(point.games) for point in self.points)
        self.dispatch = Dispatch(
            self, self.jobs, lambda _: self.on_change(self.snapshot()), self.on_message
        )

    def n_wanted(self, point: Validated) -> int:
        """Return how many games a point needs, as far as its games so far tell: one, if one tells all."""
        goal = self.experiment.goal
        return 1 if goal.is_exact else self.precision.n_wanted(goal.samples(point.in_order))

    def n_left(self, point: Validated) -> int:
        """Return how many games of a point are neither finished nor in flight."""
        return self.wanted[point.key] - len(point.games) - len(self.in_flight[point.key])

    @property
    def done(self) -> bool:
        """Whether all points are known well enough."""
        return all(self.n_left(point) <= 0 for point in self.points)

    def run(self) -> None:
        """Play until all points are known well enough.

        Raises
        ------
        PlayError
            If workers die again and again, or a game cannot be played.
        """
        self.dispatch.run()

    def next_game(self) -> tuple[Key, Agent, int] | None:
        """Return a game of the point with the fewest, among those that need more."""
        needy = [point for point in self.points if self.n_left(point) > 0]
        if not needy:
            return None
        point = min(needy, key=lambda each: len(each.games) + len(self.in_flight[each.key]))
        flying = self.in_flight[point.key]
        taken = len(point.games) + len(flying)
        replicate = next(r for r in range(taken + 1) if r not in point.games and r not in flying)
        flying.add(replicate)
        seed = validation_seed(self.seed, point.number, replicate)
        return (point.key, replicate), self.agents[point.key], seed

    def thinking(self) -> "Future[Any] | None":
        """Return nothing: what is to be played is known."""
        return None

    def record(self, finished: Finished[Key]) -> None:
        """Store a game that has come back."""
        key, replicate = finished.key
        point = self.by_key[key]
        if finished.game is None:
            raise PlayError(f"{point.origin} cannot be played: {finished.error}")
        if replicate not in point.games:
            name = f"{GAME_PREFIX}{key}:{replicate}"
            self.study.set_user_attr(name, game_to_record(finished.game))
            point.games[replicate] = finished.game
            self.wanted[key] = self.n_wanted(point)
        self.in_flight[key].discard(replicate)

    def estimated_total(self, point: Validated) -> int:
        """Return how many games a point will take in all, as far as can be told."""
        goal = self.experiment.goal
        if goal.is_exact or len(point.games) >= FEWEST_GAMES:
            return self.wanted[point.key]
        if not point.games:
            return self.precision.most_games
        variance = goal.typical_variance(goal.samples(point.in_order))
        return min(self.precision.most_games, self.precision.n_for(variance))

    def snapshot(self) -> Snapshot:
        """Return how far the validation is."""
        n_done = sum(len(point.games) for point in self.points)
        total = sum(max(self.estimated_total(point), len(point.games)) for point in self.points)
        return Snapshot(
            unit="points",
            n_units_done=sum(len(each.games) >= self.wanted[each.key] for each in self.points),
            n_units=len(self.points),
            n_games_done=n_done,
            n_games=total,
            n_games_now=n_done - self.n_games_before,
            seconds=self.dispatch.seconds,
            utilization=self.dispatch.utilization.share,
            note=f"{counted(min(len(point.games) for point in self.points), 'game')} a point at least",
            n_failed=0,
            n_deaths=self.dispatch.n_deaths,
        )
