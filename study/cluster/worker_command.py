"""``thetafront worker``: Dask's worker processes on this machine, kept running until a stop.

Dask's own worker ends when its scheduler ends (dask/distributed issue 6361). So it is restarted
when a scheduler answers again.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

import joblib

from thetafront.study import interrupt
from thetafront.study.cluster.link import (
    SECONDS_TO_CONNECT,
    check_library,
    connect,
    disconnect,
    silenced,
)
from thetafront.study.cluster.machine import BENCHMARK, this_machine
from thetafront.study.cluster.preload import SUPERVISOR
from thetafront.study.cluster.remote import THREADS
from thetafront.study.cluster.security import Tls, check_address, host_and_port, warning
from thetafront.study.cluster.sources import sources_digest
from thetafront.study.errors import RunError, check_range
from thetafront.study.run.worker import OURS, SAFE_PATH
from thetafront.study.run.workers import MAX_JOBS_A_CORE, n_cores
from thetafront.study.text import counted

PRELOAD = "thetafront.study.cluster.preload"
PAUSE_SECONDS = 2.0  # between two attempts to reach a scheduler, or to start workers
SECONDS_TO_END = 5.0
LONG_RUN_SECONDS = 30.0  # a process that ends later has not failed to start
MAX_FAILED_STARTS = 5
SETTINGS = {
    "DASK_LOGGING__DISTRIBUTED": "critical",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # it samples 100 times a second
    "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "1h",  # compiling kernels is no reason to warn
}


@dataclass
class WorkerProcesses:
    """The worker processes of one machine.

    InputError if a value is not allowed, or Dask is not installed.
    """

    address: str  # of the scheduler
    tls: Tls | None  # certificates
    n_processes: int | None  # their number; one per physical core by default
    name: str | None  # name of the workers in Dask's dashboard
    say: Callable[[str], None]  # shows a line to the user

    def __post_init__(self) -> None:
        check_address(self.address, self.tls)
        if self.n_processes is None:  # games that share a physical core distort each other's times
            self.n_processes = min(n_cores(), int(joblib.cpu_count(only_physical_cores=True)))
        check_range("processes", self.n_processes, 1, MAX_JOBS_A_CORE * n_cores())
        check_library()

    def run(self) -> None:
        """Keep the processes running until an interrupt.

        KeyboardInterrupt after an interrupt, when all processes have ended; RunError if no
        scheduler answers at first, or the processes cannot be started.
        """
        with silenced():
            disconnect(connect(self.address, self.tls))  # raises an error if no scheduler answers
        for line in {warning(self.address), warning(f"{self.here}:0")} - {""}:
            self.say(f"warning: {line}")
        machine = this_machine()
        self.say(
            f"{machine.host}: {counted(self.n_processes or 0, 'worker')} for "
            f"{self.address}; class {machine.machine_class} ({machine.cpu}, compiled for "
            f"{machine.llvm_cpu}, benchmark {1000 * machine.benchmark_seconds:.0f} ms), code "
            f"{sources_digest()}; to stop: Ctrl-C"
        )
        os.environ[BENCHMARK] = str(machine.benchmark_seconds)
        n_failed = 0
        with interrupt.deferred():
            while not interrupt.requested():
                began = time.monotonic()
                said = self.run_once()
                if interrupt.requested():
                    break
                if self.answers() and time.monotonic() - began < LONG_RUN_SECONDS:
                    n_failed += 1
                    if n_failed >= MAX_FAILED_STARTS:
                        raise RunError(f"worker: Dask's worker keeps exiting: {said}")
                    pause()
                    continue
                n_failed = 0
                if not self.answers():
                    self.say(f"no scheduler answers at {self.address}; waiting for one")
                    while not (interrupt.requested() or self.answers()):
                        pause()
                    if not interrupt.requested():
                        self.say(f"a scheduler answers at {self.address}")

    def run_once(self) -> str:
        """Run Dask's worker until it ends or is interrupted; return the end of its output."""
        with tempfile.TemporaryFile() as log:
            with interrupt.kept_from_children():
                child = subprocess.Popen(
                    self.command,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            try:
                while child.poll() is None and not interrupt.requested():
                    time.sleep(0.1)
            finally:
                end(child)
            return last_line(log)

    @property
    def here(self) -> str:
        """The address from which this machine connects to the scheduler, without a port."""
        from distributed.comm import get_local_address_for

        return str(get_local_address_for(self.address))

    @property
    def command(self) -> list[str]:
        """The command of Dask's worker."""
        words = [sys.executable, "-m", "distributed.cli.dask_worker", self.address]
        words += ["--nworkers", str(self.n_processes), "--nthreads", "1", "--memory-limit", "0"]
        # By default, Dask listens on all addresses, even for a dashboard that does not exist.
        words += ["--host", self.here.partition("://")[2], "--dashboard-address", "127.0.0.1:0"]
        words += ["--no-dashboard", "--preload", PRELOAD, "--preload-nanny", PRELOAD]
        words += ["--death-timeout", str(int(4 * SECONDS_TO_CONNECT))]
        if self.name is not None:
            words += ["--name", self.name]
        if self.tls is not None:
            files = {"ca-file": self.tls.ca, "cert": self.tls.cert, "key": self.tls.key}
            words += [word for name, each in files.items() for word in (f"--tls-{name}", str(each))]
        return words

    @property
    def environment(self) -> dict[str, str]:
        """The environment of Dask's worker: one thread for each library, and Dask's settings."""
        ours = {SUPERVISOR: str(os.getpid()), SAFE_PATH: OURS}
        return {**os.environ, **ours, **dict.fromkeys(THREADS, "1"), **SETTINGS}

    def answers(self) -> bool:
        """Return whether the scheduler's address answers."""
        try:
            socket.create_connection(host_and_port(self.address), timeout=2.0).close()
        except OSError:
            return False
        return True


def pause() -> None:
    """Wait for a fixed time, or until an interrupt."""
    deadline = time.monotonic() + PAUSE_SECONDS
    while time.monotonic() < deadline and not interrupt.requested():
        time.sleep(0.1)


def end(child: "subprocess.Popen[bytes]") -> None:
    """End a process and its session, first by SIGTERM, then by SIGKILL."""
    with suppress(ProcessLookupError):
        child.terminate()
    with suppress(subprocess.TimeoutExpired):
        child.wait(SECONDS_TO_END)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def last_line(log: IO[bytes]) -> str:
    """Return the last line that a process has written."""
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"
