"""Plans: how many trials and games fit into a budget, and how precise they make the front.

The time of a game depends on θ, and varies a hundredfold over the space. So a Gaussian process is
fitted to the logarithm of the mean seconds of a game at each trial and validated point so far. It
predicts how long games of later trials and of the predicted front will take. The ratio of a game's
wall-clock time to the CPU time of the agent's deciding thread is measured during the run. Later
plans use this ratio, which makes them more accurate.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.log.study_data import StudyData
from thetafront.study.model.study_model import points_to_validate
from thetafront.study.report.analysis import Analysis
from thetafront.study.run.allocation import FIRST_GAMES, Played, decades_of_budgets, next_round
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.side_by_side import expected_share
from thetafront.study.run.stopping import Precision
from thetafront.study.samplers.fitted_model import FittedModel
from thetafront.study.samplers.gaussian_process import GaussianProcess
from thetafront.study.samplers.hyperparameters import fit_hyperparameters
from thetafront.study.text import counted, duration

Floats = npt.NDArray[np.float64]

CHANGE = 1.5  # factor by which a plan must differ to be printed again
MIN_TRIALS = 8  # complete trials before a plan is made
MIN_GAMES_TIMED = 8  # games of this run before a plan is made
MIN_SECONDS_TIMED = 60.0  # seconds of games in a phase before the phase's own pace is used
MIN_TASKS_TIMED = 64  # tasks in a phase that are enough, even if their games took less time
MIN_SECONDS = 1e-6  # least time of a game: the clock's resolution
MAX_TIMED = 256  # the model of times is fitted to at most this many of the played θ
# Typical time of a game of the sampler's trials or of the front, divided by the time of a game of
# the design; ratios of 1.4 to 2.4 were seen.
DEARER = 1.8
TRIALS_OF_PRIOR = 4  # a guessed time of a sampler's trials counts as this many trials
TRIALS_OF_TRUST = 64  # number of trials at which a guess of times has half its initial weight
SECONDS_A_PROPOSAL = 0.15  # including the writing of its trial; 0.2 to 0.3 if games are short


@dataclass(frozen=True)
class Pace:
    """How fast games are played."""

    jobs: int  # how many workers play
    # A worker's wall-clock seconds in games, per CPU second of the deciding thread.
    wall_seconds: float
    # Seconds that a worker waits between two tasks, because games are handed out and stored one by
    # one. If games are short, this is a large part of the time.
    idle_seconds: float = 0.0
    # Mean wall-clock seconds that an agent learns before the games of a task.
    learning_seconds: float = 0.0

    @classmethod
    def measured(cls, dispatch: Dispatch[Any]) -> "Pace":
        """Return the pace of a run so far.

        When the last task ended, the other workers were playing tasks that are not counted yet.
        Early in a run, these tasks take most of the time. Each of them is assumed to have taken as
        long as the longest finished task.
        """
        used, jobs = dispatch.utilization, max(1, dispatch.jobs)  # a cluster may have no workers
        if not (used.share > 0.0 and dispatch.game_seconds > 0.0):
            return cls(jobs, 1.0)
        in_flight = (jobs - 1) * used.longest_seconds
        idle = used.worker_seconds - used.task_seconds - in_flight
        wall = used.busy_seconds / dispatch.game_seconds
        learning = used.learning_seconds / used.n_tasks
        return cls(jobs, wall, max(0.0, idle) / used.n_tasks, learning)

    @property
    def overhead(self) -> float:
        """The time between tasks, converted to CPU seconds of the deciding thread."""
        return self.idle_seconds / self.wall_seconds

    def wall_clock(self, seconds: float) -> float:
        """Return the wall-clock time that all workers together need for some seconds of games."""
        return seconds * self.wall_seconds / self.jobs


class GameTimes:
    """Predicts from a study's games how long a game of any θ takes if it is played alone.

    The study must have at least one game. θ is encoded as in ``model``. ``overhead`` is the number
    of seconds between two games, added to each prediction.
    """

    def __init__(self, data: StudyData, model: FittedModel, overhead: float = 0.0) -> None:
        self.cube = model.cube
        self.overhead = overhead
        space = data.experiment.space
        played = [
            (each.params, np.mean([game.seconds for game in each.games.values() if game.is_timed]))
            for each in (*data.trials, *data.points)
            if any(game.is_timed for game in each.games.values()) and space.is_whole(each.params)
        ]
        some = np.unique(np.linspace(0, len(played) - 1, MAX_TIMED).round().astype(int))
        played = [played[k] for k in some]
        points = self.cube.encode([params for params, _ in played])
        logs = np.log(np.maximum([seconds for _, seconds in played], MIN_SECONDS))
        noise = np.full(len(logs), np.nan)
        hyper = fit_hyperparameters(points, logs, noise, self.cube.owners)
        self.process = GaussianProcess.condition(hyper, points, logs, noise)

    def at(self, params: Sequence[Mapping[str, Any]]) -> Floats:
        """Return, for each θ, the mean seconds of a game, including the overhead."""
        if not params:
            return np.zeros(0)
        mean, variance = self.process.predict(self.cube.encode(params))
        return np.asarray(np.exp(mean + 0.5 * variance)) + self.overhead


def guess_typical(of_design: Floats) -> float:
    """Guess the seconds of a game of the sampler's trials or of the front, from the design's games.

    Times vary by orders of magnitude, so the guess is based on √(arithmetic mean · geometric mean).
    """
    geometric = float(np.exp(np.mean(np.log(of_design))))
    return DEARER * math.sqrt(float(of_design.mean()) * geometric)


def drawn_towards(points: Played, typical: float, trust: float, seconds: float) -> Played:
    """Shrink the predicted times of games towards a guess, more strongly if ``trust`` is low.

    A model of a few trials may predict times of the front that are ten times too long or too short.
    So all times are multiplied by one factor. It makes the mean time of the games to be played in
    ``seconds`` a weighted geometric mean of the prediction and the guess (``typical``). The weight
    of the guess is at most one half.
    """
    n = games_after(points, seconds) - points.n
    if not n.sum():
        return points
    factor = (typical * n.sum() / points.seconds_of(n)) ** (0.5 * (1.0 - trust))
    return replace(points, seconds=points.seconds * factor)


def games_after(points: Played, seconds: float) -> Floats:
    """Return how many games each point will have after some seconds of validation."""
    n = points.n
    if points.seconds_of(points.limit - n) <= seconds:
        return points.limit
    while True:
        first = np.minimum(FIRST_GAMES, points.limit)
        begins = bool(np.any(n < first))
        goal = np.maximum(n, first) if begins else n + next_round(replace(points, n=n))
        left, needed = seconds - points.seconds_of(n - points.n), points.seconds_of(goal - n)
        if needed >= left or not needed:
            return n + (goal - n) * (left / needed if needed else 0.0)
        n = goal


@dataclass(frozen=True)
class Plan:
    """What a run is expected to do from now on."""

    n_trials: int  # complete trials at the end
    # Wall-clock time of each phase, and games still to be played in it.
    search_seconds: float
    n_search_games: int
    validation_seconds: float
    n_validation_games: int
    n_points_games: int  # validation games at the end, including those already played
    # Expected standard errors of the validated means at the end, ascending, shape (n_points,); NaN
    # for a single game.
    standard_errors: Floats
    # Whether validation ends because its time is spent, rather than because all games are played.
    # The number of validation games is then not printed, since it is hard to predict: cheap points
    # may get hundreds of games. In half of the studies, a planned number was wrong by a factor of
    # about two.
    ends_by_time: bool = False

    @classmethod
    def from_trials(
        cls,
        n_complete: int,
        trials: Floats,
        n_replicates: int,
        points: Played,
        pace: Pace,
        search_limit: float,
        limit: float,
    ) -> "Plan":
        """Make a plan: trials until the search's time is spent, then games of the points.

        ``n_complete`` trials are complete so far. ``trials`` has the seconds that the
        ``n_replicates`` games of each future trial take together, in the order of trials.
        ``points`` are the points to validate, the cheapest first, with expected means, variances
        and seconds. ``search_limit`` and ``limit`` are wall-clock seconds for the search, and for
        both phases; infinity for no limit.
        """
        ends = np.cumsum(trials) * pace.wall_clock(1.0)
        # The sampler computes one proposal after the other; if games are short, workers wait.
        ends = np.maximum(ends, SECONDS_A_PROPOSAL * np.arange(1, len(ends) + 1))
        # A trial that begins before the limit is finished.
        n = min(int(np.searchsorted(ends, search_limit)) + 1, len(ends)) if search_limit > 0 else 0
        search_seconds = float(ends[n - 1]) if n else 0.0
        left = max(0.0, limit - search_seconds)
        seconds = left / pace.wall_clock(1.0)
        n_games = games_after(points, seconds)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.sqrt(points.variance / n_games)
        return cls(
            n_complete + n,
            search_seconds,
            n * n_replicates,
            pace.wall_clock(points.seconds_of(n_games - points.n)),
            round(float(np.sum(n_games - points.n))),
            round(float(np.sum(n_games))),
            np.sort(errors),
            ends_by_time=bool(np.any(n_games < points.limit)),
        )

    def differs_from(self, other: "Plan", seconds_since: float) -> bool:
        """Return whether this plan differs from an earlier one by a factor of more than 1.5."""
        seconds = self.search_seconds + self.validation_seconds + seconds_since
        pairs = [
            (self.n_trials, other.n_trials),
            (seconds, other.search_seconds + other.validation_seconds),
        ]
        if not (self.ends_by_time and other.ends_by_time):
            pairs.append((self.n_points_games, other.n_points_games))
        medians = [
            float(np.median(each)) if len(each) else math.nan
            for each in (self.standard_errors, other.standard_errors)
        ]
        if all(map(math.isfinite, medians)):
            pairs.append((medians[0], medians[1]))
        return any(max(pair) > CHANGE * min(pair) for pair in pairs)

    def text(self, goal: Goal) -> str:
        """Write the plan in one line."""
        parts = []
        if self.n_search_games:
            parts.append(
                f"{counted(self.n_trials, 'trial')} in all, with "
                f"{counted(self.n_search_games, 'more game')} in {duration(self.search_seconds)}"
            )
        if (n_points := len(self.standard_errors)) and self.n_points_games:
            precision = ""
            if np.isfinite(self.standard_errors).all():
                low, middle, high = np.quantile(self.standard_errors, (0.0, 0.5, 1.0))
                precision = (
                    f": standard errors of about {goal.format.error_with_unit(middle)} "
                    f"({goal.format.error(low)} to {goal.format.error(high)})"
                )
            games = "" if self.ends_by_time else f" with {counted(self.n_validation_games, 'game')}"
            parts.append(
                f"{counted(n_points, 'point')} validated{games} in "
                f"{duration(self.validation_seconds)}{'' if goal.is_exact else precision}"
            )
        elif n_points:
            parts.append("no time for validation")
        return f"plan: {'; '.join(parts) or 'nothing is left to play'}"


def make_plan(
    analysis: Analysis,
    settings: SearchSettings | None,
    precision: Precision | None,
    pace: Pace,
    search_limit: float,
    limit: float,
    n_complete: int | None = None,
) -> Plan | None:
    """Plan the rest of a run from the study as it is now; None if too little is known.

    ``settings`` is None if only validation is left, and ``precision`` is None if there will be no
    validation. ``pace``, ``search_limit`` and ``limit`` are as for :meth:`Plan.from_trials`.
    ``n_complete`` is the number of complete trials, if it is not that of ``analysis``. A dry run
    passes it, because its trials do not count: they only show how long the study's trials will
    take.
    """
    data, model = analysis.data, analysis.trials_model
    if model is None:
        return None
    learns = data.experiment.learns
    times = GameTimes(data, model, 0.0 if learns else pace.overhead)
    space = data.experiment.space
    begun = [trial for trial in data.trials if space.is_whole(trial.params)]
    design = [each.params for each in begun if each.origin == "design"] or [
        each.params for each in begun
    ]
    if n_complete is None:
        n_complete = len(data.complete_trials)
        fixed: list[Mapping[str, Any]] = list(data.waiting.values())
    else:
        fixed = [trial.params for trial in data.trials][n_complete:]
    waiting = [dict(each) for each in fixed if space.is_whole(each)]
    typical = guess_typical(times.at([*design, *waiting]))
    trials, n_replicates = np.zeros(0), 1
    if settings is not None:
        n, n_replicates = max(0, settings.n_trials - n_complete), settings.n_replicates
        trials = n_replicates * coming_trials(data, waiting, n, times, typical)
        if learns:  # all games of a trial are one task
            trials += pace.learning_seconds / pace.wall_seconds + pace.overhead
    points = expected_points(data, model, times, precision)
    n_seen = len(model.observations.points)
    share = expected_share(data.experiment.build({}).n_side_by_side)
    trust = n_seen / (n_seen + TRIALS_OF_TRUST)
    points = drawn_towards(points, share * typical, trust, limit / pace.wall_clock(1.0))
    return Plan.from_trials(n_complete, trials, n_replicates, points, pace, search_limit, limit)


def expected_points(
    data: StudyData, model: FittedModel, times: GameTimes, precision: Precision | None
) -> Played:
    """Return the expected means, variances and times of the points to validate."""
    experiment = data.experiment
    goal = experiment.goal
    if precision is None:
        return Played(*[np.zeros(0)] * 6)
    chosen = points_to_validate(model, data, precision.n_points)
    if not chosen:
        return Played(*[np.zeros(0)] * 6)
    params = [point.params for point in chosen]
    codes = model.cube.encode(params)
    scores = model.posterior.goal(codes).mean
    costs = model.posterior.cost(codes)
    order = np.argsort(costs)
    known = {point.key: len(point.games) for point in data.points}
    n = np.array([known.get(point.key, 0) for point in chosen], np.float64)
    of_trials = [each.moments(goal) for each in data.trials if each.games]
    variances = goal.estimator.game_variances(scores, of_trials)
    wanted = np.ones(len(chosen))
    if not goal.is_exact or experiment.cost.is_timed:
        asked = [min(precision.most_games, precision.n_for(each)) for each in variances]
        wanted = np.array(
            [
                precision.n_allowed(*each)
                for each in zip(asked, n.astype(int).tolist(), strict=True)
            ],
            np.float64,
        )
    return Played(
        goal.sign * scores[order],
        variances[order],
        n[order],
        times.at(params)[order] * expected_share(experiment.build({}).n_side_by_side),
        decades_of_budgets(costs[order], data.reference and data.reference[1]),
        np.maximum(wanted, n)[order],
    )


def coming_trials(
    data: StudyData,
    waiting: Sequence[Mapping[str, Any]],
    n: int,
    times: GameTimes,
    typical: float,
) -> Floats:
    """Return the seconds of a game in each of the next ``n`` trials.

    The θ of waiting trials are known, so the model predicts their times. For later trials, the
    value is the mean over the sampler's trials so far and ``typical``, a guess that counts as four
    trials.
    """
    proposed = [
        float(np.mean([game.seconds for game in trial.games.values()]))
        for trial in data.trials
        if trial.origin != "design" and trial.games
    ]
    n_proposed = len(proposed)
    total = TRIALS_OF_PRIOR * typical + sum(proposed) + n_proposed * times.overhead
    guess = total / (TRIALS_OF_PRIOR + n_proposed)
    known = times.at(waiting)[:n]
    return np.concatenate([known, np.full(n - len(known), guess)])


class Planner:
    """Makes the plans of a run, and decides which are worth printing."""

    def __init__(self) -> None:
        self.plan: Plan | None = None  # the last plan that was printed
        self.planned_at = 0.0
        # The pace of this phase; until it is known, that of the phase before.
        self.pace: Pace | None = None

    def new_plan(
        self,
        analysis: Analysis,
        dispatch: Dispatch[Any],
        settings: SearchSettings | None,
        precision: Precision | None,
    ) -> Plan | None:
        """Return a plan for the rest of the run (:func:`make_plan`).

        None if there is nothing left to do, or a similar plan was printed before.
        """
        left = dispatch.budget.left
        search_limit = 0.0 if settings is None else dispatch.left
        plan = make_plan(
            analysis, settings, precision, self.measure_pace(dispatch), search_limit, left
        )
        now = dispatch.budget.clock()
        if plan is None or not plan.n_search_games + plan.n_validation_games:
            return None
        if self.plan is not None and not plan.differs_from(self.plan, now - self.planned_at):
            return None
        self.plan, self.planned_at = plan, now
        return plan

    def measure_pace(self, dispatch: Dispatch[Any]) -> Pace:
        """Return how fast games are played.

        Early in a phase, while workers start and most games have not come back, the pace of the
        phase before is used, if there was one. In a search, the measured time between tasks may
        include waiting for proposals, so the shortest time measured so far is used.
        """
        measured = Pace.measured(dispatch)
        if self.pace is not None and self.pace.idle_seconds:
            idle = min(measured.idle_seconds, self.pace.idle_seconds)
            measured = replace(measured, idle_seconds=idle)
        n_tasks = dispatch.utilization.n_tasks
        if dispatch.game_seconds >= MIN_SECONDS_TIMED or n_tasks >= MIN_TASKS_TIMED:
            self.pace = measured
        elif self.pace is not None:
            return replace(self.pace, jobs=dispatch.jobs)
        return measured
