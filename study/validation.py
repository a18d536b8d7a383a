"""Validation: the front played again, on seeds that the search never used.

A search picks the best of noisy means, so what it has observed of its picks is too good. Here some θ are
played until their means are known well: those of the posterior front among the trials, those that the
model believes in most but no trial has tried, and the baselines. Nothing that is observed here goes back
into the model, so that a point's games judge it without having chosen it.

Points get their games in turn, those with the fewest first: whenever it is stopped, all are equally
well known.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import optuna
from optuna.trial import TrialState

from agents.agent import Agent, Game, warm
from study.batch import games_in
from study.counted import counted
from study.cube import Cube
from study.dispatch import Dispatch
from study.errors import InputError, check_range
from study.experiment import Experiment
from study.goal import SCORE, Goal
from study.model_front import ModelFront, believed_front, evenly_spaced
from study.observations import Observations, observe
from study.posterior import Posterior
from study.progress import Snapshot
from study.replicate import game_to_record, validation_seed
from study.workers import Finished

__all__ = [
    "Belief",
    "Precision",
    "Validated",
    "Validation",
    "ValidationError",
    "belief_of",
    "choose_points",
    "validated_points",
]

Floats = npt.NDArray[np.float64]

POINT_PREFIX = "point:"
GAME_PREFIX = "validation:"
FEWEST_GAMES = 100  # before a sample's own deviation is believed
MOST_GAMES_ALLOWED = 400_000
MOST_POINTS = 1000


class ValidationError(Exception):
    """A game of a validated θ cannot be played. Nothing finished is lost."""


@dataclass(frozen=True)
class Precision:
    """How well the points are to be known.

    Parameters
    ----------
    standard_error : float
        Of each mean, in the goal's unit: enough games for that,
    most_games : int
        but no more than these a point (that the number depends on what is played biases its mean by
        a twentieth of its standard error at most, in simulations).
    n_points : int
        Time budgets for which a trial and a proposal of the model are chosen.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    standard_error: float = SCORE.standard_error
    most_games: int = 1000
    n_points: int = 6

    def __post_init__(self) -> None:
        if not (math.isfinite(self.standard_error) and self.standard_error > 0):
            raise InputError(
                f"standard error: {self.standard_error:g} given, a finite number above 0 allowed"
            )
        check_range("validation games", self.most_games, 2, MOST_GAMES_ALLOWED)
        check_range("validation points", self.n_points, 2, MOST_POINTS)

    @classmethod
    def of(
        cls, goal: Goal, standard_error: float | None, most_games: int, n_points: int
    ) -> "Precision":
        """Return what is asked for, with the goal's own standard error if none is given."""
        if standard_error is not None:
            highest = goal.limits[1]
            if highest is not None and standard_error > highest:
                raise InputError(
                    f"standard error: {standard_error:g} given, of a {goal.label} a share above 0 and up to "
                    f"{highest:g} allowed, such as {goal.standard_error:g} for {goal.show(goal.standard_error)}"
                )
            return cls(standard_error, most_games, n_points)
        if goal.is_exact:  # no error is asked for: one game tells all, see Validation.n_wanted
            return cls(most_games=most_games, n_points=n_points)
        return cls(goal.standard_error, most_games, n_points)

    def n_wanted(self, samples: Sequence[float] | Floats) -> int:
        """Return how many games a point needs, as far as its games so far tell."""
        if len(samples) < min(FEWEST_GAMES, self.most_games):
            return min(FEWEST_GAMES, self.most_games)
        variance = float(np.var(samples, ddof=1))
        return min(self.most_games, max(len(samples), self.n_for(variance)))

    def n_for(self, variance: float) -> int:
        """Return how many games of that variance give the standard error."""
        return max(FEWEST_GAMES, math.ceil(variance / self.standard_error**2))


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


@dataclass(frozen=True)
class Belief:
    """What the search's trials let one believe.

    Attributes
    ----------
    cube, observations, posterior : Cube, Observations, Posterior
        The model.
    evaluated, anywhere : ModelFront
        Its fronts, among the trials and over the whole space.
    """

    cube: Cube
    observations: Observations
    posterior: Posterior
    evaluated: ModelFront
    anywhere: ModelFront


def belief_of(study: optuna.Study, experiment: Experiment, seed: int) -> Belief | None:
    """Fit the model to a study's complete trials; None if there are none."""
    cube = Cube(experiment.space.distributions())
    trials = study.get_trials(deepcopy=False)
    observations = observe(trials, cube, study.directions, experiment.objectives)
    if not len(observations.points):
        return None
    posterior = Posterior.of(observations)
    rng = np.random.default_rng([seed, 1])
    evaluated, anywhere = believed_front(posterior, observations, cube, rng)
    return Belief(cube, observations, posterior, evaluated, anywhere)


def key_of(params: Mapping[str, Any]) -> str:
    """Name a θ: ten hexadecimal digits, the same for the same values."""
    plain = {
        name: value if isinstance(value, str) else float(value)
        for name, value in sorted(params.items())
    }
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:10]


def choose_points(
    belief: Belief, study: optuna.Study, experiment: Experiment, n_points: int
) -> list[Validated]:
    """Choose what to validate: along the time axis, and the baselines.

    For each of ``n_points`` budgets, equally far apart in log cost over the posterior front: the best trial
    and the best point of all, both by posterior mean. The costs are posterior means too, which for
    costs are nearly exact.
    """
    ends = np.concatenate([belief.evaluated.mean[:, 1], belief.anywhere.mean[:, 1]])
    budgets = np.linspace(ends.max(), ends.min(), n_points) - 1e-9
    trials = [
        trial
        for trial in study.get_trials(deepcopy=False)
        if trial.state == TrialState.COMPLETE and set(trial.params) >= set(experiment.space.names)
    ]
    codes = belief.cube.encode([trial.params for trial in trials])
    chosen: dict[str, Validated] = {}

    def add(params: Mapping[str, Any], origin: str) -> None:
        values = {each.name: each.clip(params[each.name]) for each in experiment.space}
        chosen.setdefault(key_of(values), Validated(key_of(values), values, origin))

    for name, values in experiment.baselines.items():
        add(values, name)
    for index in evenly_spaced(belief.evaluated, budgets):
        nearest = int(np.argmin(np.abs(codes - belief.evaluated.points[index]).sum(axis=1)))
        add(trials[nearest].params, f"trial {trials[nearest].number}")
    for index in evenly_spaced(belief.anywhere, budgets):
        add(tidy(belief.cube.decode(belief.anywhere.points[index]), experiment), "proposal")
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
        WorkersError
            If workers die again and again.
        ValidationError
            If a game cannot be played.
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
            raise ValidationError(f"{point.origin} cannot be played: {finished.error}")
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
