"""A snapshot of a study, read once: tables, figures, picks and reports are made from it.

States are not stored, but follow from the rows. A trial is complete if it has as many games as were
asked for when it began, and has failed if an event says so.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thetafront.agents.agent import Outcome
from thetafront.agents.parameters import Value
from thetafront.study.errors import DamageError, InputError, error_context
from thetafront.study.estimate import Estimate
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import left_out_text, shows_failures, split
from thetafront.study.experiments.space import Space
from thetafront.study.log.database import location_of
from thetafront.study.log.location import study_context
from thetafront.study.log.log import (
    FAILED,
    MACHINE,
    RECORD,
    RUN,
    Log,
    Rows,
    Unit,
    event,
    row_name,
    row_to_outcome,
    unit_name,
)
from thetafront.study.log.point import COMPLETE, Point
from thetafront.study.log.seeds import shortened
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.log.tables import SEARCH, GameRow, PointRow
from thetafront.study.pareto import n_dominating_layers, near_front, nondominated
from thetafront.study.scale import beyond_worst
from thetafront.study.shrinkage import Moments, Prior

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

    from thetafront.study.log.earlier import EarlierStudy

StudySource: TypeAlias = "Log | EarlierStudy"
"""A study's log, or a study of an earlier version, which is read as if it were a log."""
MAX_NEAR = 64  # trials near the front whose costs are measured
NEAR = 1.1  # the true times may be equal if the measured ones differ by less than this factor


