"""The figure: U of the start and the greedy policy's value, against backups and CPU seconds."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from results.papers.heuristic_search.problems import BEST_LUCK, Problem
from results.papers.heuristic_search.traces import (
    BACKWARDS,
    DELTA,
    LABELLED,
    SEARCH,
    SYNCHRONOUS,
    ZERO,
)
from results.papers.paper import BLACK, BLUE, GREY, RED, STYLE, caption

ORANGE = "#E69F00"
LOOKS = {
    (SYNCHRONOUS, ZERO): (BLACK, "o"),
    (BACKWARDS, ZERO): (ORANGE, "D"),
    (SEARCH, BEST_LUCK): (RED, "^"),
    (LABELLED, BEST_LUCK): (BLUE, "s"),
}
AXES = {"n_backups": "backups", "seconds": "CPU seconds"}


def draw(axes: Axes, part: pd.DataFrame, x: str) -> None:
    """Draw the runs of one problem: U in full lines, the greedy policy's value dashed."""
    for (method, bound), (colour, marker) in LOOKS.items():
        some = part[(part["method"] == method) & (part["bound"] == bound)]
        style: dict[str, Any] = {"color": colour, "linewidth": 1.1}
        for _, run in some[some[x] > 0].groupby("seed"):
            end = run.iloc[-1]
            axes.plot(run[x], run["policy_value"], linestyle=(0, (3, 2)), alpha=0.55, **style)
            axes.plot(run[x], run["value"], alpha=0.8, **style)
            axes.plot(end[x], end["value"], marker, color=colour, markersize=5)


@mpl.rc_context(STYLE)
def traces_figure(looks: pd.DataFrame, problems: Sequence[Problem]) -> Figure:
    """Draw a column of two panels for each problem."""
    n = len(problems)
    figure = Figure(figsize=(0.6 + 3.7 * n, 7.2), layout="constrained")
    panels = figure.subplots(2, n, squeeze=False, sharey="col")
    for column, problem in enumerate(problems):
        part = looks[looks["problem"] == problem.name]
        for axes, (x, label) in zip(panels[:, column], AXES.items(), strict=True):
            draw(axes, part, x)
            axes.axhline(problem.optimum, color=GREY, linewidth=0.9, linestyle=":", zorder=0)
            axes.set_xscale("log")
            axes.set_xlabel(label)
            highest = float(problem.bounds[BEST_LUCK][problem.start])
            axes.set_ylim(-0.04 * highest, 1.06 * highest)
        panels[0, column].set_title(problem.name.replace(", from", ",\nfrom"), fontsize=10)
    for axes in panels[:, 0]:
        axes.set_ylabel("value of the start, points")
    handles = [
        Line2D([], [], color=colour, marker=marker, label=method)
        for (method, _), (colour, marker) in LOOKS.items()
    ]
    handles += [
        Line2D([], [], color=BLACK, label="U of the start"),
        Line2D([], [], color=BLACK, linestyle=(0, (3, 2)), label="mean of greedy play"),
        Line2D([], [], color=GREY, linestyle=":", label="optimum V*"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4, fontsize=8.5)
    n_runs = looks["seed"].nunique()
    caption(
        figure,
        f"{n_runs} runs of each solver; a marker is a run's end. Value iteration starts from 0, "
        "heuristic search from the bound of best luck. Value iteration and labelled search end at "
        f"a residual of {DELTA:g} points, plain heuristic search after as many backups as "
        "synchronous value iteration. Greedy play that never ends has no line. CPU seconds are of "
        "backups alone.",
    )
    return figure
