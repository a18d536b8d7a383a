"""The search: play the games of one θ after another, until the budget is spent.

One process owns the study and is its only writer; workers play games and know nothing of the study.
Several trials are *open* at once: while the games of one are played, those of the next are queued,
and the sampler works on the one after that (:mod:`study.run.proposals`). If agents learn before
they play, each worker plays a different trial.
"""

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heappush
from statistics import fmean
from typing import Any

from optuna.trial import FrozenTrial, TrialState, create_trial

from thetafront.agents.agent import Agent, warm
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.failures import counting_games, left_out_text, shows_failures
from thetafront.study.log.connection import StorageConnection
from thetafront.study.log.log import Log, failure, game_row, point_row
from thetafront.study.log.mirror import Mirror
from thetafront.study.log.point import COMPLETE, DESIGN, FAIL, RUNNING, Point
from thetafront.study.log.seeds import search_seed
from thetafront.study.log.study_data import StudyData, frozen
from thetafront.study.log.tables import SEARCH
from thetafront.study.log.writer import StudyWriter
from thetafront.study.run.budget import Budget
from thetafront.study.run.plan import MIN_GAMES_TIMED, MIN_TRIALS
from thetafront.study.run.proposals import Proposals, StaleError, n_at_a_time
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.workers import Finished, PlayError, Task
from thetafront.study.samplers import SAMPLERS, make_sampler
from thetafront.study.samplers.observations import Objectives, study_directions

Key = tuple[int, tuple[int, ...]]
"""A trial's number, and the replicates of some of its games."""

MAX_FAILURES_IN_A_ROW = 3  # failed trials of a built-in agent, whose games should not fail
MAX_DEATHS = 3  # deaths of the process that proposes, without a proposal in between
WEIGHT_OF_LATEST = 0.05  # the latest task's weight in the mean time of a game (for task sizes)
# Failed trials in a row of a user's agent, which may fail in a part of the space: before the first
# complete trial, and after it.
MAX_FAILURES_AT_FIRST, MAX_FAILURES_LATER = 12, 100


@contextmanager
def timed(durations: list[float]) -> Iterator[None]:
    """Append the wall-clock seconds of the block to ``durations``."""
    began = time.monotonic()
    yield
    durations.append(time.monotonic() - began)


