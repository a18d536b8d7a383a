"""Open trials, which are those whose games are being played, and how the log stores them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from heapq import heapify, heappush

from thetafront.agents.agent import Agent
from thetafront.study.experiments.failures import counting_games, left_out_text, shows_failures
from thetafront.study.log.connection import StorageConnection
from thetafront.study.log.log import Log, failure, game_row, point_row
from thetafront.study.log.mirror import Mirror
from thetafront.study.log.point import COMPLETE, DESIGN, FAIL, RUNNING, Point
from thetafront.study.log.study_data import StudyData
from thetafront.study.log.tables import SEARCH
from thetafront.study.log.writer import StudyWriter
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.workers import Finished, PlayError

Key = tuple[int, tuple[int, ...]]
"""A trial's number, and the replicates of some of its games."""


@contextmanager
def timed(durations: list[float]) -> Iterator[None]:
    """Append the wall-clock seconds of the block to ``durations``."""
    began = time.monotonic()
    yield
    durations.append(time.monotonic() - began)


@dataclass(frozen=True)
class OpenTrial:
    """A trial whose games are being played."""

    point: Point  # the trial, with the games so far
    agent: Agent  # the agent that plays them


class OpenTrials:
    """The trials of a study whose games are being played, and how many have ended.

    This process must be the only writer of ``log``.
    """

    def __init__(
        self,
        data: StudyData,
        log: Log,
        settings: SearchSettings,
        connection: StorageConnection | None = None,
    ) -> None:
        self.data = data
        self.experiment = data.experiment
        self.settings = settings
        self.mirror: Mirror | None = None
        if not log.is_in_memory:
            self.mirror = Mirror(log, data.experiment, data.trials)
        self.writer = StudyWriter(log, connection, mirror=self.mirror)
        self.open: dict[int, OpenTrial] = {}  # by number
        # A heap of games that have not been given to a worker yet: trial numbers and replicates.
        self.waiting: list[tuple[int, int]] = []
        self.n_complete = self.n_failed = self.n_games = 0  # including those of earlier runs
        # Seconds until the writer accepted each new trial (`begin`) and each game (`store`), and
        # seconds to compute each trial's objectives (`tell`). The writer accepts rows late if the
        # storage is slower than the games.
        self.seconds: dict[str, list[float]] = {"begin": [], "store": [], "tell": []}

    def resume(self, trial: Point) -> Point | None:
        """Count a trial of an earlier run, and reopen it if it was interrupted.

        Return the trial if it ends now: no game is missing, θ is refused, or too many games failed.
        """
        self.n_games += len(trial.outcomes)
        self.n_complete += trial.state == COMPLETE
        self.n_failed += trial.state == FAIL
        return self.begin_games(trial) if trial.state == RUNNING else None

    def begin(self, proposals: Sequence[Point]) -> list[Point]:
        """Write proposals into the log as trials, and open them; return those that fail."""
        began = time.monotonic()
        trials = [
            replace(
                each,
                origin=DESIGN if each.number in self.data.waiting else self.settings.sampler,
                n_games=self.settings.n_replicates,
                began=time.time(),
            )
            for each in proposals
        ]
        for each in trials:
            begun = each.origin, each.n_games, each.notes, each.began
            self.writer.write(point_row(SEARCH, each.number, each.params, *begun))
        ended = [self.begin_games(each) for each in trials]
        n = max(len(proposals), 1)
        self.seconds["begin"] += [(time.monotonic() - began) / n] * len(proposals)
        return [trial for trial in ended if trial is not None]

    def begin_games(self, trial: Point) -> Point | None:
        """Prepare a running trial's missing games; return the trial if it ends at once."""
        error, penalty = "", self.experiment.goal.penalty
        games = counting_games(trial.outcomes, penalty)
        point = replace(trial, games=games, failures=dict(trial.failures))
        try:
            agent = self.experiment.build(trial.params)
        except ValueError as refused:
            agent, error = self.experiment.build({}), str(refused)
        self.open[trial.number] = OpenTrial(point, agent)
        if ended := self.ended(point, error):
            return ended
        for replicate in point.missing(penalty):
            heappush(self.waiting, (trial.number, replicate))
        if self.mirror is not None:
            self.mirror.put(point)
        return None

    def record(self, finished: Finished[Key]) -> Point | None:
        """Store games that have come back; return their trial if it has ended.

        A game that failed is replaced by a game with the next seed, until θ is left out. PlayError
        is raised if an agent could not learn; a later run can continue the trial.
        """
        number, replicates = finished.key
        trial = self.open.get(number)
        if trial is None:
            return None  # the trial has failed already
        if finished.is_machines:
            raise PlayError(f"trial {number} cannot be played: {finished.error}")
        point, penalty = trial.point, self.experiment.goal.penalty
        if finished.error:
            return self.ended(point, finished.error)
        for replicate, game in zip(replicates, finished.games, strict=True):
            if replicate in point.games or replicate in point.failures:
                continue  # stored already
            self.n_games += 1
            with timed(self.seconds["store"]):
                self.writer.write(game_row((SEARCH, number), replicate, game, finished.machine))
                if point.add(replicate, game, penalty) is None:
                    heappush(self.waiting, (number, point.n_replicates(penalty) - 1))
        return self.ended(point)

    def ended(self, point: Point, error: str = "") -> Point | None:
        """Close and return a trial that failed or has all of its games; None if it continues."""
        goal = self.experiment.goal
        is_missing = bool(point.missing(goal.penalty))
        if not error and point.failures:
            is_unplayed = not (point.n_ended or is_missing)  # so the trial has no cost
            if is_unplayed or shows_failures(point.outcomes, goal, self.experiment.max_failures):
                error = left_out_text(point.failures, point.n_ended)
        if error:
            self.writer.write(failure((SEARCH, point.number), error))
            self.waiting = [each for each in self.waiting if each[0] != point.number]
            heapify(self.waiting)
            self.n_failed += 1
            ended = replace(point, error=error, ended=time.time())
        elif is_missing:
            return None
        else:
            with timed(self.seconds["tell"]):
                values = point.objectives(goal, self.experiment.cost)
                self.n_complete += 1
                ended = replace(point, values=values, ended=time.time())
        del self.open[point.number]
        if self.mirror is not None:
            self.mirror.put(ended)
        return ended
