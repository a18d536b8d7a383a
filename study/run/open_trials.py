"""Open trials: those whose games are being played, and all that is written of them into the study.

Only this module writes trials. Optuna numbers them from 0; a storage names them by an identifier.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState, create_trial

from agents.agent import Game
from study.experiments.definition import Experiment
from study.run.proposals import FinishedTrial, Proposal
from study.run.settings import SearchSettings
from study.run.workers import Finished, PlayError
from study.samplers.design import draw_design
from study.store.study_record import ATTRIBUTE, StudyRecord
from study.store.trial_games import TrialBatch, games_of, trial_id

DESIGN_IS_ENQUEUED = "design enqueued"

Key = tuple[int, tuple[int, ...]]
"""A trial, by number, and the replicates of some of its games."""


def enqueue_design(study: optuna.Study, experiment: Experiment, settings: SearchSettings) -> None:
    """Add the initial design to a study as waiting trials; after a kill midway, the rest of it."""
    if study.user_attrs.get(DESIGN_IS_ENQUEUED):
        return
    design, size, seed = settings.design, settings.design_size, settings.seed
    space = experiment.space
    if ATTRIBUTE in study.user_attrs:
        # That of before, if the study was widened between two points of the design.
        space = StudyRecord.read(study.user_attrs, study.study_name).design_space
    for point in draw_design(design, space, size, seed):
        study.enqueue_trial(point, user_attrs={"origin": "design"}, skip_if_exists=True)
    study.set_user_attr(DESIGN_IS_ENQUEUED, True)


@contextmanager
def timed(durations: list[float]) -> Iterator[None]:
    """Append the wall-clock seconds of what is done inside."""
    began = time.monotonic()
    yield
    durations.append(time.monotonic() - began)


class OpenTrials:
    """The trials of a study whose games are being played, and how many have ended.

    Parameters
    ----------
    experiment : Experiment
        What is tuned.
    study, storage : optuna.Study, optuna.storages.BaseStorage
        Where it is kept; this process must be its only writer.
    settings : SearchSettings
        Games per trial, and the sampler's name.

    Attributes
    ----------
    batches : dict of int to TrialBatch
        Open trials, by number.
    n_complete, n_failed, n_games : int
        Trials and games that have ended, those of earlier runs included.
    seconds : dict of str to list of float
        What it took to begin a trial, to store a game, and to tell the objectives, each time.
    """

    def __init__(
        self,
        experiment: Experiment,
        study: optuna.Study,
        storage: BaseStorage,
        settings: SearchSettings,
    ) -> None:
        self.experiment = experiment
        self.storage = storage
        self.study = study
        self.settings = settings
        self.study_id = storage.get_study_id_from_name(study.study_name)
        self.distributions = experiment.space.distributions()
        self.batches: dict[int, TrialBatch] = {}
        self.n_complete = self.n_failed = self.n_games = 0
        self.seconds: dict[str, list[float]] = {"begin": [], "store": [], "tell": []}

    def resume(self, trial: FrozenTrial) -> FinishedTrial | None:
        """Count a trial of an earlier run; open it if it was interrupted, and return it if it ends.

        One that was interrupted while it was begun lacks parameters, and is left to be proposed.
        """
        games = games_of(trial)
        self.n_games += len(games)
        self.n_complete += trial.state == TrialState.COMPLETE
        self.n_failed += trial.state == TrialState.FAIL
        if trial.state != TrialState.RUNNING or set(trial.params) != set(self.distributions):
            return None
        identifier = trial_id(self.study, self.storage, trial.number)
        self.name_origin(identifier, trial.user_attrs)
        return self.open(trial.number, identifier, trial.params, games)

    def begin(self, proposal: Proposal) -> FinishedTrial | None:
        """Write a proposal into the study as a trial, and open it; return it if that fails."""
        number, params = proposal.number, proposal.params
        with timed(self.seconds["begin"]):
            if proposal.is_new:
                # All at once: faster than a parameter at a time, and never half-written.
                template = create_trial(
                    state=TrialState.RUNNING,
                    params=params,
                    distributions=self.distributions,
                    user_attrs={"origin": self.settings.sampler},
                    system_attrs=proposal.notes,
                )
                identifier = self.storage.create_new_trial(self.study_id, template)
                assert self.storage.get_trial_number_from_id(identifier) == number
            else:
                identifier = trial_id(self.study, self.storage, number)
                self.storage.set_trial_state_values(identifier, TrialState.RUNNING)
                self.name_origin(identifier, self.storage.get_trial(identifier).user_attrs)
                for name, each in self.distributions.items():
                    value = each.to_internal_repr(params[name])
                    self.storage.set_trial_param(identifier, name, value, each)
                for key, note in proposal.notes.items():
                    self.storage.set_trial_system_attr(identifier, key, note)
            return self.open(number, identifier, params, {})

    def name_origin(self, identifier: int, attributes: Mapping[str, Any]) -> None:
        """Write who proposed a trial, where a kill came before that."""
        if "origin" not in attributes:
            self.storage.set_trial_user_attr(identifier, "origin", self.settings.sampler)

    def open(
        self, number: int, identifier: int, params: Mapping[str, Any], games: dict[int, Game]
    ) -> FinishedTrial | None:
        """Prepare a running trial's missing games; return the trial if none is missing."""
        error = ""
        try:
            agent = self.experiment.build(params)
        except ValueError as refused:
            agent, error = self.experiment.build({}), str(refused)
        batch = TrialBatch(
            agent,
            games,
            self.settings.n_replicates,
            self.storage,
            number,
            identifier,
            self.experiment.cost,
            self.experiment.goal,
        )
        self.batches[number] = batch
        if error:
            return self.fail(batch, error)
        return None if batch.missing else self.complete(batch)

    def record(self, finished: Finished[Key]) -> FinishedTrial | None:
        """Store games that have come back; return their trial if that has ended.

        PlayError if an agent could not learn: its trial is gone on with later.
        """
        number, replicates = finished.key
        batch = self.batches.get(number)
        if batch is None:
            return None  # it has failed, which storages make final
        if finished.is_machines:
            raise PlayError(f"trial {number} cannot be played: {finished.error}")
        if finished.error:
            return self.fail(batch, finished.error)
        is_last = False
        for replicate, game in zip(replicates, finished.games, strict=True):
            if replicate in batch.games:
                continue  # stored already
            self.n_games += 1
            with timed(self.seconds["store"]):
                is_last = batch.add(replicate, game)
        return self.complete(batch) if is_last else None

    def complete(self, batch: TrialBatch) -> FinishedTrial:
        """Tell the study a trial's objectives."""
        with timed(self.seconds["tell"]):
            batch.complete()
        del self.batches[batch.number]
        self.n_complete += 1
        return FinishedTrial(batch.number, batch.values, batch.attributes)

    def fail(self, batch: TrialBatch, error: str) -> FinishedTrial:
        """Tell the study that a trial's games cannot be played."""
        batch.fail(error)
        del self.batches[batch.number]
        self.n_failed += 1
        return FinishedTrial(batch.number, None, {}, error)
