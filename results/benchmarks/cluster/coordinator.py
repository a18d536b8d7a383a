"""The coordinator of a large cluster, measured: all of it runs, only the games are simulated.

A search of ``mcmdp`` with its sampler, its storage and its loop plays on workers that only wait.
Scores and times are those of the surface ``recorded``. A game occupies its worker for 0.256 seconds
on average, with the spread of recorded games: that is 3,906 games a second for 1,000 workers. What
Dask's client takes for a task is not simulated but spent, as many CPU seconds as
:mod:`results.benchmarks.cluster.dask_games` measures.
"""

import heapq
import math
import tempfile
import time
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from results.benchmarks.command import say
from results.benchmarks.samplers.recording import SPACE
from results.benchmarks.samplers.surface import Surface
from results.benchmarks.samplers.surfaces import surface
from thetafront import RunError
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.registry import experiment
from thetafront.study.log.location import locate, make_folder
from thetafront.study.log.storage import create_or_resume
from thetafront.study.run.budget import Budget
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.executor import Executor
from thetafront.study.run.search import Search
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import Snapshot
from thetafront.study.run.worker import Finished, Task

MEAN_SECONDS, SPREAD = 0.256, 0.76  # of a game; its standard deviation over its mean
MOVES = 2_000
MANY_TRIALS = 1_000_000
N_LOADED = 32  # trials after which the sampler's process has proposed some
NOWHERE = np.zeros(len(SPACE))


class Silent:
    """A display that shows nothing."""

    def show(self, now: Snapshot, dispatch: object) -> None:
        """Show nothing."""

    def message(self, text: str) -> None:
        """Tell on standard error what happens to the cluster."""
        say(text)


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


class SimulatedWorkers(Executor[Any]):
    """Workers that wait as long as a game takes, and return a drawn result.

    Parameters
    ----------
    capacity : int
        How many.
    client_seconds : float
        CPU seconds that handing out a task and taking it back would take.
    """

    tasks_per_worker = 1.5
    seconds_a_task = 1.0
    place = "simulated workers"
    capacity = 0

    def __init__(self, capacity: int, client_seconds: float) -> None:
        super().__init__()
        self.capacity = capacity
        self.client_seconds = client_seconds
        self.rng = np.random.default_rng(0)
        self.free = [0.0] * capacity  # when each worker is free
        self.flying: list[tuple[float, int, float, Task[Any]]] = []
        self.n_submitted = 0
        self.own_seconds = 0.0  # CPU of the simulation itself

    def __enter__(self) -> "SimulatedWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def submit(self, task: Task[Any]) -> None:
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
            self.returned.append(Finished(task.key, self.games_of(task), "", start, end))
            n += 1
        self.own_seconds += time.thread_time() - began
        until = time.thread_time() + n * self.client_seconds
        while time.thread_time() < until:
            pass

    def games_of(self, task: Task[Any]) -> tuple[Game2048, ...]:
        """Draw the games of a task."""
        scores, seconds = surface_at(task.agent).games(NOWHERE, len(task.seeds), self.rng)
        return tuple(
            Game2048(seed, int(score) // 4 * 4, MOVES, MOVES * float(a_move), MOVES, 2048, 1)
            for seed, score, a_move in zip(task.seeds, scores, seconds, strict=True)
        )

    def stop(self) -> None:
        """Forget the tasks in flight."""
        self.flying.clear()

    def __len__(self) -> int:
        return len(self.flying)


def coordinate(
    workers: int, replicates: int, client_seconds: float, seconds: float
) -> dict[str, float]:
    """Run a search for so many seconds after its first trials, and measure 90% of them.

    Parameters
    ----------
    workers, replicates : int
        Simulated workers, and games a trial.
    client_seconds : float
        CPU seconds that Dask's client takes for a task.
    seconds : float
        Wall time.

    Raises
    ------
    RunError
        If that is too short.

    Returns
    -------
    dict
        ``games`` and ``trials`` that ended; as measured, games a second of wall time, the share of
        the workers' time in games, and CPU milliseconds a game of the whole coordinator, sampler
        included; CPU milliseconds of a proposal.
    """
    tuned = experiment("mcmdp")
    settings = SearchSettings(n_trials=MANY_TRIALS, n_replicates=replicates)
    marks: list[np.ndarray[Any, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        where = locate("bench", Path(folder), None)
        make_folder(where.folder)
        log = create_or_resume(where, settings.record(tuned))
        executor = SimulatedWorkers(workers, client_seconds)
        search = Search(tuned, log, settings, workers, Silent().message, in_subprocess=True)
        dispatch = Dispatch(search, executor, Silent())

        def mark() -> None:
            now = time.monotonic()
            if not marks and search.trials.n_complete > N_LOADED:
                search.budget = Budget(seconds)
            elif len(marks) != 1 or now < marks[0][0] + 0.9 * seconds:
                return
            children = psutil.Process().children(recursive=True)
            cpu = time.process_time() - executor.own_seconds
            cpu += sum(sum(each.cpu_times()[:2]) for each in children)
            marks.append(np.array([now, cpu, dispatch.utilization.busy_seconds, dispatch.n_games]))

        dispatch.each_turn = mark
        dispatch.run()
    if len(marks) < 2:
        raise RunError(f"a search of {seconds:g} seconds ended before it was measured; give more")
    wall, cpu, busy, n_games = (marks[1] - marks[0]).tolist()
    return {
        "workers": workers,
        "replicates": replicates,
        "games": dispatch.n_games,
        "trials": search.trials.n_complete,
        "games_per_second": n_games / wall,
        "share_in_games": busy / (workers * wall),
        "cpu_ms_a_game": 1e3 * cpu / n_games,
        "proposal_ms": 1e3 * search.seconds_each["think"],
    }
