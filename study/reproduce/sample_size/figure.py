"""The figure: the distribution of a trial's mean, and the probability of the wrong order."""

from typing import Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator
from scipy.stats import binom

from thetafront.study.report.style import BLACK, BLUE, GREY, RED, STYLE, caption
from thetafront.study.reproduce.sample_size.means import N_RESAMPLES
from thetafront.study.reproduce.sample_size.measured import Measured
from thetafront.study.reproduce.sample_size.order import N_WORLDS, WRONG_LEVELS
from thetafront.study.reproduce.sample_size.paper import PAPER
from thetafront.study.reproduce.sample_size.sample import Sample

COLOURS = (BLUE, RED)
TICKS = (1, 2, 3, 4, 6, 9, 16, 25, 50, 100)
MARKED = (3, 4, 9)
PERCENT_TICKS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def games_axis(axes: Axes, n_most: int) -> None:
    """Make the x axis one of games a trial, with the paper's 3 and 9 and the usual 4 marked."""
    axes.set_xscale("log")
    axes.set_xlim(1, n_most)
    axes.xaxis.set_major_locator(FixedLocator([n for n in TICKS if n <= n_most]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("games a trial, n")
    axes.grid(axis="x", visible=False)
    for n in MARKED:
        axes.axvline(n, color=GREY, linestyle=(0, (1, 2)), linewidth=1.0, zorder=0.5)


def legend(axes: Axes, where: Literal["lower right", "upper right"]) -> None:
    """Draw the legend on white."""
    axes.legend(loc=where, fontsize=8.5, frameon=True, framealpha=1, edgecolor="white")


def draw_means(axes: Axes, measured: Measured) -> None:
    """Draw the distribution of the mean of n games."""
    goal, unit = measured.goal, measured.goal.column_unit
    for sample, colour in zip(measured.samples, COLOURS, strict=False):
        frame = measured.means[measured.means["theta"] == sample.name]
        n, mean = frame["n_games"], sample.estimate
        low, high = frame[f"mean_low95{unit}"], frame[f"mean_high95{unit}"]
        axes.fill_between(n, low, high, color=colour, alpha=0.13, linewidth=0)
        for edge in (low, high):
            axes.plot(n, edge, color=colour, linewidth=0.8, alpha=0.6)
        low, high = frame[f"mean_low50{unit}"], frame[f"mean_high50{unit}"]
        axes.fill_between(n, low, high, color=colour, alpha=0.22, linewidth=0)
        axes.plot(
            n,
            frame[f"mean_median{unit}"],
            color=colour,
            linewidth=1.8,
            label=f"{sample.name}, mean of all {sample.n_games:,} games "
            f"{goal.format.interval(mean.value, mean.low, mean.high)}",
        )
    games_axis(axes, int(measured.means["n_games"].max()))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: goal.format.at_axis(value)))
    axes.set_ylim(bottom=goal.limits[0])
    axes.set_ylabel(f"mean {goal.label} of the trial{measured.unit}")
    axes.set_title(f"Mean {goal.label} of a trial of n games")
    legend(axes, "lower right")


def draw_order(axes: Axes, measured: Measured) -> None:
    """Draw the probability of the wrong order; for one θ of 2048 only the paper's example."""
    n_most = int(measured.means["n_games"].max())
    ranking = measured.ranking
    if ranking is not None:
        probabilities = ranking.probabilities
        n, p = probabilities["n_games"], probabilities["p_wrong"]
        names = f"{ranking.worse.name} ahead of {ranking.better.name}"
        axes.plot(n, p, color=BLACK, linewidth=1.8, label=f"wrong order: {names}")
        low, high = probabilities["p_wrong_low95"], probabilities["p_wrong_high95"]
        label = "its 95% interval"
        axes.fill_between(n, low, high, color=BLACK, alpha=0.13, linewidth=0, label=label)
        for marked in (each for each in MARKED if each <= n_most):
            height = float(p[n == marked].iloc[0])
            axes.plot(marked, height, "o", color=BLACK, markersize=5)
            axes.annotate(
                f"{height:.0%}",
                (marked, height),
                xytext=(-6, -7) if marked == MARKED[0] else (6, 6),
                textcoords="offset points",
                ha="right" if marked == MARKED[0] else "left",
                va="center",
                fontsize=9,
            )
    if measured.is_2048:
        thirds = np.arange(3, n_most + 1, 3)
        example = binom.cdf(thirds // 3, thirds, PAPER.p_success)
        label = "the paper's example: 4096 in a third of n games or fewer, p = 0.6"
        axes.plot(thirds, example, "o:", color=GREY, markersize=2.5, linewidth=1.2, label=label)
    for level in WRONG_LEVELS:
        axes.axhline(level, color=GREY, linewidth=0.9, linestyle="--", zorder=0.5)
    games_axis(axes, n_most)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
    axes.yaxis.set_major_locator(FixedLocator(PERCENT_TICKS))
    axes.set_ylabel("probability")
    top = 0.5 if ranking is None else float(ranking.probabilities["p_wrong_high95"].max())
    axes.set_ylim(0, max(0.45, top) + 0.12)
    axes.set_title("How often n games rank the two wrongly" if ranking else "The paper's example")
    legend(axes, "upper right")


def described(sample: Sample) -> str:
    """Describe a θ."""
    return f"{sample.name}: {sample.origin}, θ = ({sample.theta.replace(',', ', ')})"


@mpl.rc_context(STYLE)
def sample_size_figure(measured: Measured) -> Figure:
    """Draw the distribution of a trial's mean and the probability of the wrong order."""
    has_order = measured.is_2048 or measured.ranking is not None
    width = 12.4 if has_order else 6.6
    figure = Figure(figsize=(width, 5.6), layout=ConstrainedLayoutEngine(wspace=0.06))
    left, *right = figure.subplots(1, 1 + has_order, squeeze=False)[0]
    draw_means(left, measured)
    if has_order:
        draw_order(right[0], measured)
    note = "; ".join(described(each) for each in measured.samples) + ".\n"
    note += (
        f"Left: median (line), middle half (dark) and 95% (light) of {N_RESAMPLES:,} trials of n "
        "games, drawn from the real games with replacement."
    )
    if measured.ranking is not None:
        difference, goal = measured.ranking.difference, measured.goal
        ends = " to ".join(goal.format.text(each) for each in (difference.low, difference.high))
        note += (
            f" Right: the same trials in order, ties counted half; band: {N_WORLDS} bootstrap "
            "samples of the real games. The means differ by "
            f"{goal.format.with_unit(difference.value)}, 95% interval {ends}."
        )
    caption(figure, note)
    return figure
