"""Heuristic search: Kochenderfer, Wheeler, Wray (2022), §9.7 and §9.8.

Plain and labelled search beside value iteration, on three dice and on 2048 on small boards:
backups, CPU time and exact errors, by initial bound. ``--games`` are the runs of each solver.
``traces.csv`` has a line for each look at a run: finished runs are taken from there, with their
seconds, and missing ones are added.
"""

import sys
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from results.papers import paper
from results.papers.heuristic_search import traces
from results.papers.heuristic_search.problems import BEST_LUCK, OPTIMUM, Problem, problems
from results.papers.heuristic_search.traces import BACKWARDS, LABELLED, SEARCH, SYNCHRONOUS
from thetafront import InputError
from thetafront.study import estimate as intervals

ZERO = "0"  # the initial values of value iteration
RUN = ["problem", "method", "bound", "seed"]
KINDS: dict[str, Any] = {**dict.fromkeys(RUN, str), "seed": int, **traces.Look.__annotations__}
MEASURED = {
    "n_backups": "n_backups",
    "n_touched": "n_touched",
    "seconds": "cpu_seconds",
    "excess": "value_less_optimum_points",
    "loss": "policy_loss_points",
}
COLUMNS = {
    "solver": ("method", ""),
    "initial values": ("initial_values", ""),
    "U of the start at first": ("initial_value_points", ",.1f"),
    "n": ("n_runs", ""),
    "states touched": ("n_touched", ",.0f"),
    "share": ("share_touched", ".1%"),
    "backups": ("n_backups", ",.0f"),
    "CPU time": ("cpu_seconds", "time"),
    "U less optimum": ("value_less_optimum_points", ".2g"),
    "greedy play below optimum": ("policy_loss_points", ".2g"),
}
OVERVIEW = (
    *("problem", "states", "V*", "best luck", "best luck / V*", "states touched"),
    *("backups / synchronous", "CPU time / synchronous"),
    *("backups / backwards", "CPU time / backwards"),
)
ROUNDING = 1e-9
DRAWN = {
    (SYNCHRONOUS, ZERO): (paper.BLACK, "o"),
    (BACKWARDS, ZERO): ("#E69F00", "D"),
    (SEARCH, BEST_LUCK): (paper.RED, "^"),
    (LABELLED, BEST_LUCK): (paper.BLUE, "s"),
}
Rows = dict[tuple[Any, ...], dict[Hashable, Any]]  # by problem, solver and initial values
DASHED = (0, (3, 2))
AXES = {"n_backups": "backups", "seconds": "CPU seconds"}


def read_traces(path: Path) -> pd.DataFrame:
    """Return the finished runs of earlier calls; InputError if the file is no table of runs."""
    if not path.exists():
        return pd.DataFrame(columns=[*KINDS])
    try:
        found = pd.read_csv(path, dtype=KINDS)
        valid = list(found) == [*KINDS] and not found.isna().to_numpy().any()
    except (OSError, ValueError):
        valid = False
    if not valid:
        raise InputError(f"{path}: no traces of this version; use another folder, or move it away")
    return found[found.groupby(RUN)["done"].transform("last")]


