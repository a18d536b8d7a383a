"""The coordinator of a large cluster, measured: all of it runs, only the games are simulated.

A search of ``mcmdp`` with its sampler, its storage and its loop plays on workers that only wait.
Scores and times are those of the surface ``recorded``. A game occupies its worker for 0.256 seconds
on average, with the spread of recorded games: that is 3,906 games a second for 1,000 workers. What
Dask's client takes for a task is not simulated but spent, as many CPU seconds as
:mod:`results.benchmarks.cluster.dask_games` measures.
"""

import heapq
import math
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from results.benchmarks.cluster.dask_games import Silent
from results.benchmarks.samplers.recording import SPACE
from results.benchmarks.samplers.surface import Surface
from results.benchmarks.samplers.surfaces import surface
from thetafront.agents.agent import Agent
from thetafront.agents.outside.processes import cpu_seconds_of
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.registry import experiment
from thetafront.study.log.location import Location
from thetafront.study.log.storage import create_or_resume
from thetafront.study.run.budget import Budget
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.executor import Finished, Task
from thetafront.study.run.search import Search
from thetafront.study.run.settings import SearchSettings
from thetafront.study.samplers import DEFAULT_SAMPLER

Key = TypeVar("Key")
MEAN_SECONDS, SPREAD = 0.256, 0.76  # of a game; its standard deviation over its mean
MOVES = 2_000
SECONDS_A_TASK = 1.0
TASKS_PER_WORKER = 1.5
MOST_TRIALS = 1_000_000
NOWHERE = np.zeros(len(SPACE))
CASES = ((64, 4), (256, 4), (256, 16), (1_024, 32))
"""Workers, and games a trial."""


@lru_cache(maxsize=4_096)
def surface_at(agent: Agent) -> Surface:
    """Return the surface at an agent's θ, evaluated once for all its games."""
    on = surface("recorded")
    point = np.array(SPACE.to_unit({name: getattr(agent, name) for name in SPACE.names}))
    score, seconds = on.score(point[None]), on.seconds(point[None])
    return replace(
        on,
        score=lambda _: score,
        seconds=lambda _: seconds,
        factors=lambda _, n, rng: on.factors(point, n, rng),
    )


class SimulatedWorkers(Generic[Key]):
    """Workers that wait as long as a game takes, and return a drawn result.

    Parameters
    ----------
    capacity : int
        How many.
    client_seconds : float
        CPU seconds that handing out a task and taking it back would take.
    """

    def __init__(self, capacity: int, client_seconds: float) -> None:
        self.capacity = capacity
        self.client_seconds = client_seconds
        self.returned: deque[Finished[Key]] = deque()
        self.n_deaths = 0
        self.tasks_per_worker = TASKS_PER_WORKER
        self.seconds_a_task = SECONDS_A_TASK
        self.machines: Mapping[str, Mapping[str, Any]] = {}
        self.place = f"{capacity:,} simulated workers"
        self.rng = np.random.default_rng(0)
        self.free = [0.0] * capacity  # when each worker is free
        self.flying: list[tuple[float, int, float, Task[Key]]] = []
        self.n_submitted = 0
        self.played: list[tuple[float, float]] = []  # when each task began and ended
        self.own_seconds = 0.0  # CPU of the simulation itself

    def __enter__(self) -> "SimulatedWorkers[Key]":
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close(at_once=True)

    def open(self) -> None:
        """Have all workers free from now on."""
        self.free = [time.monotonic()] * self.capacity

    def submit(self, task: Task[Key]) -> None:
        """Put a task in the line of the worker that is free first."""
        began = time.thread_time()
        sigma = math.sqrt(math.log1p(SPREAD**2))
        factors = self.rng.lognormal(-0.5 * sigma**2, sigma, len(task.seeds))
        start = max(time.monotonic(), heapq.heappop(self.free))
        end = start + MEAN_SECONDS * float(factors.sum())
        heapq.heappush(self.free, end)
        self.n_submitted += 1
        heapq.heappush(self.flying, (end, self.n_submitted, start, task))
        self.own_seconds += time.thread_time() - began

    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for a task, ``also`` or ``timeout`` seconds; put what has ended in ``returned``."""
        first = self.flying[0][0] if self.flying else math.inf
        left = max(0.0, min(timeout, first - time.monotonic()))
        if also is None:
            time.sleep(left)
        else:
            wait([also], timeout=left)
        began, now, n = time.thread_time(), time.monotonic(), 0
        while self.flying and self.flying[0][0] <= now:
            end, _, start, task = heapq.heappop(self.flying)
            self.played.append((start, end))
            self.returned.append(Finished(task.key, self.games_of(task), "", start, end))
            n += 1
        self.own_seconds += time.thread_time() - began
        until = time.thread_time() + n * self.client_seconds
        while time.thread_time() < until:
            pass

    def games_of(self, task: Task[Key]) -> tuple[Game2048, ...]:
        """Draw the games of a task."""
        scores, seconds = surface_at(task.agent).games(NOWHERE, len(task.seeds), self.rng)
        return tuple(
            Game2048(seed, int(score) // 4 * 4, MOVES, MOVES * float(a_move), MOVES, 2048, 1)
            for seed, score, a_move in zip(task.seeds, scores, seconds, strict=True)
        )

    def share_in_games(self, begin: float, end: float) -> float:
        """Return the share of the workers' time between two moments that was spent in games."""
        both = [*self.played, *((start, until) for until, _, start, _ in self.flying)]
        times = np.clip(np.array(both), begin, end)
        return float(np.diff(times).sum() / (self.capacity * (end - begin)))

    def stop(self) -> None:
        """Forget the tasks in flight."""
        self.flying.clear()

    def close(self, at_once: bool) -> None:
        """Forget the tasks in flight."""
        self.flying.clear()

    def news(self) -> list[str]:
        """Nothing happens to these workers."""
        return []

    def __len__(self) -> int:
        return len(self.flying)


