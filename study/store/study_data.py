"""A snapshot of a study, read once: tables, figures, picks and reports are made from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from agents.agent import Game
from study.experiments.definition import Experiment
from study.shrinkage import Moments
from study.store.study_record import StudyRecord, runs_in
from study.store.trial_games import games_of, moments_of
from study.store.validated_points import ValidatedPoint, points_in


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
    """A study as it was when it was read; properties are computed once, when first used.

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
        """
        name, attributes = study.study_name, study.user_attrs
        if experiment is None:
            experiment = StudyRecord.read(attributes, name).experiment_as_made()
        return cls(name, experiment, attributes, study.get_trials(deepcopy=False))

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
        return [
            TrialData(
                number=trial.number,
                state=trial.state.name.lower(),
                origin=trial.user_attrs.get("origin", ""),
                params=trial.params,
                values=tuple(trial.values) if trial.values else None,
                games=games_of(trial),
                error=trial.user_attrs.get("error", ""),
            )
            for trial in self.frozen_trials
            if trial.state != TrialState.WAITING
        ]

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
        return points_in(self.attributes)
