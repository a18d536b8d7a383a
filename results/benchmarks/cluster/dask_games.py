"""Games that sleep, on a real cluster of Dask in few processes of many threads.

Workers that would be elsewhere take no core here, so what is left to measure is what a game costs
the coordinator, the scheduler and its worker, and how much of their time workers are in games.
Run it by ``python -m results.benchmarks.cluster.dask_games 256``.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass

from results.benchmarks.cluster.sleeping import Sleeper
from thetafront.study.cluster.cluster import DaskCluster
from thetafront.study.errors import RunError
from thetafront.study.experiments.dice import DICE
from thetafront.study.interrupt import raised
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.executor import Finished, Task
from thetafront.study.run.source import Snapshot, Source

N_PROCESSES = 2
SECONDS_TO_START = 60.0
HOST = "127.0.0.1"


@dataclass(frozen=True)
class SleepingFigures:
    """What was measured.

    Attributes
    ----------
    n_workers, n_games, n_tasks : int
        How many games were played at once, in all, and in how many tasks.
    mean_seconds, games_a_trial : float, int
        Of a game; and how many at most make a task.
    games_per_second, share_in_games : float
        By the clock, and of the workers' time.
    client_ms, scheduler_ms, workers_ms : float
        CPU milliseconds a game.
    """

    n_workers: int
    n_games: int
    n_tasks: int
    mean_seconds: float
    games_a_trial: int
    games_per_second: float
    share_in_games: float
    client_ms: float
    scheduler_ms: float
    workers_ms: float


class SleepingGames(Source[int]):
    """Trials of games that sleep."""

    def __init__(self, n_games: int, mean_seconds: float, games_a_trial: int) -> None:
        self.n_games, self.mean_seconds, self.games_a_trial = n_games, mean_seconds, games_a_trial
        self.agent = Sleeper(mean_seconds)
        self.n_handed_out = self.n_back = 0

    def next_task(self) -> Task[int] | None:
        """Return about as many seconds of games of one trial as a task should have."""
        first = self.n_handed_out
        n = max(1, round(self.seconds_a_task / max(self.mean_seconds, 1e-6)))
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
        """Return how many there are."""
        return Snapshot("games", self.n_back, self.n_games, self.n_back, self.n_games)


class Silent:
    """A display that shows nothing."""

    def show(self, now: Snapshot, dispatch: object) -> None:
        """Show nothing."""

    def message(self, text: str) -> None:
        """Tell on standard error what happens to the cluster."""
        print(text, file=sys.stderr)


def free_port() -> int:
    """Return a port of this machine that nobody listens at."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


@contextmanager
def processes(n_workers: int) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """Start a scheduler and worker processes; yield its address, and the scheduler first."""
    address = f"tcp://{HOST}:{free_port()}"
    python = (sys.executable, "-m")
    environment = {
        **os.environ,
        "DASK_LOGGING__DISTRIBUTED": "critical",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    }
    n_each = [len(range(k, n_workers, N_PROCESSES)) for k in range(N_PROCESSES)]
    started: list[subprocess.Popen[bytes]] = []
    with raised(), tempfile.TemporaryDirectory() as folder:
        at = ("--host", HOST, "--port", address.rpartition(":")[2])
        scheduler = (*python, "distributed.cli.dask_scheduler", *at)
        worker = (*python, "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard")
        commands = [
            (*scheduler, "--dashboard-address", f"{HOST}:0"),
            *(
                (*worker, "--nthreads", str(n), "--local-directory", f"{folder}/{k}")
                for k, n in enumerate(n_each)
            ),
        ]
        try:
            for words in commands:
                started.append(  # noqa: PERF401, those that started before an error are ended
                    subprocess.Popen(
                        words,
                        cwd=folder,
                        env=environment,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                )
            yield address, started
        finally:
            for each in started:
                each.terminate()
            for each in started:
                with suppress(subprocess.TimeoutExpired):
                    each.wait(5)
                each.kill()
                each.wait()


def wait_for_scheduler(address: str) -> None:
    """Wait until a scheduler answers."""
    deadline = time.monotonic() + SECONDS_TO_START
    port = int(address.rpartition(":")[2])
    while True:
        try:
            socket.create_connection((HOST, port), timeout=1.0).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise RunError("bench: the scheduler does not start") from None
            time.sleep(0.1)


def sleeping_games(
    n_workers: int, mean_seconds: float = 0.3, seconds: float = 20.0, games_a_trial: int = 4
) -> SleepingFigures:
    """Play games that sleep on a cluster, through the executor and the loop of a sweep.

    Parameters
    ----------
    n_workers : int
        How many games sleep at once.
    mean_seconds : float
        Of a game.
    seconds : float
        How long to play, if no worker ever rests.
    games_a_trial : int
        Most games of a task.
    """
    import psutil  # noqa: PLC0415, of the optional libraries

    source = SleepingGames(round(n_workers * seconds / mean_seconds), mean_seconds, games_a_trial)
    with processes(n_workers) as (address, started):
        wait_for_scheduler(address)
        with DaskCluster(address, most_threads=n_workers) as cluster:
            cluster.client.wait_for_workers(N_PROCESSES, timeout=SECONDS_TO_START)
            cluster.admit(DICE.by("n_sweeps"), {})
            watched = [psutil.Process(each.pid) for each in started]
            dispatch = Dispatch(source, n_workers, Silent(), executor=cluster.executor())
            before = [sum(each.cpu_times()[:2]) for each in watched]
            own = time.process_time()
            dispatch.run()
            own = time.process_time() - own
            used = [
                sum(each.cpu_times()[:2]) - was for each, was in zip(watched, before, strict=True)
            ]
    n = dispatch.n_games
    return SleepingFigures(
        n_workers,
        n,
        dispatch.utilization.n_tasks,
        mean_seconds,
        games_a_trial,
        n / (dispatch.utilization.last - dispatch.utilization.first),
        dispatch.utilization.share,
        1000 * own / n,
        1000 * used[0] / n,
        1000 * sum(used[1:]) / n,
    )


def main() -> None:
    """Measure, and print figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workers", type=int)
    parser.add_argument("--mean-seconds", type=float, default=0.3)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--games-a-trial", type=int, default=4)
    given = parser.parse_args()
    figures = sleeping_games(given.workers, given.mean_seconds, given.seconds, given.games_a_trial)
    print(json.dumps(asdict(figures), indent=2))


if __name__ == "__main__":
    main()
