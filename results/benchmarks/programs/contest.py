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
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cases import CASES, FOLDER, OURS, RIVALS
from tables import write_tables

RUNS, FRESH = "runs.jsonl", "fresh_games.jsonl"
OF_RUNS = (OURS, *RIVALS)  # methods that have runs
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def read(path: Path) -> list[dict[str, Any]]:
    """Read the lines that are whole."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def keep(path: Path, line: dict[str, Any]) -> None:
    """Add a line."""
    with path.open("a", encoding="utf-8") as file:
        print(json.dumps(line), file=file, flush=True)


def ask(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Let a process do a task; yield what it prints."""
    process = subprocess.Popen(
        [sys.executable, str(FOLDER / "sides.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **ONE_THREAD},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with process.stdin as file:
            file.write(json.dumps(task))
        yield from (json.loads(line) for line in process.stdout)
        if process.wait():
            raise SystemExit(f"{task.get('method', 'fresh games')} of {task['program']} failed")
    finally:
        process.terminate()


def key(program: str, theta: dict[str, Any]) -> str:
    """Name a θ of a program."""
    return f"{program} {json.dumps(theta, sort_keys=True)}"


def run(folder: Path, program: str, seed: int, seconds: float, max_games: int, core: int) -> None:
    """Run all methods on a program with one seed, and play what they recommend."""
    runs, fresh = folder / RUNS, folder / FRESH
    done = {(each["program"], each["seed"], each["method"]) for each in read(runs)}

    for method in (*OF_RUNS[seed % len(OF_RUNS) :], *OF_RUNS[: seed % len(OF_RUNS)]):
        if (program, seed, method) in done:
            continue
        results = folder / "studies" / f"{program}-{seed}"
        if method == OURS:  # a run that was interrupted begins anew
            shutil.rmtree(results, ignore_errors=True)
            results.mkdir(parents=True)
        task = {"program": program, "seed": seed, "method": method, "seconds": seconds}
        begin = time.monotonic()
        for found in ask({**task, "core": core, "results": str(results)}):
            keep(runs, {**task, "core": core, **found})
            n_games, wall = found["n_games"], time.monotonic() - begin
            name = found.get("method", method)
            print(f"{program}, seed {seed}, {name}: {n_games} games, {wall:.0f} s", flush=True)
    known = {key(program, each["theta"]) for each in read(fresh) if each["program"] == program}
    wanted = {
        key(program, theta): theta
        for each in read(runs)
        if (each["program"], each["seed"]) == (program, seed)
        for _, theta, *_ in each["picks"]
    }
    missing = [theta for name, theta in wanted.items() if name not in known]
    random.Random(seed).shuffle(missing)  # where the machine's speed drifts, it does so for all
    begin = time.monotonic()
    if missing:
        n_games = min(CASES[program].n_games, max_games)
        task = {"program": program, "thetas": missing, "n_games": n_games, "core": core}
        for found in ask(task):
            keep(fresh, {"program": program, **found})
    took = time.monotonic() - begin
    print(f"{program}, seed {seed}: {len(missing)} θ played, {took:.0f} s", flush=True)


def main() -> None:
    """Run what is missing, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("results/programs"))
    parser.add_argument("--seconds", type=float, default=60.0, help="wall time of a run")
    parser.add_argument("--games", type=int, default=200, help="fresh games of an answer")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--programs", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--publish", type=Path, help="only write tables, and what they are made of")
    given = parser.parse_args()
    folder = given.output.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    if given.publish is None:
        corpus = FOLDER / "xz"
        subprocess.run(
            [sys.executable, str(corpus / "corpus.py"), str(corpus / "corpus.bin")], check=True
        )
        core = max(os.sched_getaffinity(0))
        for seed in given.seeds:
            for program in given.programs:
                run(folder, program, seed, given.seconds, given.games, core)
    elif missing := [name for name in (RUNS, FRESH) if not (folder / name).exists()]:
        parser.error(f"--output {folder} given, a folder with {' and '.join(missing)} allowed")
    else:
        given.publish.mkdir(parents=True, exist_ok=True)
        for name in (RUNS, FRESH):
            shutil.copy(folder / name, given.publish / name)
    write_tables(given.publish or folder, read(folder / RUNS), read(folder / FRESH))


if __name__ == "__main__":
    main()
