"""The sweep: ask for a θ, have its games played, tell the result, until the budget is spent.

One process owns the study and is its only writer; workers play games and know nothing of it. Games
wait in line ahead of the workers, those of the next trial behind those of this one, so no worker is
idle while a trial's last game is played.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import optuna
from optuna.storages import BaseStorage
from optuna.trial import TrialState

from agents.agent import Agent, Game, warm
from study.design import draw_design
from study.errors import InputError
from study.experiment import Experiment
from study.pareto import hypervolume
from study.replicate import (
    LARGEST_STUDY_SEED,
    MOST_REPLICATES,
    game_seed,
    game_to_record,
    record_to_game,
    summarize,
)
from study.samplers import make_sampler
from study.storage import StudyRecord
from study.workers import Finished, Workers

__all__ = ["Settings", "Snapshot", "Sweep", "baseline_games", "games_of"]

GAME_PREFIX = "game:"
BASELINE_PREFIX = "baseline:"
MOST_TRIALS = 1_000_000

# A baseline is one point that everything is compared with, so it is measured better than a trial.
BASELINE_FACTOR = 4


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
    sampler: str = "tpe"
    design: str = "sobol"
    design_size: int = 16

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("trials", self.n_trials, 1, MOST_TRIALS),
            ("replicates", self.n_replicates, 1, MOST_REPLICATES),
            ("seed", self.seed, 0, LARGEST_STUDY_SEED),
            ("design size", self.design_size, 1, MOST_TRIALS),
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


def games_in(attributes: dict[str, Any], prefix: str) -> dict[int, Game]:
    """Read the games stored under ``prefix``, by replicate."""
    games = {
        int(key[len(prefix) :]): record_to_game(value)
        for key, value in attributes.items()
        if key.startswith(prefix)
    }
    return dict(sorted(games.items()))


def games_of(trial: optuna.trial.FrozenTrial) -> dict[int, Game]:
    """Return a trial's finished games, by replicate."""
    return games_in(trial.user_attrs, GAME_PREFIX)


def baseline_games(study: optuna.Study, baseline: str) -> dict[int, Game]:
    """Return a baseline's finished games, by replicate."""
    return games_in(study.user_attrs, f"{BASELINE_PREFIX}{baseline}:")


@dataclass
class Batch:
    """The games of one parameter vector that a sweep still has to bring in.

    Attributes
    ----------
    agent : Agent
        What plays them.
    games : dict of int to Game
        Finished ones, by replicate.
    waiting : deque of int
        Replicates not yet handed out.
    n_wanted : int
        How many games complete the batch.
    store : callable
        Writes one game to the storage.
    complete : callable
        Called once, with all games.
    fail : callable
        Called once, with a message, if a game cannot be played.
    """

    agent: Agent
    games: dict[int, Game]
    waiting: deque[int]
    n_wanted: int
    store: Callable[[int, Game], None]
    complete: Callable[[list[Game]], None]
    fail: Callable[[str], None]


