"""thetafront against three samplers of Optuna, on five external programs.

Runs take place one at a time, on one core, for the same wall time. Then the θ that each method
recommends are played on fresh seeds. Each run is stored as a line of JSON as soon as it ends, and
so are the games of each recommended θ. So the same command resumes after an interrupt. README.md
explains the design.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from results.benchmarks.command import Runs, say
from results.benchmarks.programs.contest import (
    CASES,
    FOLDER,
    OURS,
    RIVALS,
    fresh,
    run_optuna,
    run_ours,
)
from results.benchmarks.programs.tables import write_tables
from results.benchmarks.samplers.contest import check_sampler
from results.papers.paper import command, parser, whole
from thetafront import InputError

ENTRANTS = (OURS, *RIVALS)
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def one_core() -> ProcessPoolExecutor:
    """Return a new process that runs on one core, as do all threads of its libraries."""
    core = {max(os.sched_getaffinity(0))}
    initializer = partial(os.sched_setaffinity, 0, core)
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=initializer)


def compete(given: argparse.Namespace, program: str, seed: int, runs: Runs, games: Runs) -> None:
    """Run all methods on a program with one seed, and play what they recommend."""
    done = {(each["program"], each["seed"], each["method"]) for each in runs.records}
    at = seed % len(ENTRANTS)
    for method in (*ENTRANTS[at:], *ENTRANTS[:at]):
        if (program, seed, method) in done:
            continue
        folder = given.output.absolute() / "studies" / f"{program}-{seed}"
        shutil.rmtree(folder, ignore_errors=True)  # an interrupted run starts from the beginning
        folder.mkdir(parents=True)
        play = partial(run_ours, folder) if method == OURS else partial(run_optuna, method)
        with one_core() as process:
            for found in process.submit(play, program, seed, given.seconds).result():
                if (program, seed, found["method"]) in done:
                    continue  # a kill may have left one of two
                runs.add({"program": program, "seed": seed, "seconds": given.seconds, **found})
                say(f"{program}, seed {seed}, {found['method']}: {found['n_games']} games")
    known = [each["theta"] for each in games.records if each["program"] == program]
    mine = (each for each in runs.records if (each["program"], each["seed"]) == (program, seed))
    recommended = [pick[1] for each in mine for pick in each["picks"]]
    missing = [each for k, each in enumerate(recommended) if each not in known + recommended[:k]]
    random.Random(seed).shuffle(missing)  # so that drifting speed affects all methods
    say(f"{program}, seed {seed}: {len(missing)} θ to play")
    with one_core() as process:
        for found in process.map(fresh, repeat(program), missing, repeat(given.games)):
            games.add(found)


def run(given: argparse.Namespace) -> None:
    """Run what is missing, then write the tables."""
    runs = Runs(given.output / "runs.jsonl", "program", "seed", "method", "seconds", "picks")
    if others := {each["seconds"] for each in runs.records} - {given.seconds}:
        raise InputError(
            f"seconds must be {others.pop():g}, as in {runs.path}, or another output folder given "
            f"(got {given.seconds:g})"
        )
    games = Runs(given.output / "fresh_games.jsonl", "program", "theta", "n", "score", "cost")
    check_sampler("gp")
    words = [sys.executable, *(str(FOLDER / "xz" / name) for name in ("corpus.py", "corpus.bin"))]
    subprocess.run(words, check=True)
    os.environ.update(ONE_THREAD)
    with runs.held(), games.held():
        for seed in given.seeds:
            for program in given.programs:
                compete(given, program, seed, runs, games)
    write_tables(given.output, runs.records, games.records)


if __name__ == "__main__":
    options = parser(__doc__ or "", Path("results", "programs"))
    options.add_argument("--seconds", type=float, default=60.0, help="wall time per run")
    options.add_argument(
        "--games", type=whole(1, 10_000), default=200, help="fresh games per recommended θ"
    )
    options.add_argument("--seeds", type=whole(0, 100), nargs="+", default=[1, 2, 3])
    options.add_argument("--programs", nargs="+", choices=CASES, default=list(CASES))
    command(run, options)
