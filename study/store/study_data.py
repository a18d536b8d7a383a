"""A snapshot of a study, read once: tables, figures, picks and reports are made from it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.exceptions import StorageInternalError
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.exc import SQLAlchemyError

from thetafront.agents.agent import FailedGame, Game, Outcome
from thetafront.study.errors import DamageError, InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import shows_failures, split
from thetafront.study.experiments.space import Space
from thetafront.study.pareto import near_front, nondominated
from thetafront.study.samplers.observations import beyond_worst
from thetafront.study.shrinkage import Moments
from thetafront.study.store.damage import locating, of_study
from thetafront.study.store.games_table import (
    SEARCH,
    VALIDATION,
    StoredGames,
    Unit,
    engine_of,
    newest_game,
)
from thetafront.study.store.machines import machines_in
from thetafront.study.store.objectives import POSSIBLE_DIRECTIONS, directions_of, scales_of
from thetafront.study.store.seeds import shortened
from thetafront.study.store.study_record import StudyRecord, runs_in
from thetafront.study.store.study_rows import StudyRows
from thetafront.study.store.trial_games import games_of, moments_of
from thetafront.study.store.validated_points import POINT_PREFIX, ValidatedPoint, key_of, points_in

NEAR = 1.1  # a time that much longer may be as short
FIXED = "fixed_params"
"""The system attribute of θ that a trial of the design is to have, until it begins and after."""


@dataclass(frozen=True)
class TrialData:
    """A trial that has begun.

    Attributes
    ----------
    number : int
        The trial's number.
    state : str
        ``complete``, ``fail`` or ``running``.
    origin : str
        ``design``, or the sampler that proposed it.
    params : mapping
        θ; parameters that were not drawn yet are missing.
    values : tuple of float, optional
        Both objectives of a complete trial.
    games : mapping of int to Game
        Games that count, by replicate.
    error : str
        Why the trial failed, if it did.
    failures : mapping of int to FailedGame
        Games that failed, by replicate.
    """

    number: int
    state: str
    origin: str
    params: Mapping[str, Any]
    values: tuple[float, ...] | None
    games: Mapping[int, Game]
    error: str
    failures: Mapping[int, FailedGame] = field(default_factory=dict)

    @property
    def outcomes(self) -> dict[int, Outcome]:
        """All games that were played, those that failed as such, by replicate."""
        found: dict[int, Outcome] = {**self.games, **self.failures}
        return dict(sorted(found.items()))


@dataclass(frozen=True)
class StudyData:
    """A study as it was when it was read.

    Attributes
    ----------
    name : str
        The study's name.
    experiment : Experiment
        The experiment as the study was made with.
    attributes : mapping
        The study's user attributes.
    frozen_trials : list of FrozenTrial
        The trials as optuna returns them, for samplers and models.
    stored_games : StoredGames
        The games that are in the table of games.
    """

    name: str
    experiment: Experiment
    attributes: Mapping[str, Any]
    frozen_trials: list[FrozenTrial]
    stored_games: StoredGames = field(default_factory=StoredGames)

    @classmethod
    def read(cls, study: optuna.Study, experiment: Experiment | None = None) -> "StudyData":
        """Read a study; its experiment is that of its record unless given.

        Raises
        ------
        InputError
            If thetafront did not make the study, or its goal has another direction since.
        DamageError
            If a stored value cannot be read.
        """
        with of_study(study.study_name):
            name, newest = study.study_name, newest_game(study)
            attributes, trials = stored_values(study)
            games = StoredGames.read(study).known(units_of(attributes, trials), newest)
            if experiment is None:
                experiment = StudyRecord.read(attributes, name).experiment_as_made()
            check_directions(study, experiment)
            data = cls(name, experiment, attributes, trials, games)
            # Read here, once: whatever is damaged is reported before anything is made of it.
            with locating("games"):  # that lack what the definition names
                data.runs, data.trials, data.moments, data.points  # noqa: B018
        return data

    @cached_property
    def record(self) -> StudyRecord:
        """What made the study."""
        return StudyRecord.read(self.attributes, self.name)

    @cached_property
    def runs(self) -> list[dict[str, Any]]:
        """What made each run, in order."""
        return runs_in(self.attributes)

    @cached_property
    def machines(self) -> dict[str, Any]:
        """The classes of machines that games were played on, by key."""
        return machines_in(self.attributes)

    @cached_property
    def n_games_by_machine(self) -> Counter[tuple[str, str]]:
        """The number of games of each phase on each class of machines, if that is known."""
        return Counter(
            (phase, str(cell.machine))
            for (phase, _), cells in self.stored_games.cells.items()
            for cell in cells.values()
            if cell.machine is not None
        )

    @cached_property
    def trials(self) -> list[TrialData]:
        """The trials that have begun."""
        allowed = self.record.distributions()
        found = [
            (trial, read_trial(trial, self.experiment, allowed, self.games_of(trial)))
            for trial in self.frozen_trials
        ]
        return [data for trial, data in found if trial.state != TrialState.WAITING]

    def games_of(self, trial: FrozenTrial) -> dict[int, Outcome]:
        """Read a trial's games, by replicate; DamageError if one cannot be read."""
        stored = self.stored_games.of_trial(trial.number)
        return games_of(trial, self.experiment.summary.game, stored)

    @cached_property
    def failed_of_played(self) -> tuple[int, int]:
        """How many games have failed, and how many were played."""
        owners: list[TrialData | ValidatedPoint] = [*self.trials, *self.points]
        n_failed = sum(len(each.failures) for each in owners)
        return n_failed, sum(len(each.outcomes) for each in owners)

    @property
    def has_failures(self) -> bool:
        """Whether a game has failed."""
        return self.failed_of_played[0] > 0

    @cached_property
    def moments(self) -> dict[int, Moments]:
        """The moments of the goal's samples, by trial."""
        games = {trial.number: trial.games for trial in self.trials}
        return {
            trial.number: moments_of(trial, self.experiment.goal, games[trial.number])
            for trial in self.frozen_trials
            if trial.number in games
        }

    @cached_property
    def points(self) -> list[ValidatedPoint]:
        """The points that were ever validated, with their games."""
        points = points_in(
            self.attributes,
            self.experiment.summary.game,
            self.stored_games,
            self.experiment.goal.penalty,
        )
        experiment = self.experiment
        for point in points:
            is_playable = experiment.goal.penalty is None or point.games
            if (
                point.failures
                and is_playable
                and not shows_failures(point.outcomes, experiment.goal, experiment.max_failures)
            ):
                point.error = ""  # the limit is another one since, or its games were repaired
            with locating(f"{POINT_PREFIX}{point.key}"):
                check_theta(self.experiment.space, point.params, all_of_it=True)
        return points

    @property
    def played_points(self) -> list[ValidatedPoint]:
        """The validated points with games that count, but for those that were left out."""
        return [point for point in self.points if point.games and not point.error]

    @cached_property
    def known_points(self) -> list[ValidatedPoint]:
        """The θ whose scores are known without the luck of having been chosen, with their games.

        These are the validated ones that can be played. Where scores are exact, trials on or near
        the front are known as well, and their games count as those of their θ.
        """
        points = {point.key: point for point in self.played_points}
        goal, cost = self.experiment.goal, self.experiment.cost
        if not goal.is_exact:
            return list(points.values())
        validated, left_out = set(points), {each.key for each in self.points if each.error}
        for trial in self.trials:
            key = key_of(trial.params)
            if trial.state == "complete" and trial.games and key not in left_out:
                new = ValidatedPoint(key, trial.params, f"trial {trial.number}")
                known = points.get(new.key, new)
                games = dict(enumerate([*trial.games.values(), *known.in_order]))
                points[new.key] = replace(known, games=games)
        found = list(points.values())
        scores = goal.sign * np.array([goal.estimate(each.in_order).value for each in found])
        costs = np.array([cost.of(each.in_order) for each in found])
        if cost.is_timed:
            near = set(np.flatnonzero(near_front(scores, costs, NEAR)).tolist())
        else:
            near = set(nondominated(scores, costs).tolist())
        return [each for k, each in enumerate(found) if k in near or each.key in validated]

    @cached_property
    def reference(self) -> tuple[float, float] | None:
        """The reference point: the experiment's, or else a little worse than all complete trials.

        In units of goal and cost; None before the first complete trial of an experiment without.
        """
        experiment = self.experiment
        if experiment.reference_point is not None:
            return experiment.reference_point
        complete = [trial.values for trial in self.trials if trial.state == "complete"]
        values = np.array(complete, np.float64).reshape(-1, 2)
        values = values[values[:, 1] > 0.0]  # a model leaves the others out, too
        if not len(values):
            return None
        return beyond_worst(values, directions_of(experiment.goal), scales_of(experiment))