@dataclass(frozen=True)
class Snapshot:
    """How far a sweep is.

    Attributes
    ----------
    n_trials_done, n_trials : int
        Finished trials, and the total asked for.
    n_games_done, n_games : int
        Finished games, and those it takes in all.
    games_per_second : float
        Of this run; 0 before its first game.
    seconds_left : float
        At that rate; NaN before it is known.
    hypervolume : float
        Of the trials' observed means, in points · decades.
    n_failed : int
        Trials that could not be played.
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


@dataclass
class Sweep:
    """A study being brought to its total.

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
    n_asked: int = 0
    n_finished: int = 0
    n_failed: int = 0
    n_games_before: int = 0
    n_games_done: int = 0
    began: float = 0.0

    def prepare(self) -> None:
        """Read what is there: finished trials, interrupted ones to take up, the design, baselines."""
        warm(type(self.experiment.build({})))
        for point in draw_design(
            self.settings.design,
            self.experiment.space,
            self.settings.design_size,
            self.settings.seed,
        ):
            self.study.enqueue_trial(point, user_attrs={"origin": "design"}, skip_if_exists=True)
        for name, values in self.experiment.baselines.items():
            self.take_up_baseline(name, self.experiment.build(values))
        for trial in self.study.get_trials(deepcopy=False):
            if trial.state == TrialState.WAITING:
                continue
            self.n_asked += 1
            if trial.state == TrialState.RUNNING:
                self.take_up(trial.number, trial.params, games_of(trial))
                continue
            self.n_finished += 1
            self.n_games_before += len(games_of(trial))
            if trial.state == TrialState.COMPLETE:
                self.values.append((trial.values[0], trial.values[1]))
            else:
                self.n_failed += 1
        self.n_games_done = self.n_games_before

    @property
    def seconds(self) -> float:
        """Seconds since :meth:`run` began."""
        return time.monotonic() - self.began

    @property
    def done(self) -> bool:
        """Whether the total is reached and nothing is left to play."""
        return self.n_asked >= self.settings.n_trials and not self.batches

    def run(self, jobs: int) -> None:
        """Play until the total is reached.

        An interrupt may come at any time: whatever has finished is stored, workers end at once.
        """
        self.began = time.monotonic()
        with Workers[Key](jobs) as workers:
            while True:
                # Twice as many games as workers: one to play, one to go on with meanwhile.
                while len(workers) < 2 * jobs and (task := self.next_game()) is not None:
                    (name, replicate), agent = task
                    seed = game_seed(self.settings.seed, replicate)
                    workers.submit((name, replicate), agent, seed)
                if not len(workers):
                    break
                n_deaths = workers.n_deaths
                for finished in workers.collect(timeout=0.25):
                    self.record(finished)
                if workers.n_deaths > n_deaths:
                    self.on_message("a worker died; its games are played again")
                self.on_change(self.snapshot(workers.n_deaths))

    def next_game(self) -> tuple[Key, Agent] | None:
        """Return the next game to hand out; ask for a new trial when the open ones have none."""
        for name, batch in self.batches.items():
            if batch.waiting:
                return (name, batch.waiting.popleft()), batch.agent
        if self.n_asked >= self.settings.n_trials:
            return None
        self.ask()
        return self.next_game()

    def ask(self) -> None:
        """Begin a new trial."""
        number = self.n_asked
        self.study.sampler = make_sampler(
            self.settings.sampler, self.settings.seed, number, self.settings.design_size
        )
        trial = self.study.ask(self.experiment.space.distributions())
        if "origin" not in trial.user_attrs:
            trial.set_user_attr("origin", self.settings.sampler)
        self.n_asked += 1
        self.take_up(trial.number, trial.params, {})

    def take_up(self, number: int, params: dict[str, Any], games: dict[int, Game]) -> None:
        """Make a running trial's missing games ready to be handed out."""
        study_id = self.storage.get_study_id_from_name(self.study.study_name)
        trial_id = self.storage.get_trial_id_from_study_id_trial_number(study_id, number)
        if set(params) != set(self.experiment.space.names):
            # Killed while it was being asked for: have it draw what is missing.
            self.study.sampler = make_sampler(
                self.settings.sampler, self.settings.seed, number, self.settings.design_size
            )
            trial = optuna.trial.Trial(self.study, trial_id)
            params = {each.name: each.suggest(trial) for each in self.experiment.space}

        def store(replicate: int, game: Game) -> None:
            key = f"{GAME_PREFIX}{replicate}"
            self.storage.set_trial_user_attr(trial_id, key, game_to_record(game))

        def complete(played: list[Game]) -> None:
            summary = summarize(played)
            values = (summary.score_mean, summary.seconds_per_move)
            self.study.tell(number, values)
            self.values.append(values)
            self.n_finished += 1

        def fail(message: str) -> None:
            self.on_message(f"trial {number} failed: {message}")
            self.storage.set_trial_user_attr(trial_id, "error", message)
            self.study.tell(number, state=TrialState.FAIL)
            self.n_finished += 1
            self.n_failed += 1

        try:
            agent = self.experiment.build(params)
        except ValueError as error:
            fail(str(error))
            return
        self.open(str(number), agent, games, self.settings.n_replicates, store, complete, fail)

    def take_up_baseline(self, baseline: str, agent: Agent) -> None:
        """Make a baseline's missing games ready to be handed out."""

        def store(replicate: int, game: Game) -> None:
            key = f"{BASELINE_PREFIX}{baseline}:{replicate}"
            self.study.set_user_attr(key, game_to_record(game))

        def complete(played: list[Game]) -> None:
            pass  # its games are all there is to keep

        def fail(message: str) -> None:
            self.on_message(f"{baseline} failed: {message}")

        games = baseline_games(self.study, baseline)
        n_wanted = BASELINE_FACTOR * self.settings.n_replicates
        self.open(baseline, agent, games, n_wanted, store, complete, fail)

    def open(
        self,
        name: str,
        agent: Agent,
        games: dict[int, Game],
        n_wanted: int,
        store: Callable[[int, Game], None],
        complete: Callable[[list[Game]], None],
        fail: Callable[[str], None],
    ) -> None:
        """Add a batch, or complete it at once if its games are all there."""
        missing = deque(r for r in range(n_wanted) if r not in games)
        self.n_games_before += len(games)
        if missing:
            self.batches[name] = Batch(agent, games, missing, n_wanted, store, complete, fail)
        else:
            complete([games[r] for r in sorted(games)])

    def record(self, finished: Finished[Key]) -> None:
        """Store a game that has come back, and close its batch if it was the last."""
        name, replicate = finished.key
        batch = self.batches.get(name)
        if batch is None:
            return  # the trial has failed meanwhile, and takes no more games
        if finished.game is None:
            del self.batches[name]
            batch.fail(finished.error)
            return
        batch.store(replicate, finished.game)
        batch.games[replicate] = finished.game
        self.n_games_done += 1
        if len(batch.games) >= batch.n_wanted:
            del self.batches[name]
            batch.complete([batch.games[r] for r in sorted(batch.games)])

    def snapshot(self, n_deaths: int = 0) -> Snapshot:
        """Return how far the sweep is."""
        unasked = max(0, self.settings.n_trials - self.n_asked)
        missing = sum(batch.n_wanted - len(batch.games) for batch in self.batches.values())
        n_games = self.n_games_done + missing + unasked * self.settings.n_replicates
        n_new = self.n_games_done - self.n_games_before
        rate = n_new / self.seconds if self.began else 0.0
        return Snapshot(
            n_trials_done=self.n_finished,
            n_trials=max(self.settings.n_trials, self.n_finished),
            n_games_done=self.n_games_done,
            n_games=n_games,
            games_per_second=rate,
            seconds_left=(n_games - self.n_games_done) / rate if rate else float("nan"),
            hypervolume=observed_hypervolume(self.experiment, self.values),
            n_failed=self.n_failed,
            n_deaths=n_deaths,
        )


def observed_hypervolume(experiment: Experiment, values: Sequence[tuple[float, float]]) -> float:
    """Return the hypervolume of observed means: noisy, and optimistic for being a maximum."""
    points = np.array(values, np.float64).reshape(-1, 2)
    return hypervolume(
        points[:, 0],
        points[:, 1],
        experiment.reference_score,
        experiment.reference_seconds_per_move,
    )
