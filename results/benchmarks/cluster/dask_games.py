"""Games that sleep, on a real Dask cluster with few processes and many threads.

Workers of a real study run on other machines. Here, their games only sleep and use no core. The
measurement therefore shows how much CPU time a game takes in the client (the sweep's process), in
the scheduler and in its worker, and which share of the workers' time is spent in games.
"""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import dask
import psutil
from distributed.deploy.subprocess import SubprocessCluster

from results.benchmarks.command import say
from thetafront import RunError
from thetafront.agents.agent import Agent
from thetafront.agents.parameters import real
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.cluster.dask_workers import DaskWorkers
from thetafront.study.experiments.builtin import DICE
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.worker import Finished, Task

N_PROCESSES = 2
MEAN_SECONDS = 0.3  # of a game
SETTINGS = {"distributed.worker.profile.enabled": False, "logging.distributed": "critical"}


@dataclass(frozen=True)
class Sleeper(Agent):
    """Sleeps for 0.5 to 1.5 times ``mean_seconds``, and reports a game of 2048."""

    name: ClassVar[str] = "sleeper"

    mean_seconds: float = real(0.3, 0.0, 3600.0)

    def warm_up(self) -> None:
        """Do nothing."""

    def play(self, seed: int) -> Game2048:
        """Sleep."""
        seconds = self.mean_seconds * (0.5 + (seed * 0.6180339887) % 1.0)
        time.sleep(seconds)
        return Game2048(seed, seed * 7 % 50_000, 2000, seconds, 10**8, 2048, 5)


class Silent:
    """A display that shows messages, but no progress."""

    def show(self, now: Snapshot, dispatch: object) -> None:
        """Show nothing."""

    def message(self, text: str) -> None:
        """Print changes of the cluster on standard error."""
        say(text)


class SleepingGames(GameSource[int]):
    """Trials of games that sleep."""

    def __init__(self, n_games: int, games_a_trial: int) -> None:
        self.n_games, self.games_a_trial = n_games, games_a_trial
        self.agent = Sleeper(MEAN_SECONDS)
        self.n_handed_out = self.n_back = 0

    def next_task(self) -> Task[int] | None:
        """Return a task: games of one trial that take about as long as a task should."""
        first = self.n_handed_out
        n = max(1, round(self.seconds_a_task / MEAN_SECONDS))
        n = min(n, self.games_a_trial, self.n_games - first)
        if n <= 0:
            return None
        self.n_handed_out += n
        return Task(first, self.agent, range(first, first + n))

    def record(self, finished: Finished[int]) -> None:
        """Count games."""
        if finished.error:
            raise RunError(finished.error)
        self.n_back += len(finished.games)

    def snapshot(self) -> Snapshot:
        """Return how many games have ended."""
        return Snapshot("games", self.n_back, self.n_games, self.n_back, self.n_games)


def sleeping_games(n_workers: int, games_a_trial: int, seconds: float = 20.0) -> dict[str, Any]:
    """Play sleeping games on a cluster, with the workers and the loop of a real sweep.

    ``n_workers`` games sleep at once, and a task has at most ``games_a_trial`` games. If no worker
    ever waits, the last game ends after about ``seconds``. Returns the games per second of wall
    time, the share of the workers' time that is spent in games, and the CPU milliseconds per game
    that the client, the scheduler and the workers take.
    """
    source = SleepingGames(round(n_workers * seconds / MEAN_SECONDS), games_a_trial)
    with (
        dask.config.set(SETTINGS),
        SubprocessCluster(
            n_workers=N_PROCESSES,
            threads_per_worker=n_workers // N_PROCESSES,
            worker_class="distributed.Worker",
            dashboard_address=None,
        ) as started,
        DaskWorkers[int](started.scheduler_address, most_threads=n_workers) as workers,
    ):
        workers.client.wait_for_workers(N_PROCESSES)
        workers.admit(DICE.by("n_sweeps"), {})
        parts = [started.scheduler, *started.workers.values()]
        watched = [psutil.Process(each.process.pid) for each in parts]
        dispatch = Dispatch(source, workers, Silent())
        before = [sum(each.cpu_times()[:2]) for each in watched]
        own = time.process_time()
        dispatch.run()
        own = time.process_time() - own
        used = [sum(each.cpu_times()[:2]) - was for each, was in zip(watched, before, strict=True)]
    n, utilization = dispatch.n_games, dispatch.utilization
    return {
        "n_workers": n_workers,
        "n_games": n,
        "games_a_trial": games_a_trial,
        "games_per_second": n / (utilization.last - utilization.first),
        "share_in_games": utilization.share,
        "client_ms": 1000 * own / n,
        "scheduler_ms": 1000 * used[0] / n,
        "workers_ms": 1000 * sum(used[1:]) / n,
    }
