"""The findings on heuristic search, as Markdown; each sentence follows from the table of runs."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from results.papers import paper
from results.papers.heuristic_search.problems import BEST_LUCK, OPTIMUM, Problem
from results.papers.heuristic_search.traces import (
    BACKWARDS,
    DELTA,
    LABELLED,
    SEARCH,
    SYNCHRONOUS,
    ZERO,
)
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate

MEASURED = {
    "n_backups": "n_backups",
    "n_touched": "n_touched",
    "seconds": "cpu_seconds",
    "excess": "value_less_optimum_points",
    "loss": "policy_loss_points",
}


def runs_frame(looks: pd.DataFrame, problems: Sequence[Problem]) -> pd.DataFrame:
    """Return one row for each solver on a problem, from the ends of its runs.

    Means over runs, each with its 95% interval (Student's t below 20 runs), in three columns such
    as ``n_backups``, ``n_backups_low95``, ``n_backups_high95``. ``value_less_optimum_points`` is
    U − V* of the start; ``policy_loss_points`` is V* less what greedy play earns, exactly.
    """
    lines = []
    for problem in problems:
        ends = looks[(looks["problem"] == problem.name) & looks["done"]]
        for (method, bound), part in ends.groupby(["method", "bound"], sort=False):
            exact = part.assign(
                excess=part["value"] - problem.optimum, loss=problem.optimum - part["policy_value"]
            )
            at_start = problem.bounds[str(bound)][problem.start] if bound != ZERO else 0.0
            line: dict[str, object] = {
                "problem": problem.name,
                "method": method,
                "initial_values": bound,
                "initial_value_points": float(at_start),
                "optimum_points": problem.optimum,
                "n_runs": len(part),
                "n_states": problem.n_playing,
            }
            for column, name in MEASURED.items():
                mean = intervals.mean(exact[column].to_numpy(float))
                line |= {name: mean.value, f"{name}_low95": mean.low, f"{name}_high95": mean.high}
            lines.append(line | {"share_touched": exact["n_touched"].mean() / problem.n_playing})
    return pd.DataFrame(lines)


def estimate_of(row: Any, name: str) -> Estimate:
    """Return a number of a row with its interval."""
    return Estimate(row[name], row[f"{name}_low95"], row[f"{name}_high95"])


def written(estimate: Estimate, form: str) -> str:
    """Write a number with its interval, unless all runs agree."""
    if not estimate.high > estimate.low:
        return format(estimate.value, form)
    return f"{estimate.value:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"


def small(estimate: Estimate) -> str:
    """Write an error in points; what is rounding is 0."""
    value, low, high = (
        0.0 if abs(each) < 1e-9 else each for each in (estimate.value, estimate.low, estimate.high)
    )
    return written(Estimate(value, low, high), ".2g")


def times(ratio: float) -> str:
    """Write how many times as much."""
    return f"{ratio:.2g} times" if ratio < 10 else f"{ratio:,.0f} times"


def table(part: pd.DataFrame) -> str:
    """Lay out the solvers on one problem."""
    columns = (
        *("solver", "initial values", "U of the start at first", "n", "states touched", "share"),
        *("backups", "CPU time", "U less optimum", "greedy play below optimum"),
    )
    rows = [
        (
            row["method"],
            row["initial_values"],
            f"{row['initial_value_points']:,.1f}",
            f"{row['n_runs']}",
            written(estimate_of(row, "n_touched"), ",.0f"),
            f"{row['share_touched']:.1%}",
            written(estimate_of(row, "n_backups"), ",.0f"),
            seconds_of(estimate_of(row, "cpu_seconds")),
            small(estimate_of(row, "value_less_optimum_points")),
            small(estimate_of(row, "policy_loss_points")),
        )
        for row in part.to_dict("records")
    ]
    return paper.markdown_table(columns, rows, "ll" + "r" * (len(columns) - 2))


def seconds_of(estimate: Estimate) -> str:
    """Write a time with its interval."""
    low = paper.time_text(estimate.low) if estimate.low > 0 else "0"  # Student's t knows no sign
    return f"{paper.time_text(estimate.value)} ({low} to {paper.time_text(estimate.high)})"


def rows_of(part: pd.DataFrame) -> dict[tuple[str, str], Any]:
    """Return the rows of a problem by solver and initial values."""
    return {(row["method"], row["initial_values"]): row for row in part.to_dict("records")}


def finding(part: pd.DataFrame, problem: Problem) -> str:
    """Say what labelled and plain search need on a problem, beside value iteration."""
    rows = rows_of(part)
    synchronous, backwards = rows[SYNCHRONOUS, ZERO], rows[BACKWARDS, ZERO]
    labelled, plain = rows[LABELLED, BEST_LUCK], rows[SEARCH, BEST_LUCK]

    def beside(column: str) -> str:
        return (
            f"{times(labelled[column] / synchronous[column])} that of synchronous value iteration "
            f"and {times(labelled[column] / backwards[column])} that of backward sweeps"
        )

    bound = labelled["initial_value_points"]
    return (
        f"{problem.n_playing:,} states have an action; V* of the start is {problem.optimum:.3f} "
        f"points, and best luck's bound {bound:,.1f}, {times(bound / problem.optimum)} as much. "
        f"Labelled search from it touches {labelled['share_touched']:.1%} of these states. Its "
        f"number of backups is {beside('n_backups')}; its CPU time is {beside('cpu_seconds')}. "
        "Plain heuristic search, after as many backups as synchronous value iteration, has U "
        f"{small(estimate_of(plain, 'value_less_optimum_points'))} points above V*, and plays "
        f"{small(estimate_of(plain, 'policy_loss_points'))} points below it."
    )


def answer(runs: pd.DataFrame, problems: Sequence[Problem]) -> list[str]:
    """Say on which problems heuristic search needs less, and why."""
    by = {name: rows_of(part) for name, part in runs.groupby("problem")}

    def fewer(column: str, method: str) -> str:
        names = [
            problem.name
            for problem in problems
            if by[problem.name][LABELLED, BEST_LUCK][column]
            < by[problem.name][method, ZERO][column]
        ]
        return "; ".join(names) or "no problem"

    shares = [
        f"{problem.name}: {by[problem.name][LABELLED, BEST_LUCK]['share_touched']:.0%} of "
        "the states from best luck, "
        f"{by[problem.name][LABELLED, OPTIMUM]['share_touched']:.0%} from the optimum itself"
        for problem in problems
    ]
    return [
        "**Does labelled heuristic search, from the bound of best luck, need less than value "
        "iteration?** Fewer backups than synchronous value iteration on: "
        f"{fewer('n_backups', SYNCHRONOUS)}. Less CPU time on: "
        f"{fewer('cpu_seconds', SYNCHRONOUS)}. Fewer backups than Gauss-Seidel sweeps backwards "
        f"on: {fewer('n_backups', BACKWARDS)}; less CPU time on: "
        f"{fewer('cpu_seconds', BACKWARDS)}.",
        "**Why.** Heuristic search saves the states that greedy play never reaches. A loose bound "
        "makes everything look good, so greedy play goes nearly everywhere before it is "
        f"disproved. Labelled search touches: {'; '.join(shares)}. On the boards no state occurs "
        "twice in a game: swept backwards, each needs one backup, and a second sweep shows that "
        "nothing changes. A backup in a search also takes longer than one in a sweep, which reads "
        "memory in order. What a search has over a sweep is its start: from a late board it solves "
        "only what can follow.",
    ]


def heuristic_search_markdown(runs: pd.DataFrame, problems: Sequence[Problem], n_runs: int) -> str:
    """Write all findings."""
    parts = []
    for problem in problems:
        part = runs[runs["problem"] == problem.name]
        parts += [f"## {problem.name}", finding(part, problem), table(part)]
    return paper.document(
        "Heuristic search and labelled heuristic search beside value iteration: Kochenderfer, "
        "Wheeler, Wray (2022), §9.7 and §9.8",
        f"{n_runs} runs of each solver; in parentheses: 95% intervals of means over runs. Searches "
        "draw outcomes, with a seed for each run; value iteration is deterministic, and its runs "
        "differ in CPU time alone. Values are exact: greedy play's mean is computed, not played. "
        f"Value iteration starts from 0 and ends at a residual of {DELTA:g} points or less; "
        "labelled search ends when the start is solved to within the same δ. Plain heuristic "
        "search does not know when it is done: it has as many backups as synchronous value "
        "iteration. *Backwards* are Gauss-Seidel sweeps in the opposite order of the states. "
        "*A tenth of best luck's excess* and *the optimum itself* are bounds that nobody has "
        "beforehand: they show what a better bound is worth.",
        *answer(runs, problems),
        *parts,
    )
