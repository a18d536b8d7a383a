"""The report's figures 2 to 7 from our games, and one that compares the two distances."""

from collections.abc import Mapping, Sequence
from itertools import product
from textwrap import fill

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter, ScalarFormatter

from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.rewards import Distance
from thetafront.engine.pacman import Layout
from thetafront.study.report.style import BLACK, BLUE, CHOICE_MARKS, RED, STYLE, caption, level
from thetafront.study.reproduce.pacman.design import (
    DISTANCE_GAMMA,
    DISTANCE_RADII,
    MEDIUM,
    MEDIUM_GAMMAS,
    MEDIUM_RADIUS,
    MEDIUM_RADIUS_GAMMAS,
    PANEL_SWEEPS,
    RADII,
    SMALL,
    SMALL_GAMMAS,
    SWEEP_GAMMAS,
    SWEEP_RADIUS,
    SWEEPS,
    TOLERANCES,
    Played,
    after_sweeps,
    to_tolerance,
)
from thetafront.study.reproduce.pacman.points import win_rate

RADIUS = "radius of a ghost's zone, steps"
LOOKS = ((BLUE, "o"), *CHOICE_MARKS[:4])
LOOKS_OF_TWO = ((BLUE, "o"), (RED, "s"))
SPREAD = 0.12  # between the lines of one place, so that intervals stand side by side
SWEEPS_SPREAD = 0.02  # the same on a logarithmic axis, as a share of the number of sweeps
NAME_WIDTH = 9  # of a strategy, in characters
ASIDE = 0.18  # of the report's sign from the middle of a bar, where the interval is


def games_of(played: Played) -> str:
    """Say how many games a point has."""
    n = len(next(iter(played.values())))
    return f"{n:,} games a point, the same seeds for all; bars: Wilson's 95% intervals"


def rate_axis(axes: Axes) -> None:
    """Make the y axis one of win rates."""
    axes.set(ylim=(0, 1), ylabel="win rate")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def line(
    axes: Axes,
    played: Played,
    at: Sequence[float] | npt.NDArray[np.float64],
    agents: Sequence[PacmanMDP],
    label: str,
    look: tuple[str, str],
) -> None:
    """Draw the win rates of agents, with their intervals."""
    rates = [win_rate(played[agent]) for agent in agents]
    value, low, high = np.array([(rate.value, rate.low, rate.high) for rate in rates]).T
    points(axes, at, value, low, high, label, look)


def points(
    axes: Axes,
    at: npt.ArrayLike,
    value: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    label: str,
    look: tuple[str, str],
) -> None:
    """Draw values with their intervals, as a line of a colour and a marker."""
    colour, marker = look
    axes.errorbar(
        at,
        value,
        yerr=[np.subtract(value, low), np.subtract(high, value)],
        fmt=f"{marker}-",
        color=colour,
        linewidth=1.2,
        elinewidth=0.9,
        markersize=4.5,
        capsize=2,
        label=label,
    )


def side_by_side(
    axes: Axes,
    played: Played,
    places: Sequence[float],
    xlabel: str,
    lines: Mapping[str, Sequence[PacmanMDP]],
    looks: Sequence[tuple[str, str]],
) -> None:
    """Draw lines over the same places, their points side by side."""
    for k, ((name, agents), look) in enumerate(zip(lines.items(), looks, strict=False)):
        at = np.arange(len(places), dtype=np.float64) + SPREAD * (k - (len(lines) - 1) / 2)
        line(axes, played, at, agents, name, look)
    axes.set_xticks(range(len(places)), [f"{place:g}" for place in places])
    axes.grid(visible=False, axis="x")
    axes.set_xlabel(xlabel)


def shared_legend(figure: Figure, axes: Axes) -> None:
    """Draw one legend for all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels), fontsize=9)


def titled(figure: Figure, title: str, text: str) -> Figure:
    """Add title and caption."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    caption(figure, f"{text} The mazes are ours.")
    return figure


@mpl.rc_context(STYLE)
def small_figure(played: Played, against_gamma: bool) -> Figure:
    """Draw win rate on small by sweeps, against the radius (figure 2) or γ (figure 3)."""
    figure = Figure(figsize=(11.4, 4.6), layout="constrained")
    panels = figure.subplots(1, len(PANEL_SWEEPS), sharey=True)
    for axes, n_sweeps in zip(panels, PANEL_SWEEPS, strict=True):
        grid = {
            (gamma, r): after_sweeps(SMALL, gamma, r, n_sweeps)
            for gamma, r in product(SMALL_GAMMAS, RADII)
        }
        if against_gamma:
            lines = {f"r = {r}": [grid[gamma, r] for gamma in SMALL_GAMMAS] for r in RADII}
            side_by_side(axes, played, SMALL_GAMMAS, "γ", lines, LOOKS)
        else:
            lines = {f"γ = {gamma:g}": [grid[gamma, r] for r in RADII] for gamma in SMALL_GAMMAS}
            side_by_side(axes, played, RADII, RADIUS, lines, LOOKS)
        axes.set_title(f"{n_sweeps} sweeps", fontsize=10)
    rate_axis(panels[0])
    shared_legend(figure, panels[0])
    what, number = ("γ", 3) if against_gamma else ("radius", 2)
    return titled(
        figure,
        f"Small: win rate against {what}",
        f"The report's figure {number}. {games_of(played)}. The list of γ is ours. Points of one "
        "place stand side by side.",
    )


