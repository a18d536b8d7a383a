"""Figures that need processes: workers, programs, cold caches, memory, and the C programs."""

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

import thetafront
from results.benchmarks.engine.rates import Round, spread
from thetafront import InputError
from thetafront.agents.agent import Agent

C_SOURCES = Path(__file__).parent
GAMES_A_JOB = 40
# As little as a program can do: it answers each line with a number, or prints one.
PROGRAMS = {"serve": ('["sed", "-u", "s/.*/1/"]', 2000), "once": ('["echo", "1"]', 200)}
DEFINITION = """
name = "program"
command = {words}
protocol = "{protocol}"
objective.name = "score"
parameters.x = {{low = 0.0, high = 1.0}}
"""
MCMDP = "from thetafront.agents.twenty48.mcmdp import MonteCarloMDP"
COMPILING = f"""
import time; begin = time.monotonic()
from thetafront.agents.agent import warm; {MCMDP}
warm(MonteCarloMDP()); print(time.monotonic() - begin)
"""
MEMORY = f"""
import resource, thetafront.study.run.worker; {MCMDP}
MonteCarloMDP(2048, 512, 256, 64, 1.0, 0.5).play(1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
IMPORT = """
import time; begin = time.monotonic()
import thetafront.study.cli; print(time.monotonic() - begin)
"""


def games_per_second(jobs: int, agent: Agent) -> float:
    """Return the games a wall-clock second of ``jobs`` workers, their start left out."""

    def seconds(n_games: int) -> float:
        begin = time.monotonic()
        thetafront.play(agent, n_games, jobs=jobs, progress=False)
        return time.monotonic() - begin

    few, more = 2 * jobs, GAMES_A_JOB * jobs
    seconds(few)  # loads what is loaded once
    start = seconds(few)
    return more / (seconds(few + more) - start)


def program_milliseconds(folder: Path, n_rounds: int) -> dict[str, dict[str, float]]:
    """Measure milliseconds of a worker's CPU time a game of a program, its own left out.

    By protocol. Definitions are written into the folder.
    """
    found = {}
    for protocol, (words, n_games) in PROGRAMS.items():
        path = folder / f"{protocol}.toml"
        path.write_text(DEFINITION.format(words=words, protocol=protocol), encoding="utf-8")
        agent = thetafront.load_experiment(str(path)).build({"x": 0.5})
        agent.play(0)
        times = []
        for _ in range(n_rounds):
            begin = time.process_time()
            for seed in range(n_games):
                agent.play(seed)
            times.append(1000.0 * (time.process_time() - begin) / n_games)
        found[protocol] = spread(times)
    return found


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
    with tempfile.TemporaryDirectory() as cold:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cold_seconds = run_fresh(COMPILING, THETAFRONT_CACHE_DIR=cold)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        warm_seconds = run_fresh(COMPILING, THETAFRONT_CACHE_DIR=cold)
    return {
        "compile_cold_seconds": cold_seconds,
        "compile_cold_cpu_seconds": after.ru_utime - before.ru_utime,
        "compile_warm_seconds": warm_seconds,
        "import_cli_seconds": run_fresh(IMPORT),
        "worker_megabytes": run_fresh(MEMORY),
    }


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
    for source in sorted(C_SOURCES.glob("*.c")):
        target = folder / source.stem
        words = [compiler, "-O3", "-march=native", str(source), "-o", str(target), "-lm"]
        built = subprocess.run(words, capture_output=True, text=True, check=False)
        if built.returncode:
            first = built.stderr.strip().splitlines()[0]
            raise InputError(f"c-reference: {source.name} does not compile: {first}")
        if run(target, 0)[0]:
            rounds[f"C, {source.stem}"] = partial(run, target)
    return rounds
