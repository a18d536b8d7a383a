"""A snapshot of a study, read once: tables, figures, picks and reports are made from it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.exc import SQLAlchemyError

from agents.agent import Game
from study.errors import DamageError, InputError
from study.experiments.definition import Experiment
from study.experiments.space import Space
from study.shrinkage import Moments
from study.store.damage import locating, of_study
from study.store.seeds import shortened
from study.store.study_record import DIRECTIONS, StudyRecord, runs_in
from study.store.study_rows import StudyRows
from study.store.trial_games import games_of, moments_of
from study.store.validated_points import POINT_PREFIX, ValidatedPoint, points_in

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
        Finished games, by replicate.
    error : str
        Why the trial failed, if it did.
    """

    number: int
    state: str
    origin: str
    params: Mapping[str, Any]
    values: tuple[float, ...] | None
    games: Mapping[int, Game]
    error: str


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
    """

    name: str
    experiment: Experiment
    attributes: Mapping[str, Any]
    frozen_trials: list[FrozenTrial]

    @classmethod
    def read(cls, study: optuna.Study, experiment: Experiment | None = None) -> "StudyData":
        """Read a study; its experiment is that of its record unless given.

        Raises
        ------
        InputError
            If thetafront did not make the study.
        DamageError
            If a stored value cannot be read.
        """
        with of_study(study.study_name):
            name, (attributes, trials) = study.study_name, stored_values(study)
            if experiment is None:
                experiment = StudyRecord.read(attributes, name).experiment_as_made()
            data = cls(name, experiment, attributes, trials)
            # Read here, once: whatever is damaged is reported before anything is made of it.
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
    def trials(self) -> list[TrialData]:
        """The trials that have begun."""
        allowed = self.record.distributions()
        found = [
            (trial, read_trial(trial, self.experiment, allowed)) for trial in self.frozen_trials
        ]
        return [data for trial, data in found if trial.state != TrialState.WAITING]

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
        points = points_in(self.attributes, self.experiment.summary.game)
        for point in points:
            with locating(f"{POINT_PREFIX}{point.key}"):
                check_theta(self.experiment.space, point.params, all_of_it=True)
        return points


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


def first_unreadable(study: optuna.Study) -> str:
    """Say which stored value cannot be read; empty if all can, or the storage is no database."""
    storage = study._storage
    backend = getattr(storage, "_backend", storage)
    if not isinstance(backend, RDBStorage):
        return ""
    return next(iter(StudyRows.read(backend.engine, study.study_name).unreadable()), "")


def read_trial(
    trial: FrozenTrial,
    experiment: Experiment,
    allowed: Mapping[str, Sequence[BaseDistribution]],
) -> TrialData:
    """Read a trial; DamageError if a value is none of a trial of the experiment.

    ``allowed`` are the distributions that each parameter may have been drawn from.
    """
    kind, values = experiment.summary.game, trial.values
    games = games_of(trial, kind)
    with locating(f"trial {trial.number}"):
        check_theta(experiment.space, trial.params)
        check_theta(experiment.space, trial.system_attrs.get(FIXED, {}))
        for name, distribution in trial.distributions.items():
            if distribution not in allowed.get(name, ()):
                raise ValueError(f"{name}: {distribution} given, {allowed[name][0]} expected")
        origin, error = (trial.user_attrs.get(name, "") for name in ("origin", "error"))
        if not (isinstance(origin, str) and isinstance(error, str)):
            raise ValueError(f"origin {origin!r} and error {error!r} given, text expected")
        if trial.state == TrialState.COMPLETE and not (
            values and len(values) == len(DIRECTIONS) and all(map(math.isfinite, values))
        ):
            raise ValueError(f"values {values} given, two numbers expected")
    return TrialData(
        number=trial.number,
        state=trial.state.name.lower(),
        origin=origin,
        params=trial.params,
        values=tuple(values) if values else None,
        games=games,
        error=error,
    )


def check_theta(space: Space, params: Mapping[str, Any], all_of_it: bool = False) -> None:
    """Raise ValueError if these are no parameters of a space, or not ``all_of_it`` if asked for."""
    if not isinstance(params, Mapping):
        raise ValueError(f"{shortened(params)} given, parameters expected")
    known = {each.name: each for each in space}
    if all_of_it and set(params) != set(known):
        raise ValueError(
            f"{', '.join(params) or 'no parameter'} given, {', '.join(known)} expected"
        )
    for name, value in params.items():
        if name not in known or type(value) not in {int, float, str}:
            raise ValueError(f"{name} {shortened(value)} given, of {', '.join(known)} expected")
        try:
            known[name].check(value)
        except InputError as error:
            raise ValueError(str(error)) from None
