"""Figures of three dice: effects of γ and tolerance, and the post's averages beside exact means."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thetafront.study.estimate import Z95
from thetafront.study.report.style import BLACK, BLUE, GREY, RED, STYLE, caption, level, new_figure
from thetafront.study.reproduce.dice.table import CORRECT, PROGRAM

COLOURS = ("#F0E442", "#E69F00", RED, BLUE, BLACK)  # of tolerances, from fine to rough
LOWEST = 11.5  # points, of the left panel


def lines_of(axes: Axes, part: pd.DataFrame, column: str) -> None:
    """Draw a column against γ, a line a tolerance; finer ones are wider and below, to show ties."""
    tolerances = sorted(part["tolerance_points"].unique())
    for k, tolerance in enumerate(tolerances):
        line = part[part["tolerance_points"] == tolerance].sort_values("gamma")
        width = 9.0 - 8.0 * k / (len(tolerances) - 1)
        gamma, values, label = line["gamma"], line[column], f"{tolerance:g}"
        axes.step(gamma, values, where="mid", color=COLOURS[k], linewidth=width, label=label)


@mpl.rc_context(STYLE)
def grid_figure(grid: pd.DataFrame) -> Figure:
    """Draw exact expected score and sweeps against γ, by tolerance."""
    figure = Figure(figsize=(10.4, 4.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    part = grid[grid["recursion"] == CORRECT]
    lines_of(left, part, "exact_score_points")
    other = grid[grid["recursion"] == PROGRAM]
    finest = other[other["tolerance_points"] == other["tolerance_points"].min()]
    label = f"{finest['tolerance_points'].iloc[0]:g}, {PROGRAM}"
    style: dict[str, Any] = {"linestyle": (0, (4, 1.5)), "color": GREY, "linewidth": 1.6}
    left.step(finest["gamma"], finest["exact_score_points"], where="mid", label=label, **style)
    optimum = float(grid["exact_score_points"].max())
    level(left, optimum, f"optimum {optimum:.5f}", above=True)
    left.set_ylim(LOWEST, optimum + 0.15)
    left.set_ylabel("exact expected score, points")
    left.set_title("Score")
    left.legend(title="tolerance, points", fontsize=8.5, title_fontsize=8.5, loc="lower right")
    lines_of(right, part, "n_sweeps")
    right.set_ylim(bottom=0)
    right.set_ylabel("sweeps")
    right.set_title("Sweeps")
    for axes in (left, right):
        axes.set_xlabel("γ")
    caption(
        figure,
        "Three dice. Exact: each policy's mean score by linear equations, without games. Sweeps: "
        "Gauss-Seidel over 56 states, from the values of sticking. Right: the correct recursion. "
        "Where lines coincide, narrow ones lie on wide ones.",
    )
    return figure


@mpl.rc_context(STYLE)
def table_figure(frame: pd.DataFrame) -> Figure:
    """Draw the post's averages, ours, and the exact means of their policies."""
    figure, axes = new_figure(8.6, 4.8)
    style: dict[str, Any] = {"markersize": 4.5, "capsize": 3}
    by_recursion = {name: frame[frame["recursion"] == name] for name in (PROGRAM, CORRECT)}
    for (name, part), colour in zip(by_recursion.items(), (RED, BLUE), strict=True):
        at = np.arange(len(part))
        exact, mean = part["exact_score_points"], part["score_mean_points"]
        label = f"exact mean, {name}"
        axes.hlines(exact, at - 0.35, at + 0.35, color=colour, linewidth=1.8, label=label)
        label = f"average of {int(part['n_games'].iloc[0]):,} games, {name}"
        error = Z95 * part["standard_error_points"]
        axes.errorbar(at + 0.12, mean, error, fmt="o", color=colour, label=label, **style)
    post = by_recursion[PROGRAM]
    places, mean = np.arange(len(post)) - 0.12, post["post_score_mean_points"]
    error, label = Z95 * post["post_standard_error_points"], "the post's average of 10,000 games"
    axes.errorbar(places, mean, error, fmt="D", color=BLACK, label=label, **style)
    names = [f"θ = {row.theta:g}\nγ = {row.gamma:g}" for row in post.itertuples()]
    axes.set_xticks(range(len(post)), names)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("score, points")
    axes.set_title("The post's five averages, and its policies' exact means")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=8.5)
    caption(
        figure,
        "Three dice. Bars: 95%, 1.96 exact standard errors to either side. The post's program adds "
        "γ times the final score once more.",
    )
    return figure
