"""Figures that need processes: workers, cold caches, memory, and the C programs of comparison."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path
from typing import Any

from thetafront.agents.agent import Agent, warm
from thetafront.study.errors import InputError
from thetafront.study.interrupt import raised
from thetafront.study.run.workers import Task, Workers

C_SOURCES = Path(__file__).parent

WARM_UP = """
import time; begin = time.monotonic()
from thetafront.agents.agent import warm; from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
warm(MonteCarloMDP()); print(time.monotonic() - begin)
"""
MEMORY = """
import resource; from thetafront.study.run.worker import play_timed
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
play_timed(MonteCarloMDP(2048, 512, 256, 64, 1.0, 0.5), (1,))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
IMPORT = """
import time; begin = time.monotonic()
import thetafront.study.cli; print(time.monotonic() - begin)
"""


def games_per_second(jobs: int, agent: Agent, seconds: float) -> float:
    """Return the games a wall-clock second of ``jobs`` workers, once all of them play."""
    warm(agent)
    seeds = count()

    def submit(n_games: int) -> None:
        for seed in islice(seeds, n_games):
            workers.submit(Task(seed, agent, (seed,)))

    def take_and_submit() -> int:
        workers.collect(timeout=1.0)
        n_returned = len(workers.returned)
        workers.returned.clear()
        submit(n_returned)
        return n_returned

    with Workers[int](jobs) as workers:
        submit(2 * jobs)
        n_started = 0
        while n_started < 2 * jobs:  # the pool's own start is not measured
            n_started += take_and_submit()
        begin = time.monotonic()
        n_games = 0
        while (elapsed := time.monotonic() - begin) < seconds:
            n_games += take_and_submit()
        workers.close(at_once=True)
    return n_games / elapsed


def run_fresh(program: str, **environment: str) -> float:
    """Run a program in a new interpreter; return the number it prints."""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)


def fresh_process_figures() -> dict[str, float]:
    """Return seconds to compile (cold, warm) and to import, and a worker's memory."""
    with raised(), tempfile.TemporaryDirectory() as cold:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cold_seconds = run_fresh(WARM_UP, THETAFRONT_CACHE_DIR=cold)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        warm_seconds = run_fresh(WARM_UP, THETAFRONT_CACHE_DIR=cold)
    return {
        "compile_cold_seconds": cold_seconds,
        "compile_cold_cpu_seconds": after.ru_utime - before.ru_utime,
        "compile_warm_seconds": warm_seconds,
        "import_cli_seconds": run_fresh(IMPORT),
        "worker_megabytes": run_fresh(MEMORY),
    }


class CReference:
    """The C programs of this folder, compiled here; InputError if that fails."""

    def __init__(self) -> None:
        self.stack = ExitStack()

    def __enter__(self) -> "CReference":
        compiler = shutil.which(os.environ.get("CC", "gcc"))
        if compiler is None:
            raise InputError("c-reference: no C compiler found (gcc, or what CC names)")
        self.stack.enter_context(raised())
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        for source in sorted(C_SOURCES.glob("*.c")):
            target = str(self.folder / source.stem)
            command = [compiler, "-O3", "-march=native", str(source), "-o", target, "-lm"]
            built = subprocess.run(command, capture_output=True, text=True, check=False)
            if built.returncode:
                self.stack.close()
                first = built.stderr.strip().splitlines()[0]
                raise InputError(f"c-reference: {source.name} does not compile: {first}")
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def run(self, name: str, seconds: float) -> tuple[int, float]:
        """Run a program; return moves and CPU seconds, (0, 0.0) if this machine cannot."""
        program = str(self.folder / name)
        done = subprocess.run([program, str(seconds)], capture_output=True, text=True, check=True)
        result: dict[str, Any] = json.loads(done.stdout)
        return int(result.get("n_moves", 0)), float(result.get("cpu_seconds", 0.0))