def check_directions(study: optuna.Study, experiment: Experiment) -> None:
    """Refuse a study with other directions than its experiment: what it searched is not asked for.

    InputError if only the goal's is another one, else DamageError.
    """
    directions, goal = tuple(study.directions), experiment.goal
    with locating("directions"):
        if directions not in POSSIBLE_DIRECTIONS:
            given = ", ".join(each.name for each in directions) or "none"
            raise ValueError(f"{given} given, {goal.direction.upper()}, MINIMIZE expected")
    if directions != directions_of(goal):
        raise InputError(
            f"study: {study.study_name!r} was made to {directions[0].name.lower()} the "
            f"{goal.label}, and experiment {experiment.name!r} is to {goal.direction} it; "
            "give another name"
        )


def stored_values(study: optuna.Study) -> tuple[dict[str, Any], list[FrozenTrial]]:
    """Read a study's user attributes and trials; DamageError if optuna cannot."""
    try:
        attributes, trials = study.user_attrs, study.get_trials(deepcopy=False)
    except (SQLAlchemyError, StorageInternalError):
        raise  # of the storage, not of a value in it
    except Exception as error:  # optuna checks nothing that it reads: any error may come of it
        raise DamageError(first_unreadable(study) or f"{type(error).__name__}: {error}") from None
    for expected, trial in enumerate(trials):
        if trial.number != expected:
            raise DamageError(f"trial {expected}: not there once")
    return attributes, trials


