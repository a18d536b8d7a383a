"""Validation: the front is played again, on seeds that the search never used.

A search picks the best of noisy means, so the observed means of its picks are too high. Validation
plays some θ until their means are known precisely: the θ that the model predicts to be the best of
the whole space, and the baselines. The games of validation do not enter the model of the trials.
The combined model chooses points that are added later, before they have any games. So no point is
chosen because of the games that judge it.

Games are played in rounds of a CPU minute, or of 15% of the CPU time played so far if that is more.
In the first round, all points get the same small number of games. In later rounds, games go to the
points where they are worth most (:mod:`study.run.allocation`). A round is planned from all stored
games, after the last game of the round before. So nothing depends on which worker was faster.
Within a round, the games of all points are interleaved, so a validation may be stopped at any time.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from thetafront.agents.agent import Agent, warm
from thetafront.study.experiments.failures import counting_games, left_out_text, shows_failures
from thetafront.study.experiments.objectives.costs import Cost
from thetafront.study.log.connection import StorageConnection
from thetafront.study.log.invocation import option
from thetafront.study.log.log import Log, failure, game_row, point_row
from thetafront.study.log.point import Point
from thetafront.study.log.seeds import validation_seed
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import VALIDATION
from thetafront.study.log.writer import StudyWriter
from thetafront.study.model.study_model import MAX_GROWTH
from thetafront.study.run.allocation import (
    FIRST_GAMES,
    Played,
    Round,
    decades_of_budgets,
    next_round,
)
from thetafront.study.run.plan import MIN_GAMES_TIMED, MIN_SECONDS
from thetafront.study.run.side_by_side import next_together
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.stopping import MIN_GAMES, Precision
from thetafront.study.run.workers import Finished, PlayError, Task
from thetafront.study.shrinkage import Moments
from thetafront.study.text import counted

Key = tuple[str, int]
"""A point's key, and the replicate of the first game."""
Another = Callable[[Sequence[Point], Sequence[Point]], Point | None]
"""Takes the validated and the left-out points, and returns another point to validate."""
More = Callable[[Sequence[Point], Sequence[Point], int], Sequence[Point]]
"""Takes the validated and the left-out points, and returns at most so many others to validate."""

GROWTH_BETWEEN_CHECKS = 1.2
MAX_SHARE_OF_ADDED = 0.5  # of the time left, for the first games of points that are added
MAX_SHARE_OF_CHOICES = 0.1  # of the time left, to choose the points that are added
ADDED_AT_ONCE = 3  # points; if their first games cannot occupy all workers, more are added
COARSE = 1.25  # a front is coarse if neighbours differ by more than this many standard errors
MIN_SECONDS_TO_STORE = 1e-4  # time to store a game; shorter games count as if they took this long
SECONDS_TOGETHER = 5.0  # of a task if agents learn, since loading an agent takes half a second


