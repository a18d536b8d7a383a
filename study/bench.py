"""The engine's figures, measured in one run: rates per CPU second, and ratios between them.

Machines differ and are noisy: a rate is the median over several rounds, the rounds of all kernels take
turns, and what is worth quoting is a ratio of two rates of the same run.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.table import Table

from agents.agent import Agent, warm
from agents.mcmdp import MonteCarloMDP
from agents.pmcts import PureMonteCarlo
from engine.twenty48.board import initial
from engine.twenty48.playout import playouts
from study.manifest import machine
from study.table_playout import row_tables, table_playouts
from study.workers import Workers

__all__ = ["bench_table", "measure"]

N_ROUNDS = 7
N_GAMES_FROM_START = 20_000
N_GAMES_TABLE = 4_000
N_AGENT_GAMES = 2
SECONDS_OF_GAMES = 15.0

Round = Callable[[int], tuple[int, float]]


def cpu_seconds(work: Callable[[], int]) -> tuple[int, float]:
    """Run ``work``; return what it counted, and the CPU seconds it took."""
    begin = time.thread_time()
    count = work()
    return count, time.thread_time() - begin


def from_start(round_number: int) -> tuple[int, float]:
    """Play random games from the start in lockstep: moves and seconds, refill and scores included."""
    boards = start_boards(N_GAMES_FROM_START)
    counts = np.ones(len(boards), np.int64)
    seed = np.uint64(round_number)
    return cpu_seconds(lambda: int(playouts(boards, counts, seed)[1]))


def by_table(round_number: int) -> tuple[int, float]:
    """Play the same games by table lookup."""
    boards = start_boards(N_GAMES_TABLE)
    tables = row_tables()
    seed = np.uint64(round_number)
    return cpu_seconds(lambda: int(table_playouts(boards, tables, seed)[1]))


def start_boards(n: int) -> Any:
    """Return ``n`` boards as games start with, uint64."""
    return np.array([initial(np.uint64(seed)) for seed in range(n)], np.uint64)


def inside(agent: Agent) -> Round:
    """Return a round that plays games of an agent: playout moves and seconds, everything counted."""

    def play(round_number: int) -> tuple[int, float]:
        warm(type(agent))
        seeds = range(round_number * N_AGENT_GAMES, (round_number + 1) * N_AGENT_GAMES)
        games = [agent.play(seed) for seed in seeds]
        return sum(g.n_playout_moves for g in games), sum(g.seconds for g in games)

    return play


def games_per_second(jobs: int, agent: Agent, seconds: float) -> float:
    """Return the games a wall-clock second that ``jobs`` workers play, once all are under way."""
    warm(type(agent))
    seeds: Iterator[int] = iter(range(10**9))
    with Workers[int](jobs) as workers:
        for _ in range(2 * jobs):
            seed = next(seeds)
            workers.submit(seed, agent, seed)
        n_started = 0
        while n_started < 2 * jobs:  # the pool's own start is not measured
            for _ in workers.collect(timeout=60.0):
                n_started += 1
                seed = next(seeds)
                workers.submit(seed, agent, seed)
        begin = time.monotonic()
        n_games = 0
        while (elapsed := time.monotonic() - begin) < seconds:
            for _ in workers.collect(timeout=1.0):
                n_games += 1
                seed = next(seeds)
                workers.submit(seed, agent, seed)
        workers.close(at_once=True)
    return n_games / elapsed


def fresh_process(program: str, **environment: str) -> str:
    """Run a program in a new interpreter; return what it prints."""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


WARM_UP = """
import time; begin = time.monotonic()
from agents.agent import warm; from agents.mcmdp import MonteCarloMDP
warm(MonteCarloMDP); print(time.monotonic() - begin)
"""
MEMORY = """
import resource; from study.replicate import play_game; from agents.mcmdp import MonteCarloMDP
play_game(MonteCarloMDP.from_theta(2048, 512, 256, 64, 1.0, 0.5), 1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
HELP = """
import time; begin = time.monotonic()
import study.cli; print(time.monotonic() - begin)
"""


def measure(say: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything.

    Parameters
    ----------
    say : callable
        Told, a line each, what is being measured.

    Returns
    -------
    dict
        ``machine``, ``n_rounds``; ``million_moves_per_cpu_second`` by kernel; ``lockstep_over_table``;
        ``games_per_second`` by number of jobs, and ``two_jobs_over_one``; ``seconds`` to compile with a
        cold and a warm cache and to import the command line; ``worker_megabytes``.
    """
    rounds: dict[str, Round] = {
        "random games from the start, lockstep": from_start,
        "random games from the start, table lookup": by_table,
        "inside mcmdp, author's θ": inside(MonteCarloMDP.from_theta()),
        "inside mcmdp, author's θ with θ₆ = 0.25": inside(MonteCarloMDP.from_theta(theta6=0.25)),
        "inside mcmdp, author's θ₁ … θ₄ × 10": inside(
            MonteCarloMDP.from_theta(5000.0, 540.0, 180.0, 90.0)
        ),
        "inside pmcts, 100 playouts": inside(PureMonteCarlo(100)),
    }
    rates: dict[str, list[float]] = {name: [] for name in rounds}
    for each in rounds.values():
        each(0)  # warm
    for round_number in range(N_ROUNDS):
        say(f"kernels, round {round_number + 1} of {N_ROUNDS}")
        for name, each in rounds.items():
            count, seconds = each(round_number)
            rates[name].append(count / seconds / 1e6)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    lockstep, table = (medians[name] for name in list(rounds)[:2])

    agent = MonteCarloMDP.from_theta()
    throughput = {}
    for jobs in (1, 2):
        say(f"games of mcmdp, {jobs} jobs")
        throughput[jobs] = games_per_second(jobs, agent, SECONDS_OF_GAMES)

    say("fresh processes")
    with tempfile.TemporaryDirectory() as cold:
        cold_seconds = float(fresh_process(WARM_UP, THETAFRONT_CACHE_DIR=cold))
        warm_seconds = float(fresh_process(WARM_UP, THETAFRONT_CACHE_DIR=cold))
    return {
        "machine": machine(),
        "n_rounds": N_ROUNDS,
        "million_moves_per_cpu_second": medians,
        "lockstep_over_table": lockstep / table,
        "games_per_second": throughput,
        "two_jobs_over_one": throughput[2] / throughput[1],
        "seconds": {
            "all kernels of mcmdp, cold cache": cold_seconds,
            "all kernels of mcmdp, warm cache": warm_seconds,
            "import of the command line": float(fresh_process(HELP)),
        },
        "worker_megabytes": float(fresh_process(MEMORY)),
    }


def bench_table(figures: dict[str, Any]) -> Table:
    """Lay the figures out for a terminal."""
    where = figures["machine"]
    table = Table(title=f"Engine on {where['cpu']}, {where['cores']} cores", title_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, rate in figures["million_moves_per_cpu_second"].items():
        table.add_row(name, f"{rate:,.0f} million moves a CPU second")
    table.add_row("lockstep over table lookup", f"{figures['lockstep_over_table']:.2f} ×")
    for jobs, rate in figures["games_per_second"].items():
        table.add_row(f"games of mcmdp, {jobs} jobs", f"{rate:.2f} a second")
    table.add_row("2 jobs over 1", f"{figures['two_jobs_over_one']:.2f} ×")
    for name, seconds in figures["seconds"].items():
        table.add_row(name, f"{seconds:.2f} s")
    table.add_row("memory of a worker", f"{figures['worker_megabytes']:.0f} MB")
    return table
