"""Open trials: those whose games are being played, and all that is written of them into the log."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from thetafront.study.log.connection import StorageConnection
from thetafront.study.log.log import Log, failure, game_row, point_row
from thetafront.study.log.mirror import Mirror
from thetafront.study.log.study_data import COMPLETE, DESIGN, FAIL, RUNNING, StudyData, TrialData
from thetafront.study.log.tables import SEARCH, PointRow
from thetafront.study.log.trial_batch import TrialBatch
from thetafront.study.log.writer import StudyWriter
from thetafront.study.run.proposer import FinishedTrial, Proposal
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.workers import Finished, PlayError

Key = tuple[int, tuple[int, ...]]
"""A trial, by number, and the replicates of some of its games."""


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
    data : StudyData
        The study as it is now.
    log : Log
        Where it is kept; this process must be its only writer.
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
    seconds : dict of str to list of float
        What it took to begin a trial, to store a game, and to tell the objectives, each time: until
        the writer has taken it, which waits if the storage is slower than the games.
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
        self.trials: dict[int, TrialData] = {}
        self.batches: dict[int, TrialBatch] = {}
        self.n_complete = self.n_failed = self.n_games = 0
        self.seconds: dict[str, list[float]] = {"begin": [], "store": [], "tell": []}

    def resume(self, trial: TrialData) -> FinishedTrial | None:
        """Count a trial of an earlier run; open one that was interrupted: return it if it ends."""
        self.n_games += len(trial.outcomes)
        self.n_complete += trial.state == COMPLETE
        self.n_failed += trial.state == FAIL
        return self.open(trial) if trial.state == RUNNING else None

    def begin(self, proposals: Sequence[Proposal]) -> list[FinishedTrial]:
        """Write proposals into the log as trials, and open them; return those that fail."""
        began = time.monotonic()
        trials = [self.begun(each) for each in proposals]
        self.writer.write(*map(row_of, trials))
        opened = [self.open(each) for each in trials]
        n = max(len(proposals), 1)
        self.seconds["begin"] += [(time.monotonic() - began) / n] * len(proposals)
        return [trial for trial in opened if trial is not None]

    def begun(self, proposal: Proposal) -> TrialData:
        """Return a proposal as a trial that begins."""
        is_design = proposal.number in self.data.waiting
        return TrialData(
            proposal.number,
            RUNNING,
            DESIGN if is_design else self.settings.sampler,
            proposal.params,
            None,
            {},
            "",
            n_games=self.settings.n_replicates,
            notes=proposal.notes,
            began=time.time(),
        )

    def open(self, trial: TrialData) -> FinishedTrial | None:
        """Prepare a running trial's missing games; return the trial if none is missing."""
        error = ""
        try:
            agent = self.experiment.build(trial.params)
        except ValueError as refused:
            agent, error = self.experiment.build({}), str(refused)
        batch = TrialBatch(
            agent,
            trial.outcomes,
            trial.n_games,
            trial.number,
            self.experiment.cost,
            self.experiment.goal,
            self.experiment.max_failures,
        )
        self.batches[trial.number], self.trials[trial.number] = batch, trial
        if error := error or batch.flaw:
            return self.fail(batch, error)
        if not batch.missing:
            return self.complete(batch)
        self.show(trial)
        return None

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
                played = game_row((SEARCH, number), replicate, game, finished.machine)
                self.writer.write(played)
                is_last = batch.add(replicate, game)
        if flaw := batch.flaw:
            return self.fail(batch, flaw)
        return self.complete(batch) if is_last else None

    def complete(self, batch: TrialBatch) -> FinishedTrial:
        """Close a trial that has all of its games."""
        with timed(self.seconds["tell"]):
            values, attributes = batch.values, batch.attributes
            self.show(self.close(batch, COMPLETE, values=values))
        self.n_complete += 1
        return FinishedTrial(batch.number, values, attributes)

    def fail(self, batch: TrialBatch, error: str) -> FinishedTrial:
        """Write that a trial's θ is left out."""
        self.writer.write(failure((SEARCH, batch.number), error))
        self.show(self.close(batch, FAIL, error=error))
        self.n_failed += 1
        return FinishedTrial(batch.number, None, {}, error)

    def close(self, batch: TrialBatch, state: str, **ended: Any) -> TrialData:
        """Take a trial from those that are open; return it as it has ended."""
        del self.batches[batch.number]
        return replace(self.trials.pop(batch.number), state=state, ended=time.time(), **ended)

    def show(self, trial: TrialData) -> None:
        """Show a trial in the mirror."""
        if self.mirror is not None:
            self.mirror.put(trial)


def row_of(trial: TrialData) -> PointRow:
    """Return the row of a trial that begins."""
    begun = trial.origin, trial.n_games, trial.notes, trial.began
    return point_row(SEARCH, trial.number, trial.params, *begun)