@dataclass(frozen=True)
class StudyData:
    """A study as it was when it was read."""

    name: str
    experiment: Experiment  # the experiment with which the study was made
    record: StudyRecord  # the settings with which the study was made
    trials: list[Point] = field(default_factory=list)  # the trials that have begun
    # All points of validation with their games, including points that were left out.
    points: list[Point] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)  # each run's provenance, in order
    # The classes of machines that games were played on, by key.
    machines: dict[str, Any] = field(default_factory=dict)
    # The number of games of each phase on each class of machines, if that is known.
    n_games_by_machine: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def read(
        cls,
        source: StudySource,
        experiment: Experiment | None = None,
        earlier: "StudyData | None" = None,
    ) -> "StudyData":
        """Read a study; by default, the experiment is made from the study's record.

        ``earlier`` is an earlier snapshot of the same study; it saves the time of reading its games
        again, which never change. InputError if thetafront did not make the study; DamageError if a
        row is damaged or missing.
        """
        with study_context(location_of(source.engine, source.name)):
            return cls.from_rows(whole_rows(source), experiment, earlier)

    @classmethod
    def from_rows(
        cls,
        rows: Rows,
        experiment: Experiment | None = None,
        earlier: "StudyData | None" = None,
    ) -> "StudyData":
        """Return a snapshot made from intact rows."""
        record = record_in(rows)
        if experiment is None:
            experiment = record.experiment_as_made()
        record.check_direction(experiment, rows.study.name)
        errors = {(each["phase"], each["number"]): each["error"] for each in rows.latest(FAILED)}
        games: dict[Unit, list[GameRow]] = {}
        for row in rows.games:
            games.setdefault((row.phase, row.number), []).append(row)
        before = [] if earlier is None else [*earlier.trials, *earlier.points]
        known = {(each.phase, each.number): each.outcomes for each in before}
        trials: list[Point] = []
        points: list[Point] = []
        for row_ in rows.points:
            unit = row_.phase, row_.number
            with error_context(unit_name(unit)):
                played, error = games.get(unit, []), errors.get(unit, "")
                found = read_point(row_, played, error, experiment, known.get(unit, {}))
            (trials if row_.phase == SEARCH else points).append(found)
        runs = {each["index"]: each["run"] for each in rows.latest(RUN)}  # the newest of each run
        counts = Counter((row.phase, row.machine) for row in rows.games if row.machine)
        return cls(
            rows.study.name,
            experiment,
            record,
            trials,
            points,
            [runs[index] for index in sorted(runs)],
            {each["key"]: each["machine"] for each in rows.latest(MACHINE)},
            counts,
        )

    @property
    def complete_trials(self) -> list[Point]:
        """The trials that have as many games as were asked for."""
        return [each for each in self.trials if each.state == "complete"]

    @cached_property
    def failed_of_played(self) -> tuple[int, int]:
        """How many games have failed, and how many were played."""
        owners = [*self.trials, *self.points]
        n_failed = sum(len(each.failures) for each in owners)
        return n_failed, sum(len(each.outcomes) for each in owners)

    @property
    def has_failures(self) -> bool:
        """Whether a game has failed."""
        return self.failed_of_played[0] > 0

    @cached_property
    def moments(self) -> dict[int, Moments]:
        """The moments of the goal's samples, by the trial's number."""
        return {trial.number: trial.moments(self.experiment.goal) for trial in self.trials}

    @cached_property
    def variance_prior(self) -> Prior:
        """A prior of the variance at one θ, from the games of all θ, for intervals of few games."""
        goal = self.experiment.goal
        of_points = (point.moments(goal) for point in self.points)
        return goal.estimator.prior([*self.moments.values(), *of_points])

    def estimate(self, point: Point) -> Estimate:
        """Estimate the goal of a θ from its own games, with the prior of the variance."""
        return self.experiment.goal.estimate(point.in_order, self.variance_prior)

    @cached_property
    def frozen_trials(self) -> "list[FrozenTrial]":
        """The trials in Optuna's form, with the moments that samplers and models need."""
        distributions = self.experiment.space.distributions()
        return [frozen(trial, distributions, self.experiment) for trial in self.trials]

    @cached_property
    def design(self) -> list[dict[str, Value]]:
        """The initial design: the θ of the first trials, without repetitions."""
        from thetafront.study.samplers.design import draw_design  # noqa: PLC0415, optuna is slow

        record = self.record
        # If a constraint is a function, a record has only its name.
        space = replace(record.design_space, constraints=self.experiment.space.constraints)
        drawn = draw_design(record.design, space, record.design_size, record.seed)
        return [theta for n, theta in enumerate(drawn) if theta not in drawn[:n]]

    @cached_property
    def waiting(self) -> dict[int, dict[str, Value]]:
        """Each θ of the design whose trial has not begun, by the trial's number."""
        begun = {trial.number for trial in self.trials}
        return {n: theta for n, theta in enumerate(self.design) if n not in begun}

    @cached_property
    def forbidden(self) -> dict[str, str]:
        """The constraint that now forbids a point's θ, because it is a function that changed.

        The keys are those of the points and, if scores are exact, of the complete trials.
        """
        trials = self.complete_trials if self.experiment.goal.is_exact else []
        broken_by = self.experiment.space.broken_by
        found = {each.key: broken_by(each.params) for each in (*self.points, *trials)}
        return {key: constraint for key, constraint in found.items() if constraint}

    @property
    def allowed_points(self) -> list[Point]:
        """The validated points that no constraint now forbids."""
        return [point for point in self.points if point.key not in self.forbidden]

    @property
    def played_points(self) -> list[Point]:
        """The allowed points that have games that count, except points that were left out."""
        return [point for point in self.allowed_points if point.games and not point.error]

    @cached_property
    def known_points(self) -> list[Point]:
        """The θ whose scores are known without selection bias, with their games.

        These are the :attr:`played_points`. If scores are exact, the scores of trials are known,
        too. Then the θ of trials on or near the front are included, with the games of these trials.
        Of trials with the same score and cost, only the first is included.
        """
        goal, cost = self.experiment.goal, self.experiment.cost
        found = self.points_and_trials
        if not goal.is_exact:
            return found
        validated = {each.key for each in self.played_points}
        scores = goal.sign * np.array([goal.estimate(each.in_order).value for each in found])
        costs = np.array([cost.value(each.in_order) for each in found])
        if cost.is_timed:
            close = np.flatnonzero(near_front(scores, costs, NEAR))
            layers = n_dominating_layers(np.column_stack([scores[close], -costs[close]]))
            near = set(close[np.argsort(layers, kind="stable")[:MAX_NEAR]].tolist())
        else:
            front = nondominated(scores, costs)
            _, first = np.unique(scores[front], return_index=True)
            near = set(front[first].tolist())
        return [each for k, each in enumerate(found) if k in near or each.key in validated]

    @property
    def points_and_trials(self) -> list[Point]:
        """The :attr:`played_points`; if scores are exact, also all trials' θ, without the same."""
        points = {point.key: point for point in self.played_points}
        left_out = {each.key for each in self.points if each.error}
        left_out |= {*self.forbidden}
        for trial in self.trials if self.experiment.goal.is_exact else ():
            if trial.state == COMPLETE and trial.games and trial.key not in left_out:
                known = points.get(trial.key, Point(trial.params, f"trial {trial.number}"))
                games = dict(enumerate([*trial.in_order, *known.in_order]))
                points[trial.key] = replace(known, games=games)
        return list(points.values())

    @cached_property
    def reference(self) -> tuple[float, float] | None:
        """The experiment's reference point, or else one a little worse than all complete trials.

        It has the units of goal and cost. If the experiment has no reference point, the result is
        None until a trial is complete.
        """
        experiment = self.experiment
        if experiment.reference_point is not None:
            return experiment.reference_point
        complete = [trial.values for trial in self.trials if trial.state == COMPLETE]
        values = np.array(complete, np.float64).reshape(-1, 2)
        values = values[values[:, 1] > 0.0]  # models also leave out a cost of 0
        if not len(values):
            return None
        return beyond_worst(values, np.array([experiment.goal.sign, -1.0]), experiment.scales)


