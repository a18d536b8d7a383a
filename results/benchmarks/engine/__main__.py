"""Measure the engine's speed (about three minutes): ``python -m results.benchmarks.engine``."""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

import thetafront
from results.benchmarks.command import say
from results.benchmarks.engine.rates import (
    RANDOM_MOVES,
    Round,
    all_rounds,
    author_times,
    decision_microseconds,
    median_rates,
    spread,
)
from results.papers.paper import command, parser, whole
from thetafront import InputError
from thetafront.agents.external.program import Protocol
from thetafront.study.log.manifest import write_json

N_DECISIONS = 5_000
# The least that a program can do: answer each line with a number, or print one number.
PROGRAMS = {"serve": (("sed", "-u", "s/.*/1/"), 2000), "once": (("echo", "1"), 200)}
SPACE = thetafront.Space((thetafront.NumericParameter("x", 0.0, 1.0),))
TIMED = "import time; begin = time.monotonic(); {}; print(time.monotonic() - begin)"
MCMDP = "from thetafront.agents.twenty48.mcmdp import MonteCarloMDP"
COMPILING = TIMED.format(
    f"from thetafront.agents.agent import warm; {MCMDP}; warm(MonteCarloMDP())"
)
MEMORY = f"""
import resource, thetafront.study.run.worker; {MCMDP}
MonteCarloMDP(2048, 512, 256, 64, 1.0, 0.5).play(1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def program_milliseconds(n_rounds: int) -> dict[str, dict[str, float]]:
    """Measure a worker's overhead per game of a program, in CPU milliseconds, by protocol."""
    found = {}
    for protocol, (words, n_games) in PROGRAMS.items():
        program = thetafront.Program(words, protocol=Protocol(protocol))
        played = thetafront.Experiment("program", program, SPACE, thetafront.mean("score"))
        agent, times = played.build({"x": 0.5}), []
        for _ in range(n_rounds + 1):
            begin = time.process_time()
            for seed in range(n_games):
                agent.play(seed)
            times.append(1000.0 * (time.process_time() - begin) / n_games)
        found[protocol] = spread(times[1:])
    return found


def run_fresh(program: str, **environment: str) -> float:
    """Run a program in a new interpreter; return the number it prints."""
    words, given = [sys.executable, "-c", program], {**os.environ, **environment}
    return float(
        subprocess.run(words, env=given, capture_output=True, text=True, check=True).stdout
    )


def fresh_process_figures() -> dict[str, float]:
    """Return the seconds to compile without and with a cache, and the memory of a worker."""
    with tempfile.TemporaryDirectory() as cold:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        found = {"compile_cold_seconds": run_fresh(COMPILING, THETAFRONT_CACHE_DIR=cold)}
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        found["compile_cold_cpu_seconds"] = spent
        found["compile_warm_seconds"] = run_fresh(COMPILING, THETAFRONT_CACHE_DIR=cold)
    return found | {"worker_megabytes": run_fresh(MEMORY)}


def c_rounds(folder: Path, seconds: float = 1.0) -> dict[str, Round]:
    """Compile the C programs into a folder; return rounds of those that this machine can run.

    InputError if there is no compiler, or a program does not compile.
    """
    compiler = shutil.which(os.environ.get("CC", "gcc"))
    if compiler is None:
        raise InputError("c-reference: no C compiler found (gcc, or what CC names)")

    def run(program: Path, _: int) -> tuple[int, float]:
        done = subprocess.run([program, str(seconds)], capture_output=True, text=True, check=True)
        result = json.loads(done.stdout)
        return int(result.get("n_moves", 0)), float(result.get("cpu_seconds", 0.0))

    rounds: dict[str, Round] = {}
    for source in sorted(Path(__file__).parent.glob("*.c")):
        target = folder / source.stem
        words = [compiler, "-O3", "-march=native", str(source), "-o", str(target), "-lm"]
        built = subprocess.run(words, capture_output=True, text=True, check=False)
        if built.returncode:
            first = built.stderr.strip().splitlines()[0]
            raise InputError(f"c-reference: {source.name} does not compile: {first}")
        if run(target, 0)[0]:
            rounds[f"C, {source.stem}"] = partial(run, target)
    return rounds


def table(figures: dict[str, Any]) -> pd.DataFrame:
    """Lay out the figures: rates in millions per CPU second, then the other figures."""
    groups = {
        **{f"million {unit}": rates for unit, rates in figures["million_per_cpu_second"].items()},
        "milliseconds of a program's game": figures["program_milliseconds"],
        "microseconds of a decision": figures["decision_microseconds"],
        "fresh processes": figures["processes"],
    }
    cells = {(unit, name): of for unit, named in groups.items() for name, of in named.items()}
    ranges = {key: of if isinstance(of, dict) else {"median": of} for key, of in cells.items()}
    return pd.DataFrame(ranges).T


def run(given: argparse.Namespace) -> None:
    """Measure everything, including C programs if requested; write and print.

    Rates have a ``median``, ``min`` and ``max`` over ``n_rounds`` rounds, in which all kernels take
    turns.
    """
    figures = {**thetafront.provenance(), "n_rounds": given.rounds}
    rounds = all_rounds()
    with tempfile.TemporaryDirectory() as folder:
        if given.c_reference:
            rounds[RANDOM_MOVES] |= c_rounds(Path(folder))
        figures["million_per_cpu_second"] = median_rates(rounds, given.rounds)
        figures["program_milliseconds"] = program_milliseconds(given.rounds)
    say("decisions, fresh processes")
    figures["decision_microseconds"] = decision_microseconds(author_times(1), N_DECISIONS)
    figures["processes"] = fresh_process_figures()
    if given.output is not None:
        write_json(figures, given.output / "bench.json")
    print(table(figures).to_string(float_format="{:,.4g}".format, na_rep=""))


if __name__ == "__main__":
    options = parser(__doc__ or "", output=None)
    options.add_argument("--c-reference", action="store_true", help="also run the C programs (gcc)")
    options.add_argument("--rounds", type=whole(1, 1_000), default=7, help="number of rounds")
    command(run, options)
