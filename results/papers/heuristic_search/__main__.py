"""Heuristic search: Kochenderfer, Wheeler, Wray (2022), §9.7 and §9.8.

The script compares plain and labelled heuristic search with value iteration, on three dice and on
small boards of 2048. It measures backups, CPU time and exact errors for each initial bound.
``--games`` is the number of runs of each solver. A *look* is a snapshot of a run: U, the current
value of the start state, and the exact mean return of greedy play. ``traces.csv`` has a line for
each look. Complete runs in this file are not made again, and keep their times; missing runs are
added.

Value iteration begins with 0 in every state, so its U rises. Heuristic search begins with an upper
bound and lowers it. Value iteration stops after a sweep in which no value changes by more
than δ. Labelled search stops when the start is solved to within δ. Plain heuristic search cannot
tell when it is done, so it gets as many backups as synchronous value iteration takes.

A sweep has one backup for each state with an action. Seconds are the CPU time of the backups alone:
they exclude the looks and the compilation of the kernels.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from results.papers import paper
from results.papers.heuristic_search.problems import BEST_LUCK, OPTIMUM, Problem, problems
from results.papers.heuristic_search.search import NO_LABELS, Search
from thetafront.agents.mdp.kernels import Floats, greedy
from thetafront.agents.mdp.value_iteration import sweep_until
from thetafront.study import estimate as intervals

DELTA = 0.01  # points
# A call with this many backups takes well under a second, so Ctrl-C takes effect soon.
BACKUPS_PER_CALL = 200_000
DEPTH = 1000  # actions; every game here is shorter
LOOKS_A_DECADE = 4

SYNCHRONOUS = "value iteration, synchronous"
FORWARDS = "value iteration, Gauss-Seidel"
BACKWARDS = "value iteration, Gauss-Seidel backwards"
SEARCH, LABELLED = "heuristic search", "labelled heuristic search"
SWEEPS = (SYNCHRONOUS, FORWARDS, BACKWARDS)

ZERO = "0"  # the initial values of value iteration
RUN = ["problem", "method", "bound", "seed"]
MEASURED = {
    "n_backups": "n_backups",
    "n_touched": "n_touched",
    "seconds": "cpu_seconds",
    "excess": "value_less_optimum_points",
    "loss": "policy_loss_points",
}
DRAWN = {
    (SYNCHRONOUS, ZERO): (paper.BLACK, "o"),
    (BACKWARDS, ZERO): (paper.ORANGE, "D"),
    (SEARCH, BEST_LUCK): (paper.RED, "^"),
    (LABELLED, BEST_LUCK): (paper.BLUE, "s"),
}
DASHED = (0, (3, 2))


class Look(NamedTuple):
    """A snapshot of a solver during its run, or at the end of the run."""

    n_backups: int
    n_touched: int  # states backed up at least once
    seconds: float
    value: float  # U of the start
    policy_value: float  # exact mean return of greedy play from the start
    done: bool


COLUMNS: dict[str, Any] = {**dict.fromkeys(RUN, str), "seed": int, **Look.__annotations__}


def milestones(problem: Problem) -> Iterator[int]:
    """Yield increasing numbers of backups without end, evenly spaced on a logarithmic scale."""
    first = max(10, problem.n_playing // 100)
    return (round(first * 10 ** (k / LOOKS_A_DECADE)) for k in count())


def look(
    problem: Problem, values: Floats, n_backups: int, n_touched: int, seconds: float, done: bool
) -> Look:
    """Return a snapshot; ``values`` are in the order of the problem's states."""
    _, policy = greedy(problem.mdp.tables, values)
    earned = problem.policy_value(policy)
    return Look(n_backups, n_touched, seconds, float(values[problem.start]), earned, done)


