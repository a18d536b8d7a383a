"""thetafront against three samplers of Optuna, on five programs that are not ours.

Each run has the machine to itself, one core of it, and the same wall time. Then the θ that each
side recommends are played on fresh seeds. Everything is kept as a line of JSON as soon as it ends,
and the same command goes on after an interrupt. README.md explains the design.
"""

import argparse
import json
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

import thetafront
from results.benchmarks.command import Runs, command, parser, say
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
from results.benchmarks.samplers import check_sampler
from results.papers.paper import whole
from thetafront.study.log.location import make_folder

RUNS, FRESH = "runs.jsonl", "fresh_games.jsonl"
OF_RUNS = (OURS, *RIVALS)  # methods that have runs
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def one_core() -> ProcessPoolExecutor:
    """Return a new process on one core, which inherits the threads of its libraries."""
    core = {max(os.sched_getaffinity(0))}
    initializer = partial(os.sched_setaffinity, 0, core)
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=initializer)


def compete(given: argparse.Namespace, program: str, seed: int, runs: Runs, games: Runs) -> None:
    """Run all methods on a program with one seed, and play what they recommend."""
    done = {(each["program"], each["seed"], each["method"]) for each in runs.records}
    at = seed % len(OF_RUNS)
    for method in (*OF_RUNS[at:], *OF_RUNS[:at]):
        if (program, seed, method) in done:
            continue
        with one_core() as process:
            if method == OURS:
                folder = given.output.absolute() / "studies" / f"{program}-{seed}"
                shutil.rmtree(folder, ignore_errors=True)  # what was interrupted begins anew
                folder.mkdir(parents=True)
                running = process.submit(run_ours, program, seed, given.seconds, folder)
            else:
                running = process.submit(run_optuna, program, method, seed, given.seconds)
            for found in running.result():
                runs.add({"program": program, "seed": seed, "seconds": given.seconds, **found})
                say(f"{program}, seed {seed}, {found['method']}: {found['n_games']} games")
    known = {key(each["theta"]) for each in games.records if each["program"] == program}
    recommended = {
        key(theta): theta
        for each in runs.records
        if (each["program"], each["seed"]) == (program, seed)
        for _, theta, *_ in each["picks"]
    }
    missing = [theta for name, theta in recommended.items() if name not in known]
    random.Random(seed).shuffle(missing)  # where the machine's speed drifts, it does so for all
    say(f"{program}, seed {seed}: {len(missing)} θ to play")
    with one_core() as process:
        for found in process.map(fresh, repeat(program), missing, repeat(given.games)):
            games.add(found)


def key(theta: dict[str, object]) -> str:
    """Name a θ."""
    return json.dumps(theta, sort_keys=True)


def run(given: argparse.Namespace) -> None:
    """Run what is missing, then write the tables."""
    runs = Runs(given.output / RUNS, "program", "seed", "method", "seconds", "picks")
    games = Runs(given.output / FRESH, "program", "theta", "n", "score", "cost")
    if given.publish is None:
        check_sampler("gp")
        corpus = FOLDER / "xz"
        words = [sys.executable, str(corpus / "corpus.py"), str(corpus / "corpus.bin")]
        subprocess.run(words, check=True)
        os.environ.update(ONE_THREAD)
        with runs.held(), games.held():
            for seed in given.seeds:
                for program in given.programs:
                    compete(given, program, seed, runs, games)
    elif not runs.records or not games.records:
        raise thetafront.InputError(f"output must be a folder with runs (got {given.output})")
    else:
        make_folder(given.publish, "publish")
        for name in (RUNS, FRESH):
            shutil.copy(given.output / name, given.publish / name)
    write_tables(given.publish or given.output, runs.records, games.records)


if __name__ == "__main__":
    options = parser(__doc__ or "", "programs")
    options.add_argument("--seconds", type=float, default=60.0, help="wall time of a run")
    options.add_argument("--games", type=whole(1, 10_000), default=200, help="fresh, of an answer")
    options.add_argument("--seeds", type=whole(0, 100), nargs="+", default=[1, 2, 3])
    options.add_argument("--programs", nargs="+", choices=CASES, default=list(CASES))
    options.add_argument("--publish", type=Path, help="only write tables, and what makes them")
    command(run, options)
