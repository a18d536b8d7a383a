"""The figures: score against simulations, execution time, score against time, widening."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    EngFormatter,
    FixedLocator,
    FuncFormatter,
    LogLocator,
    NullFormatter,
    NullLocator,
)

from results.papers.mcts.design import DEPTH, EXPLORATION, TITLES, Design, Widened
from results.papers.mcts.timing import TIMED_SIMULATIONS
from results.papers.mcts.widening import case_of
from results.papers.paper import (
    BLACK,
    BLUE,
    GREY,
    RED,
    STYLE,
    caption,
    new_figure,
    points_axis,
    score_bars,
)
from thetafront.agents.twenty48.leaf_value import LeafValue

GREEN, PURPLE, ORANGE = "#009E73", "#CC79A7", "#E69F00"
# Colour, marker, its size and the line's width: three curves nearly coincide, later ones are drawn
# over earlier ones, and so are smaller.
LOOKS: dict[LeafValue, tuple[str, str, float, float]] = {
    LeafValue.RANDOM: (BLUE, "o", 5.0, 1.3),
    LeafValue.LOOKAHEAD: (RED, "s", 5.0, 1.3),
    LeafValue.WEIGHTS_A: (GREEN, "^", 9.0, 3.4),
    LeafValue.WEIGHTS_B: (PURPLE, "v", 6.5, 2.0),
    LeafValue.SCORE: (BLACK, "D", 3.2, 0.9),
}
WIDTH_LOOKS = ((BLUE, "o"), (RED, "s"), (GREEN, "^"), (PURPLE, "v"), (ORANGE, "D"), (GREY, "P"))
OURS = (
    "Weights A continue a row of the book's, weights B are ours. Where curves coincide, narrow "
    "ones lie on wide ones."
)


def games_of(frame: pd.DataFrame) -> str:
    """Say how many games a point has."""
    return f"{int(frame['n_games'].iloc[0]):,} games a point, the same seeds for all"


def curves(axes: Axes, points: pd.DataFrame, x: str) -> None:
    """Draw all leaf values' points against a column, with their 95% intervals."""
    for leaf_value, title in TITLES.items():
        part = points[points["leaf_value"] == leaf_value.value].sort_values(x)
        colour, marker, size, width = LOOKS[leaf_value]
        style = {"linewidth": width, "elinewidth": 1.2, "markersize": size, "capsize": size / 2}
        score_bars(axes, part[x], part, fmt=f"{marker}-", color=colour, label=title, **style)
    points_axis(axes)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("mean score, points")
    axes.legend(loc="upper left", fontsize=8.5)


@mpl.rc_context(STYLE)
def score_figure(points: pd.DataFrame) -> Figure:
    """Draw mean score against m, the example's first plot (of mean reward)."""
    figure, axes = new_figure(8.2, 5.2)
    curves(axes, points, "n_simulations")
    axes.set_xscale("log")
    simulations = sorted(set(points["n_simulations"]))
    axes.xaxis.set_major_locator(FixedLocator(simulations))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("number of simulations a decision, m")
    axes.set_title("Monte Carlo tree search on 2048: score against simulations")
    caption(
        figure,
        f"d = {DEPTH}, c = {EXPLORATION:g}; {games_of(points)}; bars: 95% intervals. Below m = 4 "
        "not every action is tried; at m = 1 the first legal action is taken, whatever the leaf "
        f"value. {OURS}",
    )
    return figure