@dataclass(frozen=True)
class Coordinated:
    """What a coordinator did with so many workers.

    Attributes
    ----------
    workers, replicates : int
        Workers, and games a trial.
    games, trials : int
        That ended.
    games_per_second : float
        Of wall-clock time, after the start.
    share_in_games : float
        Of the workers' time after the start.
    cpu_ms_a_game : float
        CPU milliseconds of the whole coordinator, sampler included, over its games.
    proposal_ms : float
        CPU milliseconds of a proposal.
    """

    workers: int
    replicates: int
    games: int
    trials: int
    games_per_second: float
    share_in_games: float
    cpu_ms_a_game: float
    proposal_ms: float


def coordinate(
    workers: int,
    replicates: int,
    location: Location,
    client_seconds: float,
    seconds: float,
    sampler: str = DEFAULT_SAMPLER,
) -> Coordinated:
    """Run a search for so many seconds; what happens in the first fifth of them does not count.

    Parameters
    ----------
    workers, replicates : int
        Simulated workers, and games a trial.
    location : Location
        Where the study is kept, which must be new.
    client_seconds : float
        CPU seconds that Dask's client takes for a task.
    seconds : float
        Wall time.
    sampler : str
        Who proposes.
    """
    tuned = experiment("mcmdp")
    settings = SearchSettings(n_trials=MOST_TRIALS, n_replicates=replicates, sampler=sampler)
    log = create_or_resume(location, settings.record(tuned))
    budget = Budget(seconds)
    executor = SimulatedWorkers[Any](workers, client_seconds)
    search = Search(tuned, log, settings, workers, Silent().message, budget, is_apart=True)
    dispatch = Dispatch(search, workers, Silent(), Budget(), executor=executor)
    marks: list[tuple[float, float, int]] = []
    begin, end = time.monotonic() + 0.2 * seconds, time.monotonic() + seconds

    def mark() -> None:
        cpu = time.process_time() - executor.own_seconds
        if (process := search.proposals.process) is not None:
            cpu += sum(map(cpu_seconds_of, process._processes))
        marks.append((time.monotonic(), cpu, dispatch.n_games))

    def turn() -> None:
        if len(marks) < 2 and time.monotonic() >= (end if marks else begin):
            mark()

    dispatch.each_turn = turn
    dispatch.run()
    if len(marks) < 2:
        mark()  # the last games ended early
    (began, cpu_before, games_before), (ended, cpu_after, games_after) = marks
    n_games, wall = games_after - games_before, ended - began
    return Coordinated(
        workers,
        replicates,
        dispatch.n_games,
        search.trials.n_complete,
        n_games / wall,
        executor.share_in_games(began, ended),
        1e3 * (cpu_after - cpu_before) / n_games,
        1e3 * search.seconds_each["think"],
    )