def solvers(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield methods with their initial values."""
    yield from ((method, ZERO) for method in traces.SWEEPS)
    # From the optimum, plain search would have nothing to lower.
    yield from ((SEARCH, bound) for bound in problem.bounds if bound != OPTIMUM)
    yield from ((LABELLED, bound) for bound in problem.bounds)


def run_missing(path: Path, chosen: Sequence[Problem], seeds: Sequence[int]) -> pd.DataFrame:
    """Return a row a look, of all runs; those that the file lacks are run, and kept in it.

    A seed of value iteration is a repetition, for its seconds.
    """
    runs = dict(tuple(read_traces(path).groupby(RUN, sort=False)))
    asked = [(p.name, *solver, seed) for p in chosen for solver in solvers(p) for seed in seeds]
    if any(run not in runs for run in asked):
        for method, _ in solvers(chosen[0]):  # compiles all kernels
            traces.solve(chosen[0], method, BEST_LUCK, 0, 10)
    for problem in chosen:
        most_backups = 0
        for method, bound in solvers(problem):
            missing = [s for s in seeds if (problem.name, method, bound, s) not in runs]
            for seed in missing:
                run = (problem.name, method, bound, seed)
                looks = traces.solve(problem, method, bound, seed, most_backups)
                runs[run] = pd.DataFrame([(*run, *each) for each in looks], columns=[*KINDS])
            if missing:
                draft = path.with_suffix(".draft")
                pd.concat(runs.values()).to_csv(draft, index=False)
                draft.replace(path)
                print(f"{problem.name}: {method}, from {bound}", file=sys.stderr)
            if method == SYNCHRONOUS:
                first = runs[problem.name, method, bound, seeds[0]]
                most_backups = int(first["n_backups"].iloc[-1])
    return pd.concat([runs[run] for run in asked], ignore_index=True)


def runs_frame(looks: pd.DataFrame, chosen: Sequence[Problem]) -> pd.DataFrame:
    """Return one row for each solver on a problem, from the ends of its runs.

    Means over runs have 95% intervals (Student's t below 20 runs). ``value_less_optimum_points`` is
    U − V* of the start; ``policy_loss_points`` is V* less what greedy play earns, exactly.
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
                mean = intervals.mean(part[column].to_numpy(float))
                line |= {name: mean.value, f"{name}_low95": mean.low, f"{name}_high95": mean.high}
            lines.append(line | {"share_touched": part["n_touched"].mean() / problem.n_playing})
    return pd.DataFrame(lines)


def number(value: float, form: str) -> str:
    """Write a time with its unit, or another number in its format."""
    if form == "time":  # Student's t does not know that no time is below 0
        return paper.time_text(value) if value > 0 else "0"
    return format(0.0 if abs(value) < ROUNDING else value, form)


def shown(row: Any, name: str, form: str) -> str:
    """Write a cell: a number, with its interval unless all runs agree, or a word."""
    low, high = (row.get(f"{name}_{end}95", 0.0) for end in ("low", "high"))
    value = number(row[name], form) if form else str(row[name])
    if high - low < ROUNDING:
        return value
    return f"{value} ({number(low, form)} to {number(high, form)})"


def overview(by: Rows) -> str:
    """Lay out labelled search from best luck beside value iteration; a line a problem."""
    rows = []
    for (name, *solver), row in by.items():
        if solver != [LABELLED, BEST_LUCK]:
            continue
        ratios = [
            row[column] / by[name, method, ZERO][column]
            for method in (SYNCHRONOUS, BACKWARDS)
            for column in ("n_backups", "cpu_seconds")
        ]
        cells = [
            f"{row['n_states']:,}",
            f"{row['optimum_points']:.3f}",
            f"{row['initial_value_points']:,.1f}",
            f"{row['initial_value_points'] / row['optimum_points']:.1f}",
            f"{row['share_touched']:.1%}",
            *(f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}" for ratio in ratios),
        ]
        rows.append([name, *cells])
    return paper.markdown_table(OVERVIEW, rows)


def markdown(runs: pd.DataFrame) -> str:
    """Write the method, the findings, and a table for each problem."""
    keys = ("problem", "method", "initial_values")
    by = {tuple(row[key] for key in keys): row for row in runs.to_dict("records")}
    dice, two, three, late = runs["problem"].unique()
    optimum = {name: by[name, LABELLED, OPTIMUM]["share_touched"] for name in (two, three, late)}

    def plain(name: str, column: str) -> str:
        return shown(by[name, SEARCH, BEST_LUCK], column, ".2g")

    high, loss = "value_less_optimum_points", "policy_loss_points"
    method = f"""
Each solver has {runs["n_runs"].iloc[0]} runs; 95% intervals of means over runs are in parentheses.
The searches draw outcomes at random, with one seed a run. Value iteration is deterministic, so its
runs differ only in CPU time. Errors are exact: the mean of greedy play is computed, not estimated
from games. Value iteration starts from 0 and stops at a residual of {traces.DELTA:g} points or
less; labelled search stops when the start is solved to within the same δ. Plain heuristic search
does not know when it is done, so it gets as many backups as synchronous value iteration takes.
*Backwards* are Gauss-Seidel sweeps in the reverse order of the states. *A tenth of best luck's
excess* and *the optimum itself* are bounds that can be computed only once the problem is solved;
they show what a better bound would be worth.

**Does labelled heuristic search, from the bound of best luck, need less than value iteration?** It
makes fewer backups than synchronous value iteration on the boards, but takes less CPU time only
from the late board. Backward Gauss-Seidel sweeps need fewer backups and less CPU time than labelled
search on every problem. States are those with an action; ratios are those of labelled search to
value iteration.
"""
    why = f"""
**Why?** Heuristic search saves the states that greedy play never reaches. With a loose bound, every
state looks good until it has been backed up, so greedy play visits nearly all of them. From the
optimum itself, labelled search would touch {optimum[two]:.0%} of the states of 2 × 2,
{optimum[three]:.0%} of those of 2 × 3, and {optimum[late]:.0%} from the late board. On the boards,
no state occurs twice in a game: in backward order each state needs one backup, and a second sweep
shows that nothing changes. A backup also takes longer in a search than in a sweep, which reads
memory in order. The advantage of a search is that it has a start: from a late board, it solves only
what can follow.

**Plain heuristic search** from best luck has made as many backups as synchronous value iteration
when its U is {plain(dice, high)} points above V* on three dice, {plain(two, high)} on 2 × 2,
{plain(three, high)} on 2 × 3 and {plain(late, high)} from the late board. Its greedy play then
earns {plain(dice, loss)}, {plain(two, loss)}, {plain(three, loss)} and {plain(late, loss)} points
less than V*.
"""
    parts = []
    for name, part in runs.groupby("problem", sort=False):
        rows = [[shown(row, *cell) for cell in COLUMNS.values()] for row in part.to_dict("records")]
        align = "ll".ljust(len(COLUMNS), "r")
        parts += [f"## {name}", paper.markdown_table([*COLUMNS], rows, align)]
    return paper.document(
        "Heuristic search and labelled heuristic search beside value iteration: Kochenderfer, "
        "Wheeler, Wray (2022), §9.7 and §9.8",
        *(" ".join(each.split()) for each in method.split("\n\n")),
        overview(by),
        *(" ".join(each.split()) for each in why.split("\n\n")),
        *parts,
    )


@mpl.rc_context(paper.STYLE)
def traces_figure(looks: pd.DataFrame, chosen: Sequence[Problem]) -> Figure:
    """Draw U of the start and the value of greedy play against backups and CPU seconds."""
    figure = Figure(figsize=(0.6 + 3.7 * len(chosen), 7.2), layout="constrained")
    panels = figure.subplots(2, len(chosen), squeeze=False, sharey="col")
    by = dict(tuple(looks.groupby(RUN)))
    for problem, column in zip(chosen, panels.T, strict=True):
        column[0].set_title(problem.name.replace(", from", ",\nfrom"), fontsize=10)
        highest = float(problem.bounds[BEST_LUCK][problem.start])
        for axes, (x, label) in zip(column, AXES.items(), strict=True):
            for solver, (colour, marker) in DRAWN.items():
                for seed in looks["seed"].unique():
                    run = by[(problem.name, *solver, seed)]
                    run, style = run[run[x] > 0], {"color": colour, "linewidth": 1.1}
                    axes.plot(run[x], run["policy_value"], linestyle=DASHED, alpha=0.55, **style)
                    axes.plot(run[x], run["value"], alpha=0.8, **style)
                    end = run.iloc[-1]
                    axes.plot(end[x], end["value"], marker, color=colour, markersize=5)
            axes.axhline(problem.optimum, color=paper.GREY, linewidth=0.9, linestyle=":", zorder=0)
            axes.set(xscale="log", xlabel=label, ylim=(-0.04 * highest, 1.06 * highest))
    for axes in panels[:, 0]:
        axes.set_ylabel("value of the start, points")
    handles = [
        Line2D([], [], color=colour, marker=marker, label=method)
        for (method, _), (colour, marker) in DRAWN.items()
    ]
    handles += [
        Line2D([], [], color=paper.BLACK, label="U of the start"),
        Line2D([], [], color=paper.BLACK, linestyle=DASHED, label="mean of greedy play"),
        Line2D([], [], color=paper.GREY, linestyle=":", label="optimum V*"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4, fontsize=8.5)
    paper.caption(
        figure,
        f"{looks['seed'].nunique()} runs of each solver; a marker is a run's end. Value iteration "
        "starts from 0, heuristic search from the bound of best luck. Value iteration and labelled "
        f"search stop at a residual of {traces.DELTA:g} points, plain heuristic search after as "
        "many backups as synchronous value iteration. Greedy play that never ends has no line. "
        "CPU seconds are of backups alone.",
    )
    return figure


def heuristic_search(of: paper.Paper) -> None:
    """Run what is missing, and write the results."""
    chosen = problems()
    looks = run_missing(of.output / "traces.csv", chosen, of.seeds)
    runs = runs_frame(looks, chosen)
    figures = {"heuristic_search": traces_figure(looks, chosen)}
    of.write("heuristic_search", markdown(runs), {"heuristic_search": runs}, figures)


if __name__ == "__main__":
    paper.script(heuristic_search, "heuristic_search", 10)
