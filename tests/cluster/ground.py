"""A scheduler, workers and sweeps as processes of their own on 127.0.0.1, and games that sleep."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pandas as pd
import psutil

from tests.ports import free_port
from tests.processes import wait_until
from thetafront.study.cluster.machine import BENCHMARK

COMMAND = (sys.executable, "-m", "thetafront")
SECONDS_TO_START = 240.0  # of a busy machine
SLEEPER = '''"""A game that sleeps; its score says what was played."""

import hashlib
import os
import signal
import time

from thetafront import Experiment, NumericParameter, Space, mean, reported


def play(seed: int, effort: int, bias: float) -> dict[str, float]:
    time.sleep(0.1 + 0.002 * effort + 0.1 * (seed % 97) / 97)
    digits = hashlib.sha256(f"{seed} {effort} {bias!r}".encode()).hexdigest()[:12]
    if KILLS and effort > 70:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"score": int(digits, 16) / 16**12, "nodes": 10 * effort + seed % 7}


KILLS = False
SPACE = Space((NumericParameter("effort", 1, 100, integer=True), NumericParameter("bias", 0, 1)))
SLEEPER = Experiment("sleeper", play, SPACE, mean("score"), reported("nodes", per="game"))
'''


def wait_for(what: str, is_so: Callable[[], bool]) -> None:
    """Wait until something is so, on a busy machine too."""
    wait_until(is_so, SECONDS_TO_START, what)


class Ground:
    """Processes in a folder, all of which are ended with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.scheme = "tcp"
        self.tls: tuple[str, ...] = ()
        self.processes: list[subprocess.Popen[bytes]] = []
        (folder / "results").mkdir()
        (folder / "sleeper.py").write_text(SLEEPER)

    @property
    def address(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def start(
        self, name: str, *words: str, log: str | None = None, **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a process; what it says goes to a file."""
        with (self.folder / f"{log or name}.log").open("ab") as out:
            process = subprocess.Popen(
                words,
                cwd=self.folder,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def scheduler(self) -> subprocess.Popen[bytes]:
        """Start a scheduler, always at the same port; return when it answers."""
        files = [word.replace("--tls-ca", "--tls-ca-file") for word in self.tls]
        words = ("--protocol", self.scheme, "--dashboard-address", "127.0.0.1:0", *files)
        module = "distributed.cli.dask_scheduler"
        process = self.start(
            "scheduler",
            *(sys.executable, "-m", module, "--host", "127.0.0.1", "--port", str(self.port)),
            *words,
        )

        def answers() -> bool:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return True
            return False

        wait_for("the scheduler answers", answers)
        return process

    def workers(self, n: int, name: str = "worker", **environment: str) -> subprocess.Popen[bytes]:
        """Start workers; return when their processes are there.

        Their benchmark is given unless it is asked for: kernels are compiled for it, which takes as
        long as all else.
        """
        process = self.start(
            name,
            *(*COMMAND, "worker", self.address, "--processes", str(n), *self.tls),
            **{BENCHMARK: "0.05", **environment},
        )
        wait_for("the workers are there", lambda: len(playing(process)) >= n)
        return process

    def plain_worker(self, n_threads: int) -> subprocess.Popen[bytes]:
        """Start Dask's own worker, which gets no games if it plays several at once."""
        process = self.start(
            "plain",
            *(sys.executable, "-m", "distributed.cli.dask_worker", self.address),
            *("--nworkers", "1", "--nthreads", str(n_threads), "--no-dashboard"),
        )
        wait_for("the plain worker is there", lambda: len(playing(process)) == 1)
        return process

    def sweep(
        self, *words: str, log: str = "sweep", name: str = "sleeper", file: str = "sleeper.py"
    ) -> subprocess.Popen[bytes]:
        """Start a sweep on the cluster."""
        scheduler = ("--scheduler", self.address, *self.tls)
        return self.start(log, *self.command(name, file), *scheduler, *words)

    def command(self, name: str, file: str) -> tuple[str, ...]:
        return (
            *(*COMMAND, "sweep", file, "--name", name, "--sampler", "random", "--seed", "5"),
            *("--trials", "20", "--replicates", "4", "--no-validation", "--budget", "none"),
        )

    def alone(self, name: str = "alone", file: str = "sleeper.py") -> int:
        """Carry the sweep out on this machine."""
        return self.start(name, *self.command(name, file), "--jobs", "4").wait(400)

    def n_stored(self, name: str = "sleeper") -> int:
        """Return how many games of a study are stored; at once, since the sweep goes on."""
        url = f"file:{self.folder}/results/{name}/study.db?mode=ro"
        with (
            suppress(sqlite3.OperationalError),  # no database or no table yet
            closing(sqlite3.connect(url, uri=True)) as database,
        ):
            return int(database.execute("SELECT count(*) FROM thetafront_game").fetchone()[0])
        return 0

    def wait_for_games(self, n: int, name: str = "sleeper") -> None:
        wait_for(f"{n} games are stored", lambda: self.n_stored(name) >= n)

    def games(self, name: str = "sleeper") -> pd.DataFrame:
        """Return the table of games, without what depends on the machine."""
        table = pd.read_csv(self.folder / "results" / name / "games.csv")
        kept = [each for each in table if "seconds" not in each and each != "machine"]
        return table[kept].sort_values(["trial", "replicate"]).reset_index(drop=True)

    def end(self) -> None:
        """End all processes and their children, whatever they are doing."""
        for process in self.processes:
            for each in reversed(family(process)):
                with suppress(psutil.NoSuchProcess):
                    each.kill()
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def family(process: subprocess.Popen[bytes]) -> list["psutil.Process"]:
    """Return a process and its descendants."""
    try:
        top = psutil.Process(process.pid)
        return [top, *top.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def commands(process: subprocess.Popen[bytes]) -> Iterator[tuple["psutil.Process", str]]:
    """Yield a process and its descendants with their command lines."""
    for each in family(process):
        with suppress(psutil.Error):
            yield each, " ".join(each.cmdline())


def playing(process: subprocess.Popen[bytes]) -> list["psutil.Process"]:
    """Return the processes of a worker command that play."""
    return [each for each, words in commands(process) if "spawn_main" in words]


def nannies(process: subprocess.Popen[bytes]) -> list["psutil.Process"]:
    """Return the process of a worker command that has the nannies."""
    return [each for each, words in commands(process) if "dask_worker" in words]