def sweeps(problem: Problem, method: str) -> list[Look]:
    """Solve by value iteration that begins with 0; take a look after some of the sweeps."""
    mdp = problem.reversed_mdp if method == BACKWARDS else problem.mdp
    values, scratch = np.zeros(mdp.n_states), np.empty(mdp.n_states)
    looks, marks = list[Look](), milestones(problem)
    wanted, n_backups, seconds, residual = next(marks), 0, 0.0, np.inf
    while residual > DELTA:
        begin = time.thread_time()
        _, residual = sweep_until(mdp.tables, values, scratch, DELTA, 1, method != SYNCHRONOUS)
        seconds += time.thread_time() - begin
        n_backups += problem.n_playing
        done = bool(residual <= DELTA)
        if done or n_backups >= wanted:
            found = values[::-1].copy() if method == BACKWARDS else values
            looks.append(look(problem, found, n_backups, problem.n_playing, seconds, done))
            wanted = next(each for each in marks if each > n_backups)
    return looks


def search(problem: Problem, running: Search, max_backups: float) -> list[Look]:
    """Search until done or until ``max_backups`` backups; take looks along the way."""
    looks = [look(problem, running.values, 0, 0, 0.0, done=False)]
    seconds, n_backups, marks = 0.0, 0, milestones(problem)
    while not looks[-1].done:
        wanted = min(next(each for each in marks if each > n_backups), max_backups)
        while n_backups < wanted and not running.is_done:
            begin = time.thread_time()
            running.advance(min(int(wanted) - n_backups, BACKUPS_PER_CALL))
            seconds += time.thread_time() - begin
            n_backups = running.n_backups
        done = running.is_done or n_backups >= max_backups
        looks.append(look(problem, running.values, n_backups, running.n_touched, seconds, done))
    return looks


def solve(problem: Problem, method: str, bound: str, seed: int, max_backups: int) -> list[Look]:
    """Run a solver; only searches use ``bound``, and only plain search uses ``max_backups``."""
    if method in SWEEPS:
        return sweeps(problem, method)
    delta, limit = (DELTA, np.inf) if method == LABELLED else (NO_LABELS, max_backups)
    begun = Search(problem.mdp, problem.start, problem.bounds[bound], seed, DEPTH, delta)
    return search(problem, begun, limit)


