"""Validation: the front played again, on seeds that the search never used.

A search picks the best of noisy means, so what it has observed of its picks is too good. Here some
θ are played until their means are known precisely: those on the model's front among the trials,
those that the model predicts to be best over the whole space, and the baselines. None of these
games goes back into the model, so that they judge a point without having selected it.

Points get their games in turn, those with the fewest first: whenever a validation is stopped, all
points are equally well known.
"""

import optuna

from agents.agent import warm
from study.run.source import Snapshot, Source
from study.run.stopping import FEWEST_GAMES, Precision
from study.run.workers import Finished, PlayError, Task
from study.store.seeds import game_to_record, validation_seed
from study.store.study_data import StudyData
from study.store.validated_points import GAME_PREFIX, POINT_PREFIX, ValidatedPoint
from study.text import counted

Key = tuple[str, int]
"""A game's point, and its replicate."""


class Validation(Source[Key]):
    """Points being played until they are known well enough.

    Parameters
    ----------
    study : optuna.Study
        Where games are kept; this process must be its only writer.
    data : StudyData
        The same study as it is now.
    points : list of ValidatedPoint
        What to play; points of the same θ that the study has already keep their games.
    precision : Precision
        When to stop.
    """

    def __init__(
        self,
        study: optuna.Study,
        data: StudyData,
        points: list[ValidatedPoint],
        precision: Precision,
    ) -> None:
        experiment = data.experiment
        warm(experiment.build({}))
        self.goal = experiment.goal
        self.study = study
        self.seed = data.record.seed
        self.points = points
        self.precision = precision
        known = {point.key: point for point in data.points}
        for point in points:
            if point.key in known:
                point.games = known[point.key].games
                point.number = known[point.key].number
            else:
                point.number = len(known)
                known[point.key] = point
                record = {
                    "params": dict(point.params),
                    "origin": point.origin,
                    "number": point.number,
                }
                study.set_user_attr(f"{POINT_PREFIX}{point.key}", record)
        self.by_key = {point.key: point for point in points}
        self.agents = {point.key: experiment.build(point.params) for point in points}
        self.in_flight: dict[str, set[int]] = {point.key: set() for point in points}
        self.wanted = {point.key: self.n_wanted(point) for point in points}
        self.n_games_before = sum(len(point.games) for point in points)

    def n_wanted(self, point: ValidatedPoint) -> int:
        """Return how many games a point needs, by its games so far; one if scores are exact."""
        if self.goal.is_exact:
            return 1
        return self.precision.n_wanted(self.goal.samples(point.in_order))

    def n_allowed(self, point: ValidatedPoint) -> int:
        """Return how many games a point may have in all."""
        wanted = self.wanted[point.key]
        return wanted if self.goal.is_exact else self.precision.n_allowed(wanted)

    def n_taken(self, point: ValidatedPoint) -> int:
        """Return how many games of a point are finished or in flight."""
        return len(point.games) + len(self.in_flight[point.key])

    def needy(self) -> list[ValidatedPoint]:
        """Return the points with games that are neither finished nor in flight."""
        return [point for point in self.points if self.n_taken(point) < self.n_allowed(point)]

    @property
    def done(self) -> bool:
        """Whether all points are known well enough."""
        return not self.needy()

    def next_task(self) -> Task[Key] | None:
        """Return a game of the point with the fewest, among those that need more."""
        point = min(self.needy(), key=self.n_taken, default=None)
        if point is None:
            return None
        flying = self.in_flight[point.key]
        taken = point.games.keys() | flying
        replicate = next(r for r in range(len(taken) + 1) if r not in taken)
        flying.add(replicate)
        seed = validation_seed(self.seed, point.number, replicate)
        return Task((point.key, replicate), self.agents[point.key], (seed,))

    def record(self, finished: Finished[Key]) -> None:
        """Store a game that has come back; PlayError if it could not be played."""
        key, replicate = finished.key
        point = self.by_key[key]
        if finished.error:
            raise PlayError(f"{point.origin} cannot be played: {finished.error}")
        if replicate not in point.games:
            (game,) = finished.games
            self.study.set_user_attr(f"{GAME_PREFIX}{key}:{replicate}", game_to_record(game))
            point.games[replicate] = game
            self.wanted[key] = self.n_wanted(point)
        self.in_flight[key].discard(replicate)

    def estimated_total(self, point: ValidatedPoint) -> int:
        """Return how many games a point will take in all, as far as known."""
        if self.goal.is_exact or len(point.games) >= FEWEST_GAMES:
            return max(self.wanted[point.key], len(point.games))
        if not point.games:
            return self.precision.most_games
        variance = self.goal.estimator.typical_variance(self.goal.samples(point.in_order))
        return max(len(point.games), min(self.precision.most_games, self.precision.n_for(variance)))

    def snapshot(self) -> Snapshot:
        """Return how far the validation is."""
        counts = [len(point.games) for point in self.points]
        return Snapshot(
            unit="points",
            n_units_done=sum(len(each.games) >= self.wanted[each.key] for each in self.points),
            n_units=len(self.points),
            n_games_done=sum(counts),
            n_games=sum(self.estimated_total(point) for point in self.points),
            note=f"{counted(min(counts), 'game')} a point at least",
        )
