"""The sweep: ask for a θ, have its games played, tell the result, until the budget is spent.

One process owns the study and is its only writer; workers play games and know nothing of it. Games
wait in line ahead of the workers, those of the next trial behind those of this one, so no worker is
idle while a trial's last game is played.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from agents.agent import warm
from study.batch import BaselineBatch, Batch, TrialBatch, baseline_games, games_of, trial_id
from study.design import draw_design
from study.errors import InputError
from study.experiment import Experiment
from study.pareto import hypervolume
from study.replicate import LARGEST_STUDY_SEED, MOST_REPLICATES, game_seed
from study.samplers import DEFAULT_SAMPLER, make_sampler
from study.storage import StudyRecord
from study.workers import Finished, Workers

__all__ = ["Settings", "Snapshot", "Sweep", "SweepError", "observed_hypervolume"]

MOST_TRIALS = 1_000_000
MOST_DESIGN_POINTS = 4096
MOST_FAILURES_IN_A_ROW = 3
DESIGN_IS_ENQUEUED = "design enqueued"

# A baseline is one point that everything is compared with, so it is measured better than a trial.
BASELINE_FACTOR = 4


class SweepError(Exception):
    """One trial after the other fails: there is no use in going on. Nothing finished is lost."""


@dataclass(frozen=True)
class Settings:
    """What a sweep is asked to do.

    Parameters
    ----------
    n_trials : int
        The study's total, earlier sweeps included.
    n_replicates : int
        Games a trial.
    seed : int
        The study's seed.
    sampler, design : str
        Who proposes θ, and how the first ones are spread.
    design_size : int
        How many of the trials are the initial design.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    n_trials: int = 64
    n_replicates: int = 12
    seed: int = 0
    sampler: str = DEFAULT_SAMPLER
    design: str = "sobol"
    design_size: int = 16

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("trials", self.n_trials, 1, MOST_TRIALS),
            ("replicates", self.n_replicates, 1, MOST_REPLICATES),
            ("seed", self.seed, 0, LARGEST_STUDY_SEED),
            ("design size", self.design_size, 1, MOST_DESIGN_POINTS),
        ):
            if not low <= value <= high:
                raise InputError(f"{name}: {value} given, {low} to {high} allowed")

    def record(self, experiment: Experiment) -> StudyRecord:
        """Return what the study has to remember."""
        return StudyRecord(
            experiment=experiment.name,
            space=experiment.space.as_records(),
            seed=self.seed,
            design=self.design,
            design_size=self.design_size,
        )


@dataclass(frozen=True)
class Snapshot:
    """How far a sweep is.

    Attributes
    ----------
    n_trials_done, n_trials : int
        Complete trials, and the total asked for.
    n_games_done, n_games : int
        Finished games of trials and baselines, and those it takes in all.
    games_per_second : float
        Of this run; 0 before its first game.
    seconds_left : float
        At that rate; NaN before it is known.
    hypervolume : float
        Of the trials' observed means, in points · decades.
    n_failed : int
        Trials that could not be played; others take their place.
    n_deaths : int
        Times a worker died.
    """

    n_trials_done: int
    n_trials: int
    n_games_done: int
    n_games: int
    games_per_second: float
    seconds_left: float
    hypervolume: float
    n_failed: int
    n_deaths: int


Key = tuple[str, int]
"""A game's batch, by name, and its replicate."""