def frozen(
    trial: Point, distributions: Mapping[str, Any], experiment: Experiment | None = None
) -> "FrozenTrial":
    """Return a trial in Optuna's form, with the distributions of the study's current space.

    If an ``experiment`` is given, a complete trial also has the moments of its goal, and those of
    its cost if it is a count, for samplers.
    """
    from optuna.trial import FrozenTrial, TrialState  # noqa: PLC0415, slow to import

    state = TrialState[trial.state.upper()]
    attributes: dict[str, Any] = {"origin": trial.origin}
    if trial.error:
        attributes["error"] = trial.error
    if trial.values and experiment is not None:
        goal, cost = experiment.goal, experiment.cost
        attributes[goal.moments_attribute] = list(trial.moments(goal))
        if not cost.is_timed:
            attributes[cost.moments_attribute] = list(cost.moments(trial.in_order))
    return FrozenTrial(
        number=trial.number,
        state=state,
        value=None,
        values=list(trial.values) if trial.values else None,
        datetime_start=moment(trial.began),
        datetime_complete=moment(trial.ended) if state.is_finished() else None,
        params=dict(trial.params),
        distributions={name: distributions[name] for name in trial.params},
        user_attrs=attributes,
        system_attrs=dict(trial.notes),
        intermediate_values={},
        trial_id=trial.number,
    )


def moment(at: float) -> datetime | None:
    """Return a time as Optuna stores it: UTC, without a time zone."""
    return datetime.fromtimestamp(at, UTC).replace(tzinfo=None) if at else None


def whole_rows(source: StudySource) -> Rows:
    """Read a study's rows; DamageError if one is damaged or missing."""
    rows = source.rows()
    if problems := rows.problems():
        raise DamageError(problems[0])
    return rows


def record_in(rows: Rows) -> StudyRecord:
    """Return the newest record of a study."""
    with error_context("record"):
        stored = [json.loads(rows.study.record), *rows.latest(RECORD)]
    return StudyRecord.read(stored[-1], rows.study.name)


def store_run(log: Log, run: Mapping[str, Any], index: int | None = None) -> int:
    """Store the provenance of a new run, or of the run ``index``; return the run's index."""
    if index is None:
        index = len({each["index"] for each in log.events(RUN)})
    log.write(event(RUN, index=index, run=dict(run)))
    return index


def read_point(
    row: PointRow,
    played: Sequence[GameRow],
    error: str,
    experiment: Experiment,
    known: Mapping[int, Outcome],
) -> Point:
    """Read a trial or a point of validation, with its games; DamageError if that is impossible.

    ``known`` are games that have been read before, by replicate.
    """
    goal, is_trial = experiment.goal, row.phase == SEARCH
    outcomes = dict(known)
    for each in played:
        if each.replicate in outcomes:
            continue
        with error_context(row_name(each)):
            outcomes[each.replicate] = row_to_outcome(each, experiment.summary.game)
    games, failures = split(outcomes, goal.penalty)
    point = Point(
        json.loads(row.theta),
        row.origin,
        row.phase,
        row.number,
        games,
        failures,
        error,
        row.n_games,
        json.loads(row.notes),
        began=row.at,
        ended=max((each.at for each in played), default=row.at),
    )
    # The limit on failures may have changed, or a kill may have come before the event was written.
    is_playable = not (failures and shows_failures(outcomes, goal, experiment.max_failures))
    is_complete = is_trial and not error and bool(games) and not point.missing(goal.penalty)
    is_complete = is_complete and is_playable
    all_of_it = is_complete or not is_trial
    check_theta(experiment.space, point.params, all_of_it, may_break=bool(error))
    if not is_trial and not error and not is_playable:
        return replace(point, error=left_out_text(failures, point.n_ended))
    if is_complete:
        return replace(point, values=point.objectives(goal, experiment.cost))
    if not is_trial and failures and is_playable and (goal.penalty is None or games):
        return replace(point, error="")
    return point


def check_theta(
    space: Space, params: Mapping[str, Any], all_of_it: bool = False, may_break: bool = False
) -> None:
    """Raise ValueError if a parameter is invalid or, with ``all_of_it``, if one is missing.

    With ``all_of_it``, constraints must be satisfied, too, unless the θ ``may_break`` them.
    """
    if not isinstance(params, Mapping):
        raise ValueError(f"θ must be a mapping of parameters (got {shortened(params)})")
    known = {each.name: each for each in space}
    if all_of_it and not space.is_whole(params):
        expected = [each.name for each in space if space.is_active(each, params)]
        raise ValueError(
            f"parameters must be {', '.join(expected)} (got {', '.join(params) or 'none'})"
        )
    for name, value in params.items():
        if name not in known or type(value) not in {int, float, str, bool}:
            raise ValueError(f"{name} must be one of {', '.join(known)} (got {shortened(value)})")
        try:
            known[name].check(value)
        except InputError as error:
            raise ValueError(str(error)) from None
    if all_of_it and not may_break and (broken := space.broken_text(params)):
        raise ValueError(f"{shortened(dict(params))} does not satisfy {broken}")
