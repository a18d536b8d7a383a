"""The whole benchmark: all runs over worker processes, then tables, figure and manifest.

>>> from pathlib import Path
>>> from results.benchmarks.samplers.benchmark import run_benchmark
>>> done = run_benchmark(["nehvi", "tpe"], ["recorded"], 20, 0, 2, Path("results/samplers"))
"""

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from results.benchmarks.samplers import ORDER, check_sampler
from results.benchmarks.samplers.contest import N_DESIGN, Run, play
from results.benchmarks.samplers.figure import samplers_figure
from results.benchmarks.samplers.ledger import RunLedger
from results.benchmarks.samplers.recorded import Recording
from results.benchmarks.samplers.surfaces import SURFACES, surface
from results.benchmarks.samplers.tables import markdown, runs_frame, summary_frame
from thetafront.study.errors import InputError, check_range
from thetafront.study.log.location import make_folder
from thetafront.study.log.manifest import MANIFEST, check_output, provenance, write_manifest
from thetafront.study.log.seeds import LARGEST_STUDY_SEED
from thetafront.study.report.style import save
from thetafront.study.report.tables import write_csv, write_text
from thetafront.study.run.workers import check_jobs

BUDGETS = ((80, 9), (48, 9), (240, 3))  # trials, games a trial: 720, 432 and 720 games
LIBRARIES = ("scikit-learn", "threadpoolctl", "torch", "gpytorch", "botorch")
MOST_SEEDS, MOST_TRIALS, MOST_GAMES = 10_000, 1_000, 10_000


@dataclass(frozen=True)
class Progress:
    """Progress after each run; ``run`` is None at the start."""

    n_done: int  # earlier calls' included
    n_runs: int
    run: Run | None


@dataclass(frozen=True)
class BenchmarkResult:
    """Summary, readable table, and files written."""

    summary: pd.DataFrame
    markdown: str
    paths: list[Path]


def planned(
    samplers: Sequence[str],
    surfaces: Sequence[str],
    n_seeds: int,
    first_seed: int,
    budgets: Sequence[tuple[int, int]],
) -> list[Run]:
    """Return all runs, one budget after the other, and seed after seed.

    So an interrupted benchmark has compared all samplers equally, by the first budget first.
    InputError if a name is unknown or a number out of range.
    """
    if not samplers:
        raise InputError("samplers: none given, at least 1 allowed")
    if not surfaces:
        raise InputError(f"surfaces: none given, some of {', '.join(SURFACES)} allowed")
    for each in samplers:
        check_sampler(each)
    for each in surfaces:
        surface(each)
    check_range("seeds", n_seeds, 1, MOST_SEEDS)
    check_range("first seed", first_seed, 0, LARGEST_STUDY_SEED - n_seeds)
    if not budgets:
        raise InputError("budgets: none given, at least one pair of trials and games allowed")
    for n_trials, n_games in budgets:
        check_range("budget: trials", n_trials, N_DESIGN + 1, MOST_TRIALS)  # beyond the design
        check_range("budget: games a trial", n_games, 2, MOST_GAMES)
    return [
        Run(on, sampler, n_trials, n_games, seed)
        for n_trials, n_games in dict.fromkeys(budgets)
        for seed in range(first_seed, first_seed + n_seeds)
        for on in dict.fromkeys(surfaces)
        for sampler in dict.fromkeys(samplers)
    ]


def played(run: Run) -> tuple[Run, dict[str, Any]]:
    """Play a run in a worker; return it with its record."""
    return run, play(run)


def versions() -> dict[str, str]:
    """Return the versions of the samplers' optional libraries that are installed."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def run_benchmark(
    samplers: Sequence[str],
    surfaces: Sequence[str],
    n_seeds: int,
    first_seed: int,
    jobs: int | None,
    output: Path,
    budgets: Sequence[tuple[int, int]] = BUDGETS,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> BenchmarkResult:
    """Play all runs that ``output`` does not have yet, and summarize all runs there.

    Parameters
    ----------
    samplers, surfaces : sequence of str
        By name.
    n_seeds, first_seed : int
        Seeds ``first_seed`` and on; 0 to 19 are published, development uses 1,000 and on.
    jobs : int, optional
        Processes; all cores by default.
    output : Path
        Keeps each finished run, so that slow samplers may run fewer seeds.
    budgets : sequence of pair of int
        Trials, and games a trial.
    on_progress : callable
        Called at the start and after each run.

    Raises
    ------
    InputError
        If a name is unknown, a number out of range, or ``output`` cannot be written.
    """
    runs = planned(samplers, surfaces, n_seeds, first_seed, budgets)
    n_jobs = check_jobs(jobs)
    make_folder(output, "output")
    check_output(output)  # before hours of runs
    manifest = output / MANIFEST
    made_by = provenance()
    ledger = RunLedger(output / "runs.jsonl")
    with ledger.held():
        missing = [run for run in runs if run not in ledger.records]
        n_done = len(runs) - len(missing)
        on_progress(Progress(n_done, len(runs), None))
        workers = min(n_jobs, max(1, len(missing)))
        parallel = Parallel(n_jobs=workers, batch_size=1, return_as="generator_unordered")
        for run, record in parallel(delayed(played)(run) for run in missing):
            ledger.add(run, record)
            n_done += 1
            on_progress(Progress(n_done, len(runs), run))

    records = [ledger.records[run] for run in sorted(ledger.records, key=table_order)]
    summary = summary_frame(runs_frame(records))
    text = markdown(summary)
    paths = [output / name for name in ("samplers.csv", "samplers.md", "samplers.png")]
    write_csv(summary, paths[0])
    write_text(text, paths[1])
    save(samplers_figure(records, summary), paths[2])
    made_by["versions"] |= versions()
    contents = {
        **made_by,
        "samplers": list(samplers),
        "surfaces": list(surfaces),
        "seeds": [first_seed, first_seed + n_seeds - 1],
        "budgets": [{"n_trials": trials, "n_games": games} for trials, games in budgets],
        "n_runs_before": len(runs) - len(missing),
        "jobs": n_jobs,
    }
    if "recorded" in surfaces:
        contents["recorded_fit"] = Recording().quality()
    write_manifest(contents, manifest)
    return BenchmarkResult(summary, text, [output / "runs.jsonl", *paths, manifest])


def table_order(run: Run) -> tuple[int, int, int, int]:
    """Return the sort key of a run: surface, trials, sampler, seed."""
    surfaces, samplers = list(SURFACES), list(ORDER)
    return surfaces.index(run.surface), run.n_trials, samplers.index(run.sampler), run.seed
