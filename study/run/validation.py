"""Validation: the front played again, on seeds that the search never used.

A search picks the best of noisy means, so what it has observed of its picks is too good. Here some
θ are played until their means are known precisely: those that the model predicts to be the best of
the whole space, and the baselines. None of these games goes back into the model of the trials, so
that they judge a point without having selected it.

Games are played in rounds of a CPU minute, or of 15% of what has been played, if that is more. In
the first one all points get the same small number. The games of a later round go where they are
worth most (:mod:`study.run.allocation`), by all games stored when it is planned, and by nothing
else: none of it depends on which worker was faster. The next round is planned when the last game of
this one is stored. Within a round each point gets its games evenly, so that a validation may be
stopped whenever one likes.
"""

import math
from collections import deque
from collections.abc import Callable
from statistics import fmean

import numpy as np
import optuna

from agents.agent import warm
from study.run.allocation import FIRST_GAMES, Played, decades_of_budgets, in_turns, next_round
from study.run.plan import FEWEST_GAMES_TIMED
from study.run.side_by_side import next_together
from study.run.source import Snapshot, Source
from study.run.stopping import FEWEST_GAMES, Precision
from study.run.workers import Finished, PlayError, Task
from study.shrinkage import Moments
from study.store.connection import StorageConnection
from study.store.games_table import VALIDATION
from study.store.seeds import validation_seed
from study.store.study_data import StudyData
from study.store.validated_points import POINT_PREFIX, ValidatedPoint
from study.store.writer import StudyWriter
from study.store.writes import PlayedGame, StudyAttribute
from study.text import counted

Key = tuple[str, int]
"""The point of some games, and the first one's replicate."""

LEAST_SECONDS = 1e-6  # of a game, for the clock's resolution
SECONDS_TOGETHER = 5.0  # of games of an agent that has learned: reading that takes half a second


