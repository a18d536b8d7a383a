"""All solvers on all problems, in one folder: finished runs are kept, then tables and figures.

``traces.csv`` has one line for each look at a run. A later call takes the runs from there, with
their seconds, and adds what is missing.
"""

import dataclasses
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import thetafront
from results.papers import paper
from results.papers.heuristic_search.figures import traces_figure
from results.papers.heuristic_search.problems import (
    BEST_LUCK,
    OPTIMUM,
    Problem,
    problems,
)
from results.papers.heuristic_search.report import heuristic_search_markdown, runs_frame
from results.papers.heuristic_search.traces import (
    LABELLED,
    SEARCH,
    SWEEPS,
    SYNCHRONOUS,
    ZERO,
    Look,
    search,
    sweeps,
)

TRACES = "traces.csv"
KEPT_EVERY = 5.0  # seconds


class Run(NamedTuple):
    """A solver on a problem; a seed of value iteration is a repetition, for its seconds."""

    problem: str
    method: str
    bound: str
    seed: int


COLUMNS = [*Run._fields, *(field.name for field in dataclasses.fields(Look))]
Traces = dict[Run, list[Look]]


def runs_of(problem: Problem, seeds: Sequence[int]) -> list[Run]:
    """Return all runs on a problem; plain search from the optimum would have nothing to lower."""
    kinds = [(method, ZERO) for method in SWEEPS]
    kinds += [(SEARCH, bound) for bound in problem.bounds if bound != OPTIMUM]
    kinds += [(LABELLED, bound) for bound in problem.bounds]
    return [Run(problem.name, *kind, seed) for kind in kinds for seed in seeds]


def read_traces(path: Path) -> Traces:
    """Read the runs of an earlier call, none without a file; InputError if it is no such table."""
    if not path.exists():
        return {}
    traces: Traces = {}
    try:
        frame = pd.read_csv(path, dtype={"bound": str})[COLUMNS]
        if frame.isna().to_numpy().any() or frame["done"].dtype != np.bool_:
            raise ValueError("something is missing")
        for words in frame.itertuples(index=False):
            problem, method, bound, seed, n_backups, n_touched, *values, done = words
            seconds, value, earned = map(float, values)
            if not np.isfinite([seconds, value]).all():
                raise ValueError("numbers out of range")
            run = Run(str(problem), str(method), str(bound), int(seed))
            looked = Look(int(n_backups), int(n_touched), seconds, value, earned, bool(done))
            traces.setdefault(run, []).append(looked)
    except (OSError, ValueError, KeyError, TypeError, pd.errors.ParserError):
        raise thetafront.InputError(
            f"{path}: no traces of this version; use another folder, or move it away"
        ) from None
    return {run: looks for run, looks in traces.items() if looks[-1].done}


def traces_frame(traces: Mapping[Run, Sequence[Look]]) -> pd.DataFrame:
    """Return one row a look."""
    return pd.DataFrame(
        [(*run, *dataclasses.astuple(each)) for run, looks in traces.items() for each in looks],
        columns=COLUMNS,
    )


def say(text: str) -> None:
    """Tell on standard error how far it is."""
    print(text, file=sys.stderr, flush=True)


def run_missing(chosen: Sequence[Problem], seeds: Sequence[int], path: Path) -> Traces:
    """Run what a file lacks, keep finished runs every few seconds, and return all that is asked.

    Raises
    ------
    InputError
        If the file is no table of runs.
    """
    traces = read_traces(path)
    asked = [(problem, run) for problem in chosen for run in runs_of(problem, seeds)]
    missing = [(problem, run) for problem, run in asked if run not in traces]
    if len(missing) < len(asked):
        say(f"{len(asked) - len(missing)} of {len(asked)} runs are there already")
    warmed, written = False, time.monotonic()
    for number, (problem, run) in enumerate(missing, 1):
        if not warmed:
            say("preparing (the first time, kernels are compiled: some twenty seconds)")
            warm(chosen[0])
            warmed = True
        if run.method in SWEEPS:
            traces[run] = sweeps(problem, run.method)
        else:
            synchronous = Run(problem.name, SYNCHRONOUS, ZERO, seeds[0])
            most_backups = traces[synchronous][-1].n_backups
            bound = problem.bounds[run.bound]
            traces[run] = search(problem, run.method, bound, run.seed, most_backups)
        last = run.seed == seeds[-1]
        if last or time.monotonic() - written > KEPT_EVERY:
            draft = path.with_suffix(".part")
            traces_frame(traces).to_csv(draft, index=False)
            draft.replace(path)
            written = time.monotonic()
        if last:
            about = f"{run.problem}: {run.method}, from {run.bound}"
            say(f"run {number:,} of {len(missing):,}: {about}")
    return {run: traces[run] for _, run in asked}


def warm(problem: Problem) -> None:
    """Compile all kernels."""
    for method in SWEEPS:
        sweeps(problem, method)
    for method in (SEARCH, LABELLED):
        search(problem, method, problem.bounds[BEST_LUCK], 0, 10)


def heuristic_search(of: paper.Paper) -> None:
    """Run what is missing, and write the results."""
    chosen, path = problems(), of.output / TRACES
    before = len(read_traces(path))
    traces = run_missing(chosen, of.seeds, path)
    looks = traces_frame(traces)
    runs = runs_frame(looks, chosen)
    of.write(
        "heuristic_search",
        heuristic_search_markdown(runs, chosen, of.n_games),
        {"heuristic_search": runs},
        {"heuristic_search": traces_figure(looks, chosen)},
        n_runs=len(traces),
        n_runs_before=before,
    )