def solvers(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield methods with their initial values."""
    yield from ((method, ZERO) for method in SWEEPS)
    # If it began with the optimum, plain search would have nothing to lower.
    yield from ((SEARCH, bound) for bound in problem.bounds if bound != OPTIMUM)
    yield from ((LABELLED, bound) for bound in problem.bounds)


def run_missing(path: Path, chosen: Sequence[Problem], seeds: Sequence[int]) -> pd.DataFrame:
    """Return the looks of all runs, one per row; make the missing runs, and add them to the file.

    Runs of value iteration with different seeds differ only in their seconds. InputError if the
    file is not a table of runs.
    """
    found = paper.kept(path, COLUMNS)
    runs: dict[Any, pd.DataFrame] = {}
    if found is not None:
        finished = found[found.groupby(RUN)["done"].transform("last")]
        runs = dict(tuple(finished.groupby(RUN, sort=False)))
    asked = [(p.name, *solver, seed) for p in chosen for solver in solvers(p) for seed in seeds]
    if any(run not in runs for run in asked):
        for method, _ in solvers(chosen[0]):  # compiles all kernels
            solve(chosen[0], method, BEST_LUCK, 0, 10)
    for problem in chosen:
        max_backups = 0
        for method, bound in solvers(problem):
            missing = [s for s in seeds if (problem.name, method, bound, s) not in runs]
            for seed in missing:
                run = (problem.name, method, bound, seed)
                looks = solve(problem, method, bound, seed, max_backups)
                runs[run] = pd.DataFrame([(*run, *each) for each in looks], columns=[*COLUMNS])
            if missing:
                draft = path.with_suffix(".draft")
                pd.concat(runs.values()).to_csv(draft, index=False)
                draft.replace(path)
                print(f"{problem.name}: {method}, from {bound}", file=sys.stderr)
            if method == SYNCHRONOUS:
                first = runs[problem.name, method, bound, seeds[0]]
                max_backups = int(first["n_backups"].iloc[-1])
    return pd.concat([runs[run] for run in asked], ignore_index=True)


def runs_frame(looks: pd.DataFrame, chosen: Sequence[Problem]) -> pd.DataFrame:
    """Return one row for each problem and solver, from the last looks of its runs.

    Means over runs have 95% intervals (Student's t for fewer than 20 runs).
    ``value_less_optimum_points`` is U − V* of the start; ``policy_loss_points`` is V* minus the
    exact value of greedy play.
    """
    lines = []
    for problem in chosen:
        ends = looks[(looks["problem"] == problem.name) & looks["done"]]
        excess, loss = ends["value"] - problem.optimum, problem.optimum - ends["policy_value"]
        by = ends.assign(excess=excess, loss=loss).groupby(["method", "bound"], sort=False)
        for (method, bound), part in by:
            at_start = 0.0 if bound == ZERO else float(problem.bounds[str(bound)][problem.start])
            line = {
                "problem": problem.name,
                "method": method,
                "initial_values": bound,
                "initial_value_points": at_start,
                "optimum_points": problem.optimum,
                "n_runs": len(part),
                "n_states": problem.n_playing,
            }
            for column, name in MEASURED.items():
                line |= paper.interval_row(name, intervals.mean(part[column].to_numpy(float)))
            lines.append(line | {"share_touched": part["n_touched"].mean() / problem.n_playing})
    return pd.DataFrame(lines)


def compared(runs: pd.DataFrame) -> pd.DataFrame:
    """Compare labelled search from the bound of best luck with value iteration, by problem."""
    is_mine = (runs["method"] == LABELLED) & (runs["initial_values"] == BEST_LUCK)
    mine = runs[is_mine].set_index("problem")
    columns = {"luck": mine["initial_value_points"] / mine["optimum_points"]}
    for name, method in (("synchronous", SYNCHRONOUS), ("backwards", BACKWARDS)):
        theirs = runs[runs["method"] == method].set_index("problem")
        for cost in ("n_backups", "cpu_seconds"):
            columns[f"{cost}_{name}"] = mine[cost] / theirs[cost]
    return mine.assign(**columns).reset_index()


def traces_figure(looks: pd.DataFrame, chosen: Sequence[Problem]) -> Figure:
    """Draw U of the start and the value of greedy play against backups, one panel per problem."""
    shape: dict[str, Any] = {"nrows": -(-len(chosen) // 2), "ncols": 2, "squeeze": False}
    figure, panels = paper.new_figure(11.0, 0.8 + 3.6 * shape["nrows"], **shape)
    by = dict(tuple(looks.groupby(RUN)))
    for problem, axes in zip(chosen, panels.flat, strict=False):
        axes.set_title(problem.name)
        for solver, (colour, marker) in DRAWN.items():
            for seed in looks["seed"].unique():
                run = by[(problem.name, *solver, seed)]
                run, style = run[run["n_backups"] > 0], {"color": colour, "linewidth": 1.1}
                axes.plot("n_backups", "policy_value", linestyle=DASHED, data=run, **style)
                axes.plot("n_backups", "value", data=run, **style)
                end = run.iloc[-1]
                axes.plot(end["n_backups"], end["value"], marker, color=colour, markersize=5)
        axes.axhline(problem.optimum, color=paper.GREY, linewidth=0.9, linestyle=":", zorder=0)
        axes.set(xscale="log", xlabel="backups")
        paper.points_axis(axes)
    for axes in panels[:, 0]:
        axes.set_ylabel("value of the start state, points")
    handles = [
        Line2D([], [], color=colour, marker=marker, label=method)
        for (method, _), (colour, marker) in DRAWN.items()
    ]
    handles += [
        Line2D([], [], color=paper.BLACK, label="U of the start"),
        Line2D([], [], color=paper.BLACK, linestyle=DASHED, label="mean of greedy play"),
        Line2D([], [], color=paper.GREY, linestyle=":", label="optimum V*"),
    ]
    figure.legend(handles=handles, loc="outside right upper")
    return figure


def heuristic_search(of: paper.Paper) -> None:
    """Make the missing runs, and write the results."""
    chosen = problems()
    looks = run_missing(of.output / "traces.csv", chosen, of.seeds)
    runs = runs_frame(looks, chosen)
    of.write(
        "heuristic_search",
        {"heuristic_search": runs},
        {"heuristic_search": traces_figure(looks, chosen)},
        compared=compared(runs),
        at=paper.by(runs, "{problem}: {method} from {initial_values}"),
    )


if __name__ == "__main__":
    paper.script(heuristic_search, "heuristic_search", 10)