class Validation(Source[Key]):
    """Points being played until they are known well enough.

    Parameters
    ----------
    study : optuna.Study
        Where games are kept, in a database; this process must be its only writer.
    data : StudyData
        The same study as it is now.
    points : list of ValidatedPoint
        What to play; points of the same θ that the study has already keep their games.
    precision : Precision
        When to stop.
    message : callable
        Called with a line of text when a point fails.
    connection : StorageConnection, optional
        What waits for the database's server if it is lost.
    """

    def __init__(
        self,
        study: optuna.Study,
        data: StudyData,
        points: list[ValidatedPoint],
        precision: Precision,
        message: Callable[[str], None] = lambda text: None,
        connection: StorageConnection | None = None,
    ) -> None:
        self.experiment = experiment = data.experiment
        self.message = message
        warm(experiment.build({}))
        self.goal = experiment.goal
        self.writer = StudyWriter(study, connection)
        self.seed = data.record.seed
        self.dearest = data.reference and data.reference[1]
        self.precision = precision
        known = {point.key: point for point in data.points}
        for point in points:
            if point.key in known:
                point.games = known[point.key].games
                point.number = known[point.key].number
                if known[point.key].error:  # of an earlier run: it is tried again
                    self.write(point)
            else:
                point.number = 1 + max((each.number for each in known.values()), default=-1)
                known[point.key] = point
                self.write(point)
        self.points = points
        self.by_key = {point.key: point for point in points}
        self.agents = {point.key: experiment.build(point.params) for point in points}
        self.in_flight: dict[str, set[int]] = {point.key: set() for point in points}
        self.moments = {point.key: self.moments_of(point) for point in points}
        self.wanted = {point.key: self.n_wanted(point) for point in points}
        self.round: deque[ValidatedPoint] = deque()
        self.n_games_before = sum(len(point.games) for point in points)

    def moments_of(self, point: ValidatedPoint) -> Moments:
        """Return the moments of a point's samples so far."""
        return Moments.of(self.goal.samples(point.in_order))

    def n_wanted(self, point: ValidatedPoint) -> int:
        """Return how many games a point needs, by its games so far; one if scores are exact."""
        if self.goal.is_exact:
            return 1
        n, _, squares = self.moments[point.key]
        return self.precision.n_wanted(n, squares / max(n - 1, 1))

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
        """Return the next games of the round; None while the last ones are being played."""
        if not self.round:
            if any(self.in_flight.values()):
                return None
            self.round.extend(self.plan())
            if not self.round:
                return None
        point = self.round.popleft()
        flying = self.in_flight[point.key]
        taken = point.games.keys() | flying
        missing = next(r for r in range(len(taken) + 1) if r not in taken)
        agent, most = self.agents[point.key], self.precision.n_allowed(self.precision.most_games)
        replicates = next_together(missing, agent.n_side_by_side, most, point.games)
        side_by_side = len(replicates) > 1
        if not side_by_side and (agent.learns or self.seconds_a_task):
            # One after the other, as far as the next ones are played alone, too.
            n = 1 + min(sum(each is point for each in self.round), self.n_in_a_row(point))
            end = missing + 1
            while end < missing + n and end not in taken:
                if len(next_together(end, agent.n_side_by_side, most, point.games)) > 1:
                    break
                end += 1
            replicates = range(missing, end)
        seeds = [validation_seed(self.seed, point.number, each) for each in replicates]
        if seeds[-1] - seeds[0] != len(seeds) - 1:  # seeds of one point wrap around: no chunk
            replicates, seeds, side_by_side = replicates[:1], seeds[:1], False
        self.take_from_round(point, len(replicates) - 1)
        flying.update(replicates)
        return Task((point.key, replicates[0]), agent, seeds, side_by_side)

    def take_from_round(self, point: ValidatedPoint, n: int) -> None:
        """Take a point's next n games out of the round, or all that it has left there."""
        if not n:
            return
        later = deque[ValidatedPoint]()
        for each in self.round:
            if n and each is point:
                n -= 1
            else:
                later.append(each)
        self.round = later

    def n_in_a_row(self, point: ValidatedPoint) -> int:
        """Return how many more games of a point a task may have; none before the first is timed.

        Some seconds of them; on a cluster no more than leave as many to each worker.
        """
        if not point.games:
            return 0
        mean = fmean(game.seconds for game in point.games.values())
        seconds, most = self.seconds_a_task, len(self.round) // max(1, self.n_workers)
        if self.agents[point.key].learns:
            seconds = SECONDS_TOGETHER
        n = int(seconds / max(mean, LEAST_SECONDS))
        return min(n, most) if self.seconds_a_task else n

    def plan(self) -> list[ValidatedPoint]:
        """Return the points of the next round's games, in order."""
        needy = self.needy()
        first = [
            (n, number, point)
            for number, point in enumerate(needy)
            for n in range(len(point.games), min(FIRST_GAMES, self.n_allowed(point)))
        ]
        if first:  # those with the fewest come first
            return [point for *_, point in sorted(first, key=lambda each: each[:2])]
        return self.allocated() if needy else []

    def allocated(self) -> list[ValidatedPoint]:
        """Return the points of a later round's games, in order."""
        cost = self.experiment.cost
        costs = {point.key: cost.of(point.in_order) for point in self.points}
        points = sorted(self.points, key=lambda point: costs[point.key])
        self.moments = {point.key: self.moments_of(point) for point in points}
        moments = [self.moments[point.key] for point in points]
        n = np.array([each.n for each in moments], np.float64)
        seconds = [np.mean([game.seconds for game in point.in_order]) for point in points]
        in_order = np.array([costs[point.key] for point in points])
        played = Played(
            mean=self.goal.sign * np.array([each.mean for each in moments]),
            variance=n * self.goal.estimator.variances(moments),
            n=n,
            seconds=np.maximum(seconds, LEAST_SECONDS),
            decades=decades_of_budgets(in_order, self.dearest),
        )
        limit = np.array([self.n_allowed(point) for point in points], np.int64)
        return [points[k] for k in in_turns(next_round(played, limit))]

    def write(self, point: ValidatedPoint) -> None:
        """Store a point."""
        self.writer.write(StudyAttribute(f"{POINT_PREFIX}{point.key}", point.as_record))

    def record(self, finished: Finished[Key]) -> None:
        """Store games that have come back.

        A point of an agent that is not ours is left out from its first error on; PlayError if an
        agent of ours could not be played, or no point is left.
        """
        key, first = finished.key
        point = self.by_key[key]
        if point.error:
            return
        if finished.error:
            if not self.experiment.player.is_outside or finished.is_machines:
                raise PlayError(f"{point.origin} cannot be played: {finished.error}")
            self.leave_out(point, finished.error)
            return
        for replicate, game in enumerate(finished.games, first):
            if replicate not in point.games:
                played = PlayedGame(VALIDATION, key, replicate, game, finished.machine)
                self.writer.write(played)
                point.games[replicate] = game
                self.moments[key] = with_sample(self.moments[key], *self.goal.samples([game]))
                self.wanted[key] = self.n_wanted(point)
            self.in_flight[key].discard(replicate)

    def leave_out(self, point: ValidatedPoint, error: str) -> None:
        """Play no more games of a point; PlayError if it was the last."""
        point.error = error
        self.write(point)
        self.points = [each for each in self.points if each is not point]
        self.round = deque(each for each in self.round if each is not point)
        self.in_flight[point.key].clear()
        self.message(f"{point.origin} failed: {error}")
        if not self.points:
            raise PlayError(f"no point is left to validate; the last error: {error}")

    def close(self) -> None:
        """Store whatever has finished."""
        self.writer.close()

    def estimated_total(self, point: ValidatedPoint) -> int:
        """Return how many games a point will take in all, as far as known."""
        if self.precision.open_end and not self.goal.is_exact:
            return self.n_allowed(point)
        if self.goal.is_exact or len(point.games) >= FEWEST_GAMES:
            return max(self.wanted[point.key], len(point.games))
        if not point.games:
            return self.precision.most_games
        variance = self.goal.estimator.typical_variance(self.goal.samples(point.in_order))
        return max(len(point.games), min(self.precision.most_games, self.precision.n_for(variance)))

    @property
    def stage(self) -> int:
        """1 when enough games have been timed for a plan."""
        n_games = sum(len(point.games) for point in self.points)
        return int(n_games - self.n_games_before >= FEWEST_GAMES_TIMED)

    def snapshot(self) -> Snapshot:
        """Return how far the validation is."""
        counts = [len(point.games) for point in self.points]
        note = f"{counted(min(counts), 'game')} a point at least"
        if not self.goal.is_exact and min(counts) >= 2:
            variances = self.goal.estimator.variances(list(self.moments.values()))
            widest = math.sqrt(float(variances.max()))
            note = f"widest standard error {self.goal.format.error_with_unit(widest)}"
        return Snapshot(
            unit="points",
            n_units_done=sum(len(each.games) >= self.wanted[each.key] for each in self.points),
            n_units=len(self.points),
            n_games_done=sum(counts),
            n_games=sum(self.estimated_total(point) for point in self.points),
            note=note,
        )


def with_sample(moments: Moments, sample: float) -> Moments:
    """Return moments with one more sample (Welford 1962)."""
    n = moments.n + 1
    mean = moments.mean + (sample - moments.mean) / n
    return Moments(n, mean, moments.m2 + (sample - moments.mean) * (sample - mean))