def units_of(attributes: Mapping[str, Any], trials: Sequence[FrozenTrial]) -> set[Unit]:
    """Return the trials and points of a study, as the table of games names them."""
    points = {key.removeprefix(POINT_PREFIX) for key in attributes if key.startswith(POINT_PREFIX)}
    return {(SEARCH, str(trial.number)) for trial in trials} | {(VALIDATION, key) for key in points}


def first_unreadable(study: optuna.Study) -> str:
    """Say which stored value cannot be read; empty if all can, or the storage is no database."""
    if (engine := engine_of(study)) is None:
        return ""
    return next(iter(StudyRows.read(engine, study.study_name).unreadable()), "")


def read_trial(
    trial: FrozenTrial,
    experiment: Experiment,
    allowed: Mapping[str, Sequence[BaseDistribution]],
    games: Mapping[int, Outcome],
) -> TrialData:
    """Read a trial; DamageError if a value is none of a trial of the experiment.

    ``allowed`` are the distributions that each parameter may have been drawn from.
    """
    values = trial.values
    with locating(f"trial {trial.number}"):
        is_complete = trial.state == TrialState.COMPLETE
        check_theta(experiment.space, trial.params, all_of_it=is_complete)
        check_theta(experiment.space, trial.system_attrs.get(FIXED, {}))
        for name, distribution in trial.distributions.items():
            if distribution not in allowed.get(name, ()):
                raise ValueError(f"{name}: {distribution} given, {allowed[name][0]} expected")
        origin, error = (trial.user_attrs.get(name, "") for name in ("origin", "error"))
        if not (isinstance(origin, str) and isinstance(error, str)):
            raise ValueError(f"origin {origin!r} and error {error!r} given, text expected")
        if is_complete and not (values and len(values) == 2 and all(map(is_number, values))):
            raise ValueError(f"values {values} given, two numbers expected")
        # The values of one that runs are those of a moment later, if it ended between two queries.
        if values and trial.state == TrialState.FAIL:
            raise ValueError(f"values {values} given, none expected of a trial that failed")
        if trial.datetime_complete is not None and not trial.state.is_finished():
            raise ValueError(f"an end given, none expected of a trial that is {trial.state.name}")
    counted, failures = split(games, experiment.goal.penalty)
    return TrialData(
        number=trial.number,
        state=trial.state.name.lower(),
        origin=origin,
        params=trial.params,
        values=tuple(values) if values and is_complete else None,
        games=counted,
        error=error,
        failures=failures,
    )


def is_number(value: Any) -> bool:
    """Return whether a stored value is a finite number."""
    return isinstance(value, int | float) and math.isfinite(value)


def check_theta(space: Space, params: Mapping[str, Any], all_of_it: bool = False) -> None:
    """Raise ValueError if these are no parameters of a space, or not ``all_of_it`` if asked for."""
    if not isinstance(params, Mapping):
        raise ValueError(f"{shortened(params)} given, parameters expected")
    known = {each.name: each for each in space}
    if all_of_it and not space.is_whole(params):
        expected = [each.name for each in space if space.is_active(each, params)]
        raise ValueError(
            f"{', '.join(params) or 'no parameter'} given, {', '.join(expected)} expected"
        )
    for name, value in params.items():
        if name not in known or type(value) not in {int, float, str, bool}:
            raise ValueError(f"{name} {shortened(value)} given, of {', '.join(known)} expected")
        try:
            known[name].check(value)
        except InputError as error:
            raise ValueError(str(error)) from None
    if all_of_it and (broken := space.broken_text(params)):
        raise ValueError(f"{shortened(dict(params))} given, which does not satisfy {broken}")