@dataclass
class Sweep:
    """A study being brought to its total of complete trials.

    Parameters
    ----------
    experiment : Experiment
        What is tuned.
    study, storage : optuna.Study, optuna.storages.BaseStorage
        Where it is kept; this process must be its only writer.
    settings : Settings
        What is asked for.
    on_change : callable
        Called with a :class:`Snapshot` several times a second.
    on_message : callable
        Called with a line of text when something happens that a user should know of.
    """

    experiment: Experiment
    study: optuna.Study
    storage: BaseStorage
    settings: Settings
    on_change: Callable[[Snapshot], None]
    on_message: Callable[[str], None]
    batches: dict[str, Batch] = field(default_factory=dict)
    values: list[tuple[float, float]] = field(default_factory=list)
    n_open: int = 0
    n_failed: int = 0
    n_failures_in_a_row: int = 0
    n_games_before: int = 0
    n_games_done: int = 0
    began: float = 0.0
    prepared: bool = False

    def prepare(self) -> None:
        """Read what is there: finished trials, interrupted ones to take up, the design, baselines."""
        warm(type(self.experiment.build({})))
        self.enqueue_design()
        for name, values in self.experiment.baselines.items():
            games = baseline_games(self.study, name)
            n_wanted = BASELINE_FACTOR * self.settings.n_replicates
            agent = self.experiment.build(values)
            self.n_games_before += len(games)
            self.open(name, BaselineBatch(agent, games, n_wanted, self.study, name))
        for trial in self.study.get_trials(deepcopy=False):
            if trial.state != TrialState.WAITING:
                self.n_games_before += len(games_of(trial))
            if trial.state == TrialState.RUNNING:
                self.take_up(trial)
            elif trial.state == TrialState.COMPLETE:
                self.values.append((trial.values[0], trial.values[1]))
            elif trial.state == TrialState.FAIL:
                self.n_failed += 1
        self.n_games_done = self.n_games_before
        self.prepared = True

    def enqueue_design(self) -> None:
        """Put the initial design in line; after a kill in the middle, what is missing of it."""
        if self.study.user_attrs.get(DESIGN_IS_ENQUEUED):
            return
        settings = self.settings
        points = draw_design(
            settings.design, self.experiment.space, settings.design_size, settings.seed
        )
        for point in points:
            self.study.enqueue_trial(point, user_attrs={"origin": "design"}, skip_if_exists=True)
        self.study.set_user_attr(DESIGN_IS_ENQUEUED, True)

    @property
    def seconds(self) -> float:
        """Seconds since :meth:`run` began."""
        return time.monotonic() - self.began

    @property
    def n_begun(self) -> int:
        """Trials that are complete or on their way there."""
        return len(self.values) + self.n_open

    @property
    def done(self) -> bool:
        """Whether the total is reached and nothing is left to play."""
        return self.n_begun >= self.settings.n_trials and not self.batches

    def run(self, jobs: int) -> None:
        """Play until the total is reached.

        An interrupt may come at any time: workers end at once, and whatever has finished is stored.

        Raises
        ------
        WorkersError
            If workers die again and again.
        SweepError
            If one trial after the other fails.
        """
        self.began = time.monotonic()
        with Workers[Key](jobs) as workers:
            try:
                self.play_on(workers)
            except KeyboardInterrupt:
                with interrupts_ignored():
                    workers.collect(timeout=0.0)
                    self.record_all(workers)
                    workers.close(at_once=True)
                raise

    def play_on(self, workers: Workers[Key]) -> None:
        """Hand out games and record those that come back, until there are none left."""
        while True:
            # Twice as many games as workers: one to play, one to go on with meanwhile.
            while len(workers) < 2 * workers.jobs and (key := self.next_game()) is not None:
                name, replicate = key
                seed = game_seed(self.settings.seed, replicate)
                workers.submit(key, self.batches[name].agent, seed)
            if not len(workers):
                return
            n_deaths = workers.n_deaths
            workers.collect(timeout=0.25)
            if workers.n_deaths > n_deaths:
                self.on_message("a worker died; the games in flight are played again")
            self.record_all(workers)
            self.on_change(self.snapshot(workers.n_deaths))

    def next_game(self) -> Key | None:
        """Return the next game to hand out; ask for a new trial when the open ones have none."""
        while True:
            for name, batch in self.batches.items():
                if batch.waiting and not batch.failed:
                    return name, batch.waiting.popleft()
            if self.n_begun >= self.settings.n_trials:
                return None
            self.ask()

    def sampler_of(self, number: int) -> optuna.samplers.BaseSampler:
        """Return the sampler of one trial."""
        settings = self.settings
        return make_sampler(settings.sampler, settings.seed, number, settings.design_size)

    def ask(self) -> None:
        """Begin a new trial."""
        trials = self.study.get_trials(deepcopy=False)
        waiting = [trial.number for trial in trials if trial.state == TrialState.WAITING]
        number = min(waiting, default=len(trials))
        self.study.sampler = self.sampler_of(number)
        trial = self.study.ask(self.experiment.space.distributions())
        self.take_up(self.study.get_trials(deepcopy=False)[trial.number])

    def take_up(self, frozen: FrozenTrial) -> None:
        """Make a running trial's missing games ready to be handed out."""
        number, params = frozen.number, frozen.params
        identifier = trial_id(self.study, self.storage, number)
        if set(params) != set(self.experiment.space.names):
            # Killed while it was being asked for: have it draw what is missing.
            self.study.sampler = self.sampler_of(number)
            trial = optuna.trial.Trial(self.study, identifier)
            params = {each.name: each.suggest(trial) for each in self.experiment.space}
        if "origin" not in frozen.user_attrs:
            self.storage.set_trial_user_attr(identifier, "origin", self.settings.sampler)
        self.n_open += 1
        n_wanted = self.settings.n_replicates
        try:
            agent = self.experiment.build(params)
        except ValueError as error:
            agent = self.experiment.build({})
            batch = TrialBatch(agent, {}, n_wanted, self.study, self.storage, number)
            self.fail(str(number), batch, str(error))
            return
        games = games_of(frozen)
        batch = TrialBatch(agent, games, n_wanted, self.study, self.storage, number)
        self.open(str(number), batch)

    def open(self, name: str, batch: Batch) -> None:
        """Add a batch; close it at once if its games are all there."""
        if batch.missing:
            self.batches[name] = batch
        else:
            self.close(batch)

    def close(self, batch: Batch) -> None:
        """Write what a batch's games amount to."""
        batch.complete()
        if isinstance(batch, TrialBatch):
            self.values.append(batch.values)
            self.n_open -= 1
            self.n_failures_in_a_row = 0

    def fail(self, name: str, batch: Batch, message: str) -> None:
        """Write that a batch's games cannot be played; stop if that goes on."""
        batch.failed = True
        batch.fail(message)
        trial = isinstance(batch, TrialBatch)
        self.on_message(f"{f'trial {name}' if trial else name} failed: {message}")
        if trial:
            self.n_open -= 1
            self.n_failed += 1
            self.n_failures_in_a_row += 1
            if self.n_failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
                raise SweepError(
                    f"{MOST_FAILURES_IN_A_ROW} trials failed one after the other; the last: {message}"
                )

    def record_all(self, workers: Workers[Key]) -> None:
        """Record all games that have come back.

        A game leaves the line only when it is stored: an interrupt in between stores it twice.
        """
        while workers.returned:
            self.record(workers.returned[0])
            workers.returned.popleft()

    def record(self, finished: Finished[Key]) -> None:
        """Store a game that has come back, and close its batch if it was the last."""
        name, replicate = finished.key
        batch = self.batches.get(name)
        if batch is None or batch.failed or replicate in batch.games:
            return  # stored already, or its trial is closed as failed, which storages make final
        if finished.game is None:
            self.fail(name, batch, finished.error)
            del self.batches[name]
            return
        self.n_games_done += 1
        if batch.add(replicate, finished.game):
            self.close(batch)
            del self.batches[name]

    def snapshot(self, n_deaths: int = 0) -> Snapshot:
        """Return how far the sweep is."""
        unasked = max(0, self.settings.n_trials - self.n_begun)
        missing = sum(len(batch.missing) for batch in self.batches.values())
        n_left = missing + unasked * self.settings.n_replicates
        n_new = self.n_games_done - self.n_games_before
        rate = n_new / self.seconds if self.began else 0.0
        return Snapshot(
            n_trials_done=len(self.values),
            n_trials=max(self.settings.n_trials, len(self.values)),
            n_games_done=self.n_games_done,
            n_games=self.n_games_done + n_left,
            games_per_second=rate,
            seconds_left=n_left / rate if rate else float("nan"),
            hypervolume=observed_hypervolume(self.experiment, self.values),
            n_failed=self.n_failed,
            n_deaths=n_deaths,
        )


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Let nothing interrupt the few moments in which finished games are stored."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread only
        return
    before = {each: signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def observed_hypervolume(experiment: Experiment, values: Sequence[tuple[float, float]]) -> float:
    """Return the hypervolume of observed means: noisy, and optimistic for being a maximum."""
    points = np.array(values, np.float64).reshape(-1, 2)
    return hypervolume(
        points[:, 0],
        points[:, 1],
        experiment.reference_score,
        experiment.reference_seconds_per_move,
    )