class Search(GameSource[Key]):
    """Continues a study, whatever its state, until enough trials are complete.

    This process must be the only writer of ``log``. With a single worker on this machine, proposals
    do not depend on timing. ``message`` is called with a line of text when something happens that a
    user should know. When ``budget`` is spent, no more trials are begun; open trials are finished,
    as far as the budget of the whole run allows. With ``in_subprocess``, the sampler works in a
    separate process, as on a cluster, so that the loop of games does not wait for it.

    PlayError if several trials in a row fail.
    """

    def __init__(
        self,
        experiment: Experiment,
        log: Log,
        settings: SearchSettings,
        jobs: int,
        message: Callable[[str], None],
        budget: Budget | None = None,
        connection: StorageConnection | None = None,
        in_subprocess: bool = False,
    ) -> None:
        agent = experiment.build({})
        warm(agent)
        self.is_learning = agent.learns
        if agent.learns:
            self.tasks_per_worker = 1  # tasks take long, so none needs to be queued
        self.experiment = experiment
        self.connection = StorageConnection(log.engine) if connection is None else connection
        self.log = log
        self.space, self.distributions = experiment.space, experiment.space.distributions()
        self.message = message
        self.budget = Budget() if budget is None else budget
        self.n_failures_in_a_row = self.n_deaths = 0
        data = self.read()
        self.settings = settings
        self.mirror = None if log.is_in_memory else Mirror(log, experiment, data.trials)
        self.writer = StudyWriter(log, self.connection, mirror=self.mirror)
        self.design = data.waiting
        self.open: dict[int, Point] = {}  # the open trials, by number
        self.agents: dict[int, Agent] = {}  # the agents that play them
        # A heap of games that have not been given to a worker yet: trial numbers and replicates.
        self.waiting: list[tuple[int, int]] = []
        # Numbers of trials and games, including those of earlier runs.
        states = [trial.state for trial in data.trials]
        self.n_complete, self.n_failed = states.count(COMPLETE), states.count(FAIL)
        self.n_games = self.n_games_before = sum(len(trial.outcomes) for trial in data.trials)
        # Seconds until the writer accepted each new trial (`begin`) and each game (`store`), and
        # seconds to compute each trial's objectives (`tell`). The writer accepts rows late if the
        # storage is slower than the games.
        self.seconds: dict[str, list[float]] = {"begin": [], "store": [], "tell": []}
        self.n_workers = jobs
        self.in_subprocess = in_subprocess
        self.sampler_of = partial(
            make_sampler,
            settings.sampler,
            settings.seed,
            n_design=settings.design_size,
            objectives=Objectives.from_experiment(experiment),
            space=experiment.space,
        )
        self.proposals = self.proposals_after(data)
        self.n_tasks_out = 0
        self.seconds_a_game = 0.0
        try:
            for trial in data.trials:
                if trial.state == RUNNING:
                    self.begin_games(trial)
        except PlayError:
            self.close()
            raise

    def read(self) -> StudyData:
        """Read the study as it is now."""
        return self.connection.retried(lambda: StudyData.read(self.log, self.experiment))

    def proposals_after(self, data: StudyData) -> Proposals:
        """Return a source of proposals for the trials after those of a study."""
        return Proposals(
            known_trials(data),
            list(study_directions(self.experiment.goal)),
            self.space,
            self.sampler_of,
            deterministic=self.n_workers == 1 and not self.in_subprocess,
            in_subprocess=self.in_subprocess,
        )

    @property
    def n_enough(self) -> int:
        """How many queued games suffice; if there are fewer, another trial is proposed."""
        return max(self.n_workers * self.games_a_task, self.settings.n_replicates)

    @property
    def games_a_task(self) -> int:
        """How many games a task has while all workers are busy: one if games are long."""
        if not (self.seconds_a_task and self.seconds_a_game):
            return 1
        n = max(1, round(self.seconds_a_task / self.seconds_a_game))
        return min(self.settings.n_replicates, n)

    @property
    def most_games(self) -> int:
        """Maximum number of games of the next task, so that some are left for every worker."""
        if self.games_a_task == 1 or self.n_tasks_out >= self.n_workers:
            return self.games_a_task
        n_each = len(self.waiting) // (self.n_workers - self.n_tasks_out)
        return min(self.games_a_task, max(1, n_each))

    @property
    def n_begun(self) -> int:
        """Trials that are complete or being played."""
        return self.n_complete + len(self.open)

    @property
    def done(self) -> bool:
        """Whether the total number of trials is reached, and no trial is open."""
        return self.n_complete >= self.settings.n_trials and not self.open

    def next_task(self) -> Task[Key] | None:
        """Return the next games, and request proposals early enough.

        A task is one game, or as many games of one trial as fill the executor's ``seconds_a_task``.
        If the agent learns, a task is all games of a trial. If two workers shared these games, the
        agent would have to learn in both.
        """
        self.propose_ahead()
        if not (waiting := self.waiting):
            return None
        number = waiting[0][0]
        agent = self.agents[number]
        most = math.inf if agent.learns else self.most_games
        replicates: list[int] = []
        while waiting and waiting[0][0] == number and len(replicates) < most:
            replicates.append(heappop(waiting)[1])
        self.n_tasks_out += 1
        seeds = [search_seed(self.settings.seed, number, each) for each in replicates]
        return Task((number, tuple(replicates)), agent, seeds)

    def pending_proposal(self) -> "Future[Any] | None":
        """Return the proposal being computed, if a trial may still begin."""
        return None if self.budget.is_spent else self.proposals.future

    def propose_ahead(self) -> None:
        """Begin trials whose proposals are ready; ask for more if few games are queued."""
        while not self.budget.is_spent:
            ready: list[Point] = []
            if self.proposals.future is not None:
                if not self.proposals.future.done():
                    return
                ready = self.take_proposals()
            n_wanted = self.n_wanted(len(ready))
            if n_wanted:
                self.proposals.begin(n_wanted)
            if ready:
                # The ready trials are written while the sampler already works on the next ones.
                for each in ready:
                    self.begin(each)
            elif self.proposals.future is None or self.waiting:
                return
            else:
                # No game is left to hand out. Wait briefly: proposals of the design are quick.
                wait([self.proposals.future], timeout=0.02)

    def take_proposals(self) -> list[Point]:
        """Return the proposals that are ready.

        If the process that proposes has died, start another process, and return no proposals.
        PlayError is raised if it dies repeatedly, or if a user's own sampler fails.
        """
        try:
            ready = self.proposals.take()
            self.n_deaths = 0
            return ready
        except (BrokenProcessPool, StaleError) as error:
            self.n_deaths += 1
            if self.n_deaths == MAX_DEATHS:
                text = f"the process that proposes trials died {MAX_DEATHS} times in a row: {error}"
                raise PlayError(text) from None
            self.message("the process that proposes trials died; a new one continues")
            self.proposals.close()
            self.writer.flush()
            seconds = self.proposals.seconds
            self.proposals = self.proposals_after(self.read())
            self.proposals.seconds = seconds
            return []
        except Exception as error:
            if self.settings.sampler in SAMPLERS:
                raise
            what = f"{type(error).__name__}: {error}"  # foreign code may raise anything
            raise PlayError(f"the {self.settings.sampler} sampler failed: {what}") from None

    def n_wanted(self, n_ready: int) -> int:
        """Return how many more trials to ask for, when ``n_ready`` trials are about to begin."""
        n_left = self.settings.n_trials - self.n_begun - n_ready
        n_queued = len(self.waiting) + n_ready * self.settings.n_replicates
        if n_left <= 0 or n_queued >= self.n_enough:
            return 0
        if self.n_workers > 1:  # more workers may have joined a cluster
            self.proposals.deterministic = False
        if not self.proposals.deterministic:
            if not self.in_subprocess:  # a workstation
                return 1
            missing = math.ceil((self.n_enough - n_queued) / self.settings.n_replicates)
            return min(n_left, n_at_a_time(self.n_trials_in_flight, missing))
        number = self.proposals.next_number()
        return int(all(n >= number - 1 for n in self.open))

    @property
    def n_trials_in_flight(self) -> float:
        """Trials whose games are being played or queued when all workers are busy."""
        n_tasks = self.tasks_per_worker * self.n_workers
        if self.is_learning:
            return n_tasks
        return n_tasks * self.games_a_task / self.settings.n_replicates

    def begin(self, proposal: Point) -> None:
        """Write a proposal into the log as a trial, and open it."""
        with timed(self.seconds["begin"]):
            trial = replace(
                proposal,
                origin=DESIGN if proposal.number in self.design else self.settings.sampler,
                n_games=self.settings.n_replicates,
                began=time.time(),
            )
            begun = trial.origin, trial.n_games, trial.notes, trial.began
            self.writer.write(point_row(SEARCH, trial.number, trial.params, *begun))
            self.begin_games(trial)

    def begin_games(self, trial: Point) -> None:
        """Open a running trial, and queue its missing games; close it at once if θ is refused."""
        error, penalty = "", self.experiment.goal.penalty
        games = counting_games(trial.outcomes, penalty)
        trial = replace(trial, games=games, failures=dict(trial.failures))
        self.open[trial.number] = trial
        try:
            self.agents[trial.number] = self.experiment.build(trial.params)
        except ValueError as refused:
            error = str(refused)
        self.close_if_ended(trial, error)
        if trial.number in self.open:
            for replicate in trial.missing(penalty):
                heappush(self.waiting, (trial.number, replicate))
            if self.mirror is not None:
                self.mirror.put(trial)

    def record(self, finished: Finished[Key]) -> None:
        """Store games that have come back, and close their trial if it has ended.

        A game that failed is replaced by a game with the next seed, until θ is left out. PlayError
        is raised if an agent could not learn; a later run can continue the trial.
        """
        self.n_tasks_out -= 1
        if finished.games and not finished.is_first:
            seconds = (finished.ended - finished.began) / len(finished.games)
            weight = WEIGHT_OF_LATEST if self.seconds_a_game else 1.0
            self.seconds_a_game += weight * (seconds - self.seconds_a_game)
        number, replicates = finished.key
        trial, penalty = self.open.get(number), self.experiment.goal.penalty
        if trial is None:
            return  # the trial has failed already
        if finished.is_machines:
            raise PlayError(f"trial {number} cannot be played: {finished.error}")
        if finished.error:
            self.close_if_ended(trial, finished.error)
            return
        for replicate, game in zip(replicates, finished.games, strict=True):
            if replicate in trial.games or replicate in trial.failures:
                continue  # stored already
            self.n_games += 1
            with timed(self.seconds["store"]):
                self.writer.write(game_row((SEARCH, number), replicate, game, finished.machine))
                if trial.add(replicate, game, penalty) is None:
                    heappush(self.waiting, (number, trial.n_replicates(penalty) - 1))
        self.close_if_ended(trial)

    def close_if_ended(self, trial: Point, error: str = "") -> None:
        """Close a trial that failed or has all of its games."""
        goal = self.experiment.goal
        is_missing = bool(trial.missing(goal.penalty))
        if not error and trial.failures:
            is_unplayed = not (trial.n_ended or is_missing)  # so the trial has no cost
            if is_unplayed or shows_failures(trial.outcomes, goal, self.experiment.max_failures):
                error = left_out_text(trial.failures, trial.n_ended)
        if error:
            self.writer.write(failure((SEARCH, trial.number), error))
            self.waiting = [each for each in self.waiting if each[0] != trial.number]
            heapify(self.waiting)
            self.n_failed += 1
            ended = replace(trial, error=error, ended=time.time())
        elif is_missing:
            return
        else:
            with timed(self.seconds["tell"]):
                values = trial.objectives(goal, self.experiment.cost)
                self.n_complete += 1
                ended = replace(trial, values=values, ended=time.time())
        del self.open[trial.number]
        self.agents.pop(trial.number, None)
        if self.mirror is not None:
            self.mirror.put(ended)
        self.learn(ended)

    def learn(self, trial: Point) -> None:
        """Tell later proposals the result of a trial that has ended.

        PlayError if too many trials in a row have failed.
        """
        self.proposals.learn(frozen(trial, self.distributions, self.experiment))
        if not trial.error:
            self.n_failures_in_a_row = 0
            return
        self.message(f"trial {trial.number} failed: {trial.error}")
        self.n_failures_in_a_row += 1
        if (n := self.n_failures_in_a_row) >= self.max_failures_in_a_row:
            none = "" if self.n_complete else "no trial can be played: "
            raise PlayError(f"{none}{n} trials in a row failed; the last: {trial.error}")

    @property
    def max_failures_in_a_row(self) -> int:
        """After how many failed trials in a row the search stops."""
        if not self.experiment.player.is_external:
            return MAX_FAILURES_IN_A_ROW
        return MAX_FAILURES_LATER if self.n_complete else MAX_FAILURES_AT_FIRST

    @property
    def seconds_each(self) -> dict[str, float]:
        """Mean CPU seconds of a proposal; mean seconds to begin or end a trial or store a game."""
        durations = {"think": self.proposals.seconds, **self.seconds}
        return {name: fmean(each) if each else 0.0 for name, each in durations.items()}

    def snapshot(self) -> Snapshot:
        """Return the progress of the search."""
        n_trials = self.settings.n_trials
        n_missing = sum(each.n_games - len(each.games) for each in self.open.values())
        n_missing += max(0, n_trials - self.n_begun) * self.settings.n_replicates
        return Snapshot(
            unit="trials",
            n_units_done=self.n_complete,
            n_units=max(n_trials, self.n_complete) if self.settings.has_total else None,
            n_games_done=self.n_games,
            n_games=self.n_games + n_missing,
            n_failed=self.n_failed,
        )

    @property
    def stage(self) -> int:
        """0 at first, 1 when enough is known for a plan, 2 when the initial design is complete."""
        if self.n_games - self.n_games_before < MIN_GAMES_TIMED:
            return 0
        n, size = self.n_complete, self.settings.design_size
        return int(n >= min(MIN_TRIALS, size)) + int(n >= size)

    def close(self) -> None:
        """End the sampler's thread, and store all finished games."""
        self.proposals.close()
        self.writer.close()


def known_trials(data: StudyData) -> list[FrozenTrial]:
    """Return a study's trials, beginning with number 0.

    Trials that have not begun are in Optuna's state ``WAITING``. If they belong to the design, they
    have their θ already.
    """
    trials = {trial.number: trial for trial in data.frozen_trials}
    for number in range(max([len(data.design), *(n + 1 for n in trials)])):
        if number not in trials:
            theta = data.waiting.get(number)
            notes = {} if theta is None else {"fixed_params": dict(theta)}
            trials[number] = create_trial(state=TrialState.WAITING, system_attrs=notes)
    return [trials[number] for number in sorted(trials)]