class Validation(GameSource[Key]):
    """Plays points until they are known well enough.

    This process must be the only writer of ``log``. If the study already has a point with the same
    θ as one of ``points``, its games count. ``message`` is called with a line of text when a point
    fails. ``another`` returns a point that replaces one that is left out, or None; if it depends on
    trials only, a later run replaces the same points by the same. ``more`` returns points to add if
    there is time.
    """

    def __init__(
        self,
        log: Log,
        data: StudyData,
        points: list[Point],
        precision: Precision,
        message: Callable[[str], None] = lambda text: None,
        connection: StorageConnection | None = None,
        another: Another = lambda validated, left_out: None,
        more: More = lambda validated, left_out, n: (),
    ) -> None:
        self.experiment = experiment = data.experiment
        self.message = message
        warm(experiment.build({}))
        self.goal = experiment.goal
        self.writer = StudyWriter(log, connection)
        self.seed = data.record.seed
        self.max_cost = data.reference and data.reference[1]
        self.precision = precision
        self.known = {point.key: point for point in data.points}
        self.next_number = 1 + max((each.number for each in data.points), default=-1)
        self.by_key: dict[str, Point] = {}
        self.agents: dict[str, Agent] = {}
        self.in_flight: dict[str, set[int]] = {}
        self.moments: dict[str, Moments] = {}
        self.n_before: dict[str, int] = {}
        self.round = Round({})
        self.another, self.more = another, more
        self.max_replacements = len(points)
        self.next_check = 0.0
        self.learning_seconds = 0.0  # the longest that an agent took to learn
        self.n_asked = precision.n_points + len(experiment.baselines)
        self.n_added = 0  # how many points :meth:`fill_in` has added
        self.is_full = False  # whether no point is worth adding, or time is left for none
        self.seconds_to_choose = 0.0  # how long the last choice of points took
        for point in points:
            self.add(point)
        self.n_games_before = sum(self.n_before.values())
        for point in self.points:
            if problem := self.problem(point):
                self.leave_out(point, problem)

    @property
    def points(self) -> list[Point]:
        """The points to play."""
        return [point for point in self.by_key.values() if not point.error]

    @property
    def left_out(self) -> list[Point]:
        """The points that were left out in this run because too many of their games failed."""
        return [point for point in self.by_key.values() if point.error]

    def add(self, point: Point) -> None:
        """Add a point to those played, with its stored games; a new point gets a number."""
        if (before := self.known.get(point.key)) is None:
            point = replace(point, number=self.next_number)
            self.next_number += 1
            self.writer.write(point_row(VALIDATION, point.number, point.params, point.origin))
        else:
            games = counting_games(before.outcomes, self.goal.penalty)
            point = replace(before, games=games, failures=dict(before.failures), error="")
            if before.error:  # the point counts again
                self.writer.write(failure((VALIDATION, point.number), ""))
        self.n_before[point.key] = len(point.games)
        self.agents[point.key] = self.experiment.build(point.params)
        self.in_flight[point.key] = set()
        self.moments[point.key] = point.moments(self.goal)
        self.by_key[point.key] = point

    def n_wanted(self, point: Point) -> int:
        """Return how many games a point needs: one if both score and cost are exact."""
        if self.goal.is_exact and not self.experiment.cost.is_timed:
            return 1
        n, _, squares = self.moments[point.key]
        return self.precision.n_wanted(n, squares / max(n - 1, 1))

    def n_allowed(self, point: Point) -> int:
        """Return how many games a point may have in all."""
        return self.precision.n_allowed(self.n_wanted(point), self.n_before[point.key])

    def n_taken(self, point: Point) -> int:
        """Return how many games of a point are finished or in flight."""
        return len(point.games) + len(self.in_flight[point.key])

    def needy(self) -> list[Point]:
        """Return the points that may get more games, beyond those finished or in flight."""
        return [point for point in self.points if self.n_taken(point) < self.n_allowed(point)]

    @property
    def done(self) -> bool:
        """Whether all points are known well enough."""
        return not self.needy()

    def next_task(self) -> Task[Key] | None:
        """Return the next games of the round; None while its last games are being played."""
        if not self.round:
            if any(self.in_flight.values()):
                return None
            self.round = Round(self.plan())
            if not self.round:
                return None
        point = self.by_key[self.round.pop()]
        flying = self.in_flight[point.key]
        taken = point.games.keys() | point.failures.keys() | flying
        missing = next(r for r in range(len(taken) + 1) if r not in taken)
        agent = self.agents[point.key]
        most = self.precision.n_allowed(self.precision.most_games, self.n_before[point.key])
        replicates = next_together(missing, agent.n_side_by_side, most, point.games)
        side_by_side = len(replicates) > 1
        if not side_by_side and (agent.learns or self.seconds_a_task):
            # Several games, one after the other, but none that is to be played side by side.
            n = 1 + min(self.round.left[point.key], self.n_in_a_row(point))
            end = missing + 1
            while end < missing + n and end not in taken:
                if len(next_together(end, agent.n_side_by_side, most, point.games)) > 1:
                    break
                end += 1
            replicates = range(missing, end)
        seeds = [validation_seed(self.seed, point.number, each) for each in replicates]
        if seeds[-1] - seeds[0] != len(seeds) - 1:  # if seeds are not consecutive, play one game
            replicates, seeds, side_by_side = replicates[:1], seeds[:1], False
        self.round.drop(point.key, len(replicates) - 1)
        flying.update(replicates)
        return Task((point.key, replicates[0]), agent, seeds, side_by_side)

    def n_in_a_row(self, point: Point) -> int:
        """Return how many more games of a point a task may have; 0 before the first game is timed.

        With these games, a task is long enough, but games of the round are left for other workers.
        """
        timed = [game.seconds for game in point.games.values() if game.has_ended]
        if not timed:
            return 0
        mean = fmean(timed)
        seconds, most = self.seconds_a_task, len(self.round) // max(1, self.n_workers)
        if self.agents[point.key].learns:
            seconds = SECONDS_TOGETHER
        n = int(seconds / max(mean, MIN_SECONDS_TO_STORE))
        return min(n, most) if self.seconds_a_task else n

    def plan(self) -> dict[str, int]:
        """Return how many games each point gets in the next round."""
        if self.is_coarse():
            self.fill_in()
        return self.first_games() or (self.allocated() if self.needy() else {})

    def first_games(self) -> dict[str, int]:
        """Return how many of its first games (:data:`FIRST_GAMES`) each point still lacks."""
        first = {
            point.key: min(FIRST_GAMES, self.n_allowed(point)) - len(point.games)
            for point in self.points
        }
        return {key: n for key, n in first.items() if n > 0}

    def is_coarse(self) -> bool:
        """Return whether more points would help: neighbours differ by more than their errors.

        Neighbours are points that follow each other in the order of costs.
        """
        may_grow = self.precision.open_end and not self.is_full
        if not may_grow or self.first_games():
            return False
        cost = self.experiment.cost
        moments = [self.moments[each.key] for each in sort_by_cost(self.points, cost)]
        gaps = np.abs(np.diff([each.mean for each in moments]))
        errors = np.sqrt(self.goal.estimator.variances(moments))
        return len(gaps) > 0 and bool(np.median(gaps) > COARSE * np.median(errors))

    def seconds_to_begin(self) -> float:
        """Return how long all workers would need for the first games of a typical point."""
        ended = ([x.seconds for x in each.games.values() if x.has_ended] for each in self.points)
        seconds = self.learning_seconds + FIRST_GAMES * fmean(map(fmean, filter(None, ended)))
        return max(seconds, MIN_SECONDS) / max(1, self.n_workers)

    def fill_in(self) -> None:
        """Add a few points that are worth adding, up to twice as many as were asked for.

        The games of these points show which points to add next, so few are added at once, unless
        choosing them takes too long. The first games of all added points, for which agents may have
        to learn, take a share of the time left at first.
        """
        n_begun = self.seconds_left / self.seconds_to_begin() + self.n_added
        n_in_time = MAX_SHARE_OF_ADDED * n_begun - self.n_added
        most = int(min(MAX_GROWTH * self.n_asked - len(self.points), n_in_time))
        n_choices = MAX_SHARE_OF_CHOICES * self.seconds_left / max(self.seconds_to_choose, 1e-3)
        several = max(ADDED_AT_ONCE, self.n_workers // FIRST_GAMES)
        most = min(most, max(several, math.ceil(most / max(1.0, n_choices))))
        began = time.perf_counter()
        new = self.more(self.points, self.left_out, most) if most > 0 else ()
        self.seconds_to_choose = time.perf_counter() - began
        self.is_full = len(new) < max(1, most)
        for point in new:
            self.add(point)
        if new and not self.n_added:
            self.message("neighbours on the front differ by more than their errors: adding points")
        self.n_added += len(new)
        if new and len(self.points) >= MAX_GROWTH * self.n_asked:
            more = f"for more, use a larger {option('validation-points')}"
            self.message(f"there are {len(self.points)} points now ({more})")

    def allocated(self) -> dict[str, int]:
        """Return how many games each point gets in a later round (:func:`next_round`)."""
        cost = self.experiment.cost
        points = sort_by_cost(self.points, cost)
        self.moments = {point.key: point.moments(self.goal) for point in points}
        moments = [self.moments[point.key] for point in points]
        n = np.array([each.n for each in moments], np.float64)
        seconds = [fmean(x.seconds for x in point.in_order if x.has_ended) for point in points]
        costs = np.array([cost.value(point.in_order) for point in points])
        played = Played(
            mean=self.goal.sign * np.array([each.mean for each in moments]),
            variance=n * self.goal.estimator.variances(moments),
            n=n,
            seconds=np.maximum(seconds, MIN_SECONDS),
            decades=decades_of_budgets(costs, self.max_cost),
            limit=np.array([self.n_allowed(point) for point in points], np.float64),
        )
        games = next_round(played).tolist()
        return {point.key: n for point, n in zip(points, games, strict=True)}

    def record(self, finished: Finished[Key]) -> None:
        """Store games that have come back.

        Failed games are stored, too. Unless the goal has a penalty, a failed game is replaced by a
        game with the next seed. PlayError is raised if a built-in agent could not be played, or no
        point is left.
        """
        key, first = finished.key
        point = self.by_key[key]
        if point.error:
            return
        if finished.error:
            if not self.experiment.player.is_external or finished.is_machines:
                raise PlayError(f"{point.origin} cannot be played: {finished.error}")
            self.leave_out(point, finished.error)
            return
        for replicate, game in enumerate(finished.games, first):
            self.in_flight[key].discard(replicate)
            if replicate in point.games or replicate in point.failures:
                continue
            unit = VALIDATION, point.number
            self.writer.write(game_row(unit, replicate, game, finished.machine))
            if (counts := point.add(replicate, game, self.goal.penalty)) is not None:
                self.moments[key] = with_sample(self.moments[key], *self.goal.samples([counts]))
        self.learning_seconds = max(self.learning_seconds, finished.learning_seconds)
        if problem := self.problem(point):
            self.leave_out(point, problem)
        elif (n_games := sum(len(each.games) for each in self.points)) > self.next_check:
            self.next_check = GROWTH_BETWEEN_CHECKS * n_games
            if self.is_coarse():
                self.round = Round({})  # then a new round, with more points, is planned

    def problem(self, point: Point) -> str:
        """Return why a point must be left out, given its games so far; otherwise an empty text."""
        n_failed = len(point.failures)
        n_ended = point.n_ended
        # With a penalty, a point is left out only if no game has ended, since it then has no cost.
        is_unplayed = not n_ended and n_failed >= min(FIRST_GAMES, self.n_allowed(point))
        has_no_cost = self.goal.penalty is not None and is_unplayed
        limit = self.experiment.max_failures
        if has_no_cost or shows_failures(point.outcomes, self.goal, limit):
            return left_out_text(point.failures, n_ended)
        return ""

    def leave_out(self, point: Point, error: str) -> None:
        """Stop playing a point; another point replaces it, unless too many were replaced already.

        PlayError is raised if no point is left.
        """
        self.by_key[point.key] = replace(point, error=error)
        self.writer.write(failure((VALIDATION, point.number), error))
        self.round.left[point.key] = 0
        self.in_flight[point.key].clear()
        self.message(f"{point.origin} failed: {error}")
        if len(self.left_out) <= self.max_replacements:
            new = self.another(self.points, self.left_out)
            if new is not None:
                self.add(new)
                self.message("another point takes its place")
        if not self.points and not self.goal.is_exact:  # exact scores are those of the trials
            raise PlayError(f"no point is left to validate; the last error: {error}")

    def close(self) -> None:
        """Store all finished games."""
        self.writer.close()

    def estimated_total(self, point: Point) -> int:
        """Return how many games a point is expected to have at the end."""
        if self.precision.open_end:
            return self.n_allowed(point)
        if self.goal.is_exact or len(point.games) >= MIN_GAMES:
            return max(self.n_wanted(point), len(point.games))
        if not point.games:
            return self.precision.most_games
        variance = self.goal.estimator.typical_variance(self.goal.samples(point.in_order))
        return max(len(point.games), min(self.precision.most_games, self.precision.n_for(variance)))

    @property
    def stage(self) -> int:
        """0 at first; 1 when enough games have been timed for a plan."""
        n_games = sum(len(point.games) for point in self.points)
        return int(n_games - self.n_games_before >= MIN_GAMES_TIMED)

    def snapshot(self) -> Snapshot:
        """Return the progress of the validation."""
        counts = [len(point.games) for point in self.points]
        fewest = min(counts, default=0)
        note = f"at least {counted(fewest, 'game')} per point"
        if not self.goal.is_exact and fewest >= 2:
            moments = [self.moments[point.key] for point in self.points]
            variances = self.goal.estimator.variances(moments)
            widest = math.sqrt(float(variances.max()))
            note = f"largest standard error {self.goal.format.error_with_unit(widest)}"
        return Snapshot(
            unit="points",
            n_units_done=sum(len(each.games) >= self.n_wanted(each) for each in self.points),
            n_units=len(self.points),
            n_games_done=sum(counts),
            n_games=sum(self.estimated_total(point) for point in self.points),
            note=note,
        )


def sort_by_cost(points: Sequence[Point], cost: Cost) -> list[Point]:
    """Return points with games, the cheapest first."""
    return sorted(points, key=lambda point: cost.value(point.in_order))


def with_sample(moments: Moments, sample: float) -> Moments:
    """Return moments with one more sample (Welford 1962)."""
    n = moments.n + 1
    mean = moments.mean + (sample - moments.mean) / n
    return Moments(n, mean, moments.m2 + (sample - moments.mean) * (sample - mean))
