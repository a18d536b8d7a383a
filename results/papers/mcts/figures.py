"""The figures: score against simulations, execution time, score against time, widening."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter, NullLocator

from results.papers import paper
from results.papers.mcts import design
from results.papers.mcts.design import STATES, TITLES
from results.papers.mcts.timing import DEPTHS
from thetafront.agents.twenty48.leaf_value import LeafValue

# Colour, marker, marker size and line width. Three curves nearly coincide, so those that are drawn
# on top have smaller markers and thinner lines.
LOOKS: dict[LeafValue, tuple[str, str, float, float]] = {
    LeafValue.RANDOM: (paper.BLUE, "o", 5.0, 1.3),
    LeafValue.LOOKAHEAD: (paper.RED, "s", 5.0, 1.3),
    LeafValue.WEIGHTS_A: (paper.GREEN, "^", 9.0, 3.4),
    LeafValue.WEIGHTS_B: (paper.PURPLE, "v", 6.5, 2.0),
    LeafValue.SCORE: (paper.BLACK, "D", 3.2, 0.9),
}


def curves(axes: Axes, points: pd.DataFrame, x: str) -> None:
    """Draw the points of all leaf values against a column, with 95% intervals."""
    for leaf_value, title in TITLES.items():
        part = points[points["leaf_value"] == leaf_value.value].sort_values(x)
        colour, marker, size, width = LOOKS[leaf_value]
        style: dict[str, Any] = {"fmt": f"{marker}-", "color": colour, "label": title}
        style |= {"linewidth": width, "elinewidth": 1.2, "markersize": size, "capsize": size / 2}
        paper.score_bars(axes, part[x], part, **style)
    axes.set(xscale="log", ylabel="mean score, points")
    paper.points_axis(axes)
    axes.legend(loc="upper left")


def score_figure(points: pd.DataFrame) -> Figure:
    """Draw mean score against m; the source's first plot has mean reward instead."""
    figure, axes = paper.new_figure(8.2, 5.4)
    curves(axes, points, "n_simulations")
    axes.set_xticks(design.SIMULATIONS, [f"{m:,}" for m in design.SIMULATIONS])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("simulations per decision, m")
    return figure


def execution_time_figure(timings: pd.DataFrame) -> Figure:
    """Draw decision times against depth, relative to random rollouts: the source's second plot."""
    figure, axes = paper.new_figure(8.2, 5.4)
    for leaf_value, (colour, marker, size, width) in LOOKS.items():
        part = timings[timings["leaf_value"] == leaf_value.value].sort_values("depth")
        style = {"color": colour, "linewidth": width, "markersize": size}
        label = TITLES[leaf_value]
        axes.plot(part["depth"], part["relative_to_random"], f"{marker}-", label=label, **style)
        ends = (part["relative_low95"], part["relative_high95"])
        axes.fill_between(part["depth"], *ends, color=colour, alpha=0.18, linewidth=0)
    axes.set_ylim(0, 1.3 * timings["relative_high95"].max())  # room for the legend
    axes.set_xticks(DEPTHS)
    axes.set_xlabel("depth d, actions")
    axes.set_ylabel("execution time, relative to random rollouts at the same d")
    axes.legend(loc="upper left", ncols=2)
    return figure


def equal_time_figure(points: pd.DataFrame) -> Figure:
    """Draw mean score against seconds per move."""
    figure, axes = paper.new_figure(8.6, 5.6)
    curves(axes, points, "seconds_per_move")
    axes.set_xlabel("CPU seconds per move")
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 3), numticks=20))
    axes.xaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    return figure


def widening_figure(frame: pd.DataFrame, widened: str) -> Figure:
    """Draw score against α for each k, one panel per case, with the plain agent as a band."""
    figure, panels = paper.new_figure(11.1, 5.2, ncols=len(design.CASES), sharey=True)
    mark = "′" if widened == STATES else ""
    offsets = np.linspace(-0.18, 0.18, len(design.KS[widened]))
    for axes, (leaf_value, m) in zip(panels, design.CASES, strict=True):
        case = frame[frame["leaf_value"] == leaf_value.value]
        case = case[case["plain_n_simulations"] == m]
        paper.level(axes, case.iloc[0], paper.BLACK, "no widening")
        settings = case[case["widened"] == widened].groupby("k")
        for (k, part), offset, (colour, marker) in zip(
            settings, offsets, paper.MARKS, strict=False
        ):
            style = {"linewidth": 1.0, "markersize": 4.5, "capsize": 2.5, "color": colour}
            style |= {"fmt": f"{marker}-", "label": f"k{mark} = {k:g}"}
            paper.score_bars(axes, np.arange(len(part)) + offset, part, **style)
        paper.places_axis(axes, [f"{alpha:g}" for alpha in design.ALPHAS])
        axes.set(xlabel=f"α{mark}", title=f"{TITLES[leaf_value]},\nin the time of m = {m}")
    panels[0].set_ylabel("mean score, points")
    paper.points_axis(panels[0])
    paper.shared_legend(figure, panels[0])
    return figure