@mpl.rc_context(STYLE)
def execution_time_figure(timings: pd.DataFrame) -> Figure:
    """Draw a decision's time, relative to random rollouts', against depth: the second plot."""
    figure, axes = new_figure(8.2, 5.2)
    for leaf_value in TITLES:
        part = timings[timings["leaf_value"] == leaf_value.value].sort_values("depth")
        depth, (colour, marker, size, width) = part["depth"], LOOKS[leaf_value]
        axes.plot(depth, part["relative_to_random"], f"{marker}-", color=colour, linewidth=width,
                  markersize=size, label=TITLES[leaf_value])  # fmt: skip
        low, high = part["relative_low95"], part["relative_high95"]
        axes.fill_between(depth, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.set_ylim(0, 1.3 * float(timings["relative_high95"].max()))  # room for the legend
    axes.xaxis.set_major_locator(FixedLocator(sorted(set(timings["depth"]))))
    axes.set_xlabel("depth d, actions")
    axes.set_ylabel("execution time, relative to random rollouts at the same d")
    axes.set_title(f"Execution time of a decision, m = {TIMED_SIMULATIONS}, from a starting state")
    axes.legend(loc="upper left", fontsize=8.5, ncols=2)
    row = timings.iloc[0]
    caption(
        figure,
        f"CPU time without the call's; medians over {int(row['n_rounds']):,} rounds of "
        f"{int(row['n_decisions'] / row['n_rounds']):,} decisions from starting boards, all leaf "
        f"values in turn; bands: 95% intervals of the medians. c = {EXPLORATION:g}. {OURS}",
    )
    return figure


@mpl.rc_context(STYLE)
def equal_time_figure(points: pd.DataFrame) -> Figure:
    """Draw mean score against seconds per move."""
    figure, axes = new_figure(8.6, 5.4)
    curves(axes, points, "seconds_per_move")
    axes.set_xscale("log")
    axes.set_xlabel("CPU seconds per move")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=20))
    axes.xaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 3), numticks=20))
    axes.set_title("Monte Carlo tree search on 2048: score against time")
    listed = ", ".join(f"{m:,}" for m in sorted(set(points["n_simulations"])))
    caption(
        figure,
        f"d = {DEPTH}, c = {EXPLORATION:g}, m = {listed}; {games_of(points)}; bars: 95% "
        f"intervals. CPU time as measured in these games. {OURS}",
    )
    return figure


@mpl.rc_context(STYLE)
def widening_figure(frame: pd.DataFrame, design: Design, widened: Widened) -> Figure:
    """Draw score against α′ for each k′, one panel a case, with the plain agent as a band."""
    symbol, exponent = widened.symbols
    ks = design.ks_of(widened)
    n = len(design.cases)
    figure = Figure(figsize=(1.2 + 3.3 * n, 5.2), layout="constrained")
    panels = figure.subplots(1, n, squeeze=False, sharey=True)[0]
    offsets = np.linspace(-0.18, 0.18, len(ks)) if len(ks) > 1 else np.zeros(1)
    for axes, case in zip(panels, design.cases, strict=True):
        plain, settings = case_of(frame, case, widened)
        low, high = plain["score_low95_points"], plain["score_high95_points"]
        axes.axhspan(low, high, color=BLACK, alpha=0.12, linewidth=0)
        axes.axhline(plain["score_mean_points"], color=BLACK, linewidth=1.4, label="no widening")
        for k, offset, (colour, marker) in zip(ks, offsets, WIDTH_LOOKS, strict=False):
            part = settings[settings["k"] == k].sort_values("alpha")
            score_bars(
                axes, np.arange(len(part)) + offset, part, fmt=f"{marker}-", color=colour,
                linewidth=1.0, markersize=4.5, capsize=2.5, label=f"{symbol} = {k:g}",
            )  # fmt: skip
        axes.set_xticks(range(len(design.alphas)), [f"{alpha:g}" for alpha in design.alphas])
        axes.grid(visible=False, axis="x")
        axes.set_xlabel(exponent)
        axes.set_title(
            f"{TITLES[case.leaf_value]},\nin the time of m = {case.n_simulations}", fontsize=10
        )
    points_axis(panels[0])
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("mean score, points")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(handles), fontsize=8.5)
    title = f"Progressive widening of {widened} at equal time"
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    limits = {
        Widened.STATES: "An action leads to at most k′·N^α′ states.",
        Widened.ACTIONS: "Another action of a state is opened while at most k·N^α are open.",
    }
    caption(
        figure,
        f"d = {DEPTH}, c = {EXPLORATION:g}; {games_of(frame)}; bars and bands: 95% intervals. "
        f"{limits[widened]} Each setting's m is chosen such that a decision takes as long as the "
        "plain agent's.",
    )
    return figure
