"""Open trials: those whose games are being played, and all that is written of them into the study.

Only this module writes trials. Optuna numbers them from 0; a storage names them by an identifier.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import optuna
from optuna.distributions import distribution_to_json
from optuna.trial import FrozenTrial, TrialState

from thetafront.agents.agent import Outcome
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import split
from thetafront.study.run.proposer import FinishedTrial, Proposal
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.workers import Finished, PlayError
from thetafront.study.samplers.design import draw_design
from thetafront.study.shrinkage import Moments
from thetafront.study.store.connection import StorageConnection
from thetafront.study.store.games_table import SEARCH, StoredGames
from thetafront.study.store.study_record import ATTRIBUTE, StudyRecord
from thetafront.study.store.trial_games import MOMENTS_PREFIX, TrialBatch, games_of
from thetafront.study.store.writer import StudyWriter
from thetafront.study.store.writes import BegunTrial, EndedTrial, PlayedGame

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
        before = StudyRecord.read(study.user_attrs, study.study_name).design_space
        # A record has only the names of functions among the constraints.
        space = replace(before, constraints=space.constraints)
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
    study : optuna.Study
        Where it is kept, in a database; this process must be its only writer.
    settings : SearchSettings
        Games per trial, and the sampler's name.
    connection : StorageConnection, optional
        What waits for the database's server if it is lost.

    Attributes
    ----------
    batches : dict of int to TrialBatch
        Open trials, by number.
    n_complete, n_failed, n_games : int
        Trials and games that have ended, those of earlier runs included.
    moments : dict of int to Moments
        Of trials that ended without storing theirs.
    seconds : dict of str to list of float
        What it took to begin a trial, to store a game, and to tell the objectives, each time: until
        the writer has taken it, which waits if the storage is slower than the games.
    """

    def __init__(
        self,
        experiment: Experiment,
        study: optuna.Study,
        settings: SearchSettings,
        connection: StorageConnection | None = None,
    ) -> None:
        self.experiment = experiment
        self.settings = settings
        self.writer = StudyWriter(study, connection)
        self.stored = StoredGames.read(study)
        self.distributions = experiment.space.distributions()
        self.written_as = {
            name: distribution_to_json(each) for name, each in self.distributions.items()
        }
        self.moments: dict[int, Moments] = {}
        self.batches: dict[int, TrialBatch] = {}
        self.n_complete = self.n_failed = self.n_games = 0
        self.seconds: dict[str, list[float]] = {"begin": [], "store": [], "tell": []}

    def resume(self, trial: FrozenTrial) -> FinishedTrial | None:
        """Count a trial of an earlier run; open it if it was interrupted, and return it if it ends.

        One that was interrupted while it was begun lacks parameters, and is left to be proposed.
        """
        games = games_of(trial, stored=self.stored.of_trial(trial.number))
        goal = self.experiment.goal
        counted = split(games, goal.penalty)[0]
        if (
            trial.state.is_finished()
            and counted
            and MOMENTS_PREFIX + goal.name not in trial.user_attrs
        ):
            self.moments[trial.number] = Moments.of(goal.samples(list(counted.values())))
        self.n_games += len(games)
        self.n_complete += trial.state == TrialState.COMPLETE
        self.n_failed += trial.state == TrialState.FAIL
        if trial.state != TrialState.RUNNING or not self.experiment.space.is_whole(trial.params):
            return None
        if "origin" not in trial.user_attrs:  # a kill came before that
            self.writer.write(BegunTrial(trial.number, {}, self.settings.sampler))
        return self.open(trial.number, trial.params, games)

    def begin(self, proposals: Sequence[Proposal]) -> list[FinishedTrial]:
        """Write proposals into the study as trials, and open them; return those that fail."""
        began = time.monotonic()
        self.writer.write(*map(self.begun, proposals))
        opened = [self.open(each.number, each.params, {}) for each in proposals]
        n = max(len(proposals), 1)
        self.seconds["begin"] += [(time.monotonic() - began) / n] * len(proposals)
        return [trial for trial in opened if trial is not None]

    def begun(self, proposal: Proposal) -> BegunTrial:
        """Return a proposal as a trial that begins."""
        params = {
            name: (each.to_internal_repr(proposal.params[name]), self.written_as[name])
            for name, each in self.distributions.items()
            if name in proposal.params
        }
        return BegunTrial(proposal.number, params, self.settings.sampler, proposal.notes)

    def open(
        self, number: int, params: Mapping[str, Any], games: Mapping[int, Outcome]
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
            number,
            self.experiment.cost,
            self.experiment.goal,
            self.experiment.max_failures,
        )
        self.batches[number] = batch
        if error := error or batch.flaw:
            return self.fail(batch, error)
        return None if batch.missing else self.complete(batch)

    def record(self, finished: Finished[Key]) -> FinishedTrial | None:
        """Store games that have come back; return their trial if that has ended.

        A game that failed is replaced by that of the next seed, until θ is left out. PlayError if
        an agent could not learn: its trial is gone on with later.
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
            if replicate in batch.games or replicate in batch.failures:
                continue  # stored already
            self.n_games += 1
            with timed(self.seconds["store"]):
                played = PlayedGame(SEARCH, str(number), replicate, game, finished.machine)
                self.writer.write(played)
                is_last = batch.add(replicate, game)
        if flaw := batch.flaw:
            return self.fail(batch, flaw)
        return self.complete(batch) if is_last else None

    def complete(self, batch: TrialBatch) -> FinishedTrial:
        """Tell the study a trial's objectives."""
        with timed(self.seconds["tell"]):
            ended = EndedTrial(batch.number, batch.values, batch.attributes)
            self.writer.write(ended)
        del self.batches[batch.number]
        self.n_complete += 1
        return FinishedTrial(batch.number, ended.values, ended.attributes)

    def fail(self, batch: TrialBatch, error: str) -> FinishedTrial:
        """Tell the study that a trial's θ is left out."""
        self.writer.write(EndedTrial(batch.number, None, {"error": error}))
        del self.batches[batch.number]
        self.n_failed += 1
        return FinishedTrial(batch.number, None, {}, error)