@mpl.rc_context(STYLE)
def sweeps_figure(played: Played, sweeps: pd.DataFrame, layout: Layout) -> Figure:
    """Draw win rate and mean residual against sweeps on one layout: figure 4 or 6."""
    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for gamma, look in zip(SWEEP_GAMMAS, LOOKS_OF_TWO, strict=True):
        agents = [after_sweeps(layout, gamma, SWEEP_RADIUS[layout], n) for n in SWEEPS]
        shift = 1 + SWEEPS_SPREAD * (1 if look == LOOKS_OF_TWO[1] else -1)
        line(left, played, [n * shift for n in SWEEPS], agents, f"γ = {gamma:g}", look)
        part = sweeps[(sweeps["layout"] == layout.name) & (sweeps["gamma"] == gamma)]
        colour, marker = look
        right.plot(part["n_sweeps"], part["residual"], f"{marker}-", color=colour, markersize=4.5,
                   linewidth=1.2)  # fmt: skip
        right.fill_between(
            part["n_sweeps"],
            part["residual_low95"],
            part["residual_high95"],
            color=colour,
            alpha=0.18,
            linewidth=0,
        )
    rate_axis(left)
    left.legend(loc="lower right", fontsize=9)
    left.set_title("Win rate", fontsize=10)
    right.set_yscale("log")
    right.set_ylabel("residual of the last sweep, mean over moves")
    right.set_title("Residual", fontsize=10)
    tolerance = TOLERANCES[layout]
    level(right, tolerance, f"the report's tolerance, {tolerance:g}", above=False)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator([1, 2, 3, 5, 7, 10, 14, 20, 30, 50]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.set_xlabel("sweeps a move")
    return titled(
        figure,
        f"{layout.name.capitalize()}: sweeps",
        f"The report's figure {4 if layout == SMALL else 6}. Radius {SWEEP_RADIUS[layout]}, "
        f"synchronous sweeps from zeros. {games_of(played)}; bands: 95% intervals of the mean "
        "over games, mostly narrower than the lines.",
    )


@mpl.rc_context(STYLE)
def medium_figure(played: Played) -> Figure:
    """Draw win rate on medium against γ and against the radius (figure 5)."""
    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    agents = [to_tolerance(MEDIUM, gamma, MEDIUM_RADIUS) for gamma in MEDIUM_GAMMAS]
    line(left, played, MEDIUM_GAMMAS, agents, f"r = {MEDIUM_RADIUS}", (BLACK, "D"))
    left.set_xlabel("γ")
    left.set_title(f"(a) Against γ, radius {MEDIUM_RADIUS}", fontsize=10)
    lines = {
        f"γ = {gamma:g}": [to_tolerance(MEDIUM, gamma, radius) for radius in RADII]
        for gamma in MEDIUM_RADIUS_GAMMAS
    }
    side_by_side(right, played, RADII, RADIUS, lines, LOOKS_OF_TWO)
    right.legend(loc="upper left", fontsize=9)
    right.set_title("(b) Against the radius", fontsize=10)
    rate_axis(left)
    return titled(
        figure,
        "Medium: win rate",
        f"The report's figure 5. Sweeps to its tolerance of {TOLERANCES[MEDIUM]:g}; Manhattan "
        f"distance. {games_of(played)}. The list of γ is ours.",
    )


@mpl.rc_context(STYLE)
def distance_figure(played: Played) -> Figure:
    """Draw win rate against the radius, by distance and layout."""
    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    names = {"Manhattan": Distance.MANHATTAN, "through the maze": Distance.MAZE}
    for axes, layout in zip(panels, (SMALL, MEDIUM), strict=True):
        lines = {
            name: [to_tolerance(layout, DISTANCE_GAMMA, r, distance) for r in DISTANCE_RADII]
            for name, distance in names.items()
        }
        side_by_side(axes, played, DISTANCE_RADII, RADIUS, lines, LOOKS_OF_TWO)
        axes.set_title(layout.name.capitalize(), fontsize=10)
    rate_axis(panels[0])
    shared_legend(figure, panels[0])
    return titled(
        figure,
        "Distance from a ghost: Manhattan or through the maze",
        f"γ = {DISTANCE_GAMMA:g}, sweeps to the report's tolerances. {games_of(played)}.",
    )


@mpl.rc_context(STYLE)
def strategies_figure(played: Played, strategies: pd.DataFrame) -> Figure:
    """Draw the strategies' win rates on both layouts, beside the report's (figure 7)."""
    figure = Figure(figsize=(11.6, 5.0), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (layout, part) in zip(panels, strategies.groupby("layout", sort=False), strict=True):
        at = np.arange(len(part))
        rate = part["win_rate"]
        axes.bar(at, rate, width=0.62, color=BLUE, alpha=0.75)
        axes.errorbar(
            at,
            rate,
            yerr=[rate - part["win_rate_low95"], part["win_rate_high95"] - rate],
            fmt="none",
            color=BLACK,
            elinewidth=1.2,
            capsize=4,
        )
        axes.plot(at + ASIDE, part["report_win_rate"], "D", color=RED, markersize=7,
                  markeredgecolor="white", clip_on=False, zorder=5)  # fmt: skip
        names = [
            f"{fill(name, NAME_WIDTH)}\n{share:.1%}"
            for name, share in zip(part["strategy"], rate, strict=True)
        ]
        axes.set_xticks(at, names, fontsize=8.5)
        axes.grid(visible=False, axis="x")
        axes.set_title(str(layout).capitalize(), fontsize=10)
    rate_axis(panels[0])
    sign = Line2D([], [], linestyle="none", marker="D", color=RED, label="the report's")
    figure.legend(handles=[sign], loc="outside upper right", fontsize=9)
    return titled(
        figure,
        "Strategies",
        f"The report's figure 7. {games_of(played)}. Ours were chosen on other seeds. Orange: "
        "averages in the report's text, in its own mazes.",
    )
