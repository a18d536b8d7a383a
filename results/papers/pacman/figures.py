"""The report's figures 1 to 7 from our games, and figures for the questions that it leaves open.

Figures 2 to 7 are drawn from the tables. Figure 1 and the figure of values after each sweep show
the rewards and values with which the agent decides in the first state of a game.
"""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator, PercentFormatter

from results.papers import paper
from results.papers.pacman import design
from results.papers.pacman.claims import REPORTED_CERTAIN
from results.papers.pacman.design import MEDIUM, SMALL, after_sweeps
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import Layout
from thetafront.engine.pacman.layout import GHOST

Look = tuple[str, str]  # a colour and a marker
LINES = {"gamma": "γ = {:g}", "radius": "r = {:g}", "distance": "{} distance"}
LABELS = {"gamma": "γ", "radius": "radius of a ghost's zone, steps"}
LOOKS_OF_MOVERS = ((paper.GREY, "x"), *paper.MARKS[2:5], paper.MARKS[0], (paper.BLACK, "P"))
GHOSTS = ((9, 7), (11, 7))  # in figure 1: column and line of the maze's drawing, from 0
FIGURE1_RADIUS = 3
SWEEP_TICKS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 50)
SHOWN_SWEEPS = (1, 2, 3, 5, 10, 20, 40, 80)
LINEAR_TO = 10.0  # points up to which a colour scale is linear; beyond them, it is logarithmic
DOTTED: dict[str, Any] = {"color": paper.BLACK, "linewidth": 0.9, "linestyle": ":", "zorder": 0}


def rate_axis(axes: Axes) -> None:
    """Set up the y axis for win rates."""
    axes.set(ylim=(0, 1), ylabel="win rate")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def rates(
    axes: Axes, at: Any, rows: pd.DataFrame, label: str, look: Look, name: str = "win_rate"
) -> None:
    """Draw values such as win rates, with their intervals, as a line with a colour and a marker."""
    style: dict[str, Any] = {"color": look[0], "fmt": f"{look[1]}-", "label": label}
    style |= {"linewidth": 1.2, "elinewidth": 0.9, "markersize": 4.5, "capsize": 2}
    axes.errorbar(at, rows[name], yerr=paper.errors(rows, name), **style)


def line_figure(points: pd.DataFrame, panels: Sequence[tuple[str, str, str, str]]) -> Figure:
    """Draw win rates as lines, in panels.

    A panel has a title, a condition that selects points, the column on the x axis, and the column
    that has one line for each of its values.
    """
    figure, drawn = paper.new_figure(3.8 + 2.6 * len(panels), 4.6, ncols=len(panels), sharey=True)
    for axes, (name, condition, x, by) in zip(drawn, panels, strict=True):
        found = points.query(condition).sort_values(x)
        places, parts = list(found[x].unique()), found.groupby(by)
        alone = [(paper.BLACK, "D")]  # the only line of a panel is black
        looks = paper.MARKS if len(parts) > 1 else alone
        for k, ((value, rows), look) in enumerate(zip(parts, looks, strict=False)):
            at = rows[x].map(places.index) + 0.12 * (k - (len(parts) - 1) / 2)
            rates(axes, at, rows, LINES[by].format(value), look)
        paper.places_axis(axes, [f"{place:g}" for place in places])
        axes.set(title=name, xlabel=LABELS[x])
    rate_axis(drawn[0])
    paper.shared_legend(figure, drawn[-1])
    return figure


def sweeps_figure(sweeps: pd.DataFrame, layout: Layout) -> Figure:
    """Draw win rate and mean residual against sweeps on one layout: figure 4 or 6."""
    figure, (left, right) = paper.new_figure(10.4, 4.6, ncols=2)
    parts = sweeps[sweeps["layout"] == layout.name].groupby("gamma")
    for (gamma, rows), look, shift in zip(parts, paper.MARKS[:2], (0.98, 1.02), strict=True):
        rates(left, rows["n_sweeps"] * shift, rows, f"γ = {gamma:g}", look)
        rates(right, rows["n_sweeps"], rows, f"γ = {gamma:g}", look, "residual")
    for axes in (left, right):
        axes.set(xscale="log", xlabel="sweeps per move")
        axes.set_xticks(SWEEP_TICKS, [str(n) for n in SWEEP_TICKS])
        axes.xaxis.set_minor_locator(NullLocator())
    rate_axis(left)
    left.set_title("Win rate")
    left.legend(loc="lower right")
    right.set(title="Residual", yscale="log", ylabel="residual of the final sweep, mean over moves")
    tolerance = design.TOLERANCES[layout]
    right.axhline(tolerance, **DOTTED)
    where: Any = ((0.01, tolerance), (0, -11), ("axes fraction", "data"), "offset points")
    right.annotate(f"the report's tolerance, {tolerance:g}", *where, fontsize=8.5)
    return figure


def strategies_figure(strategies: pd.DataFrame) -> Figure:
    """Draw the strategies' win rates on both layouts, and the report's averages (figure 7)."""
    figure, panels = paper.new_figure(11.6, 5.0, ncols=2, sharey=True)
    sign: dict[str, Any] = {"marker": "D", "color": paper.RED, "linestyle": "none"}
    for axes, (layout, rows) in zip(panels, strategies.groupby("layout", sort=False), strict=True):
        at = np.arange(len(rows))
        bars: dict[str, Any] = {"color": paper.BLUE, "alpha": 0.75}
        bars |= {"ecolor": paper.BLACK, "capsize": 4}
        axes.bar(at, rows["win_rate"], width=0.62, yerr=paper.errors(rows, "win_rate"), **bars)
        white = {"markersize": 7, "markeredgecolor": "white", "clip_on": False, "zorder": 5}
        axes.plot(at + 0.18, rows["report_win_rate"], **sign, **white)
        named = zip(rows["strategy"], rows["win_rate"], strict=True)
        labels = [f"{fill(name, 9)}\n{rate:.1%}" for name, rate in named]
        paper.places_axis(axes, labels, fontsize=8.5)
        axes.set_title(str(layout).capitalize())
    rate_axis(panels[0])
    handles = [Line2D([], [], **sign, label="the report's")]
    figure.legend(handles=handles, loc="outside upper right")
    return figure


def motion_figure(motion: pd.DataFrame) -> Figure:
    """Draw win rates on medium against p, and win rates of A* against its danger."""
    figure, (left, right) = paper.new_figure(11.4, 4.8, ncols=2, sharey=True)
    medium = motion[motion["layout"] == MEDIUM.name]
    for k, (name, look) in enumerate(zip(design.MOVERS, LOOKS_OF_MOVERS, strict=True)):
        rows = medium[medium["strategy"] == name].drop_duplicates("p_chosen")
        rates(left, rows["p_chosen"] + 0.006 * (k - 2.5), rows, name, look)
    rate_axis(left)
    left.set(xlabel="probability p that Pacman moves as chosen", xticks=design.CHANCES[MEDIUM])
    left.set(title="Strategies of figure 7 on medium", ylim=(-0.03, 1.02))  # random wins 0%
    left.legend(loc="upper left")
    for p, look in zip((0.8, 1.0), paper.MARKS[:2], strict=True):
        rows = medium[(medium["p_chosen"] == p) & medium["danger"].notna()]
        rows = rows.drop_duplicates("danger").sort_values("danger")
        rates(right, rows["danger"], rows, f"p = {p:g}", look)
    right.axhline(REPORTED_CERTAIN, **DOTTED)
    # The curve at p = 1 crosses the line before a danger of 2.
    right.text(2.2, REPORTED_CERTAIN - 0.05, "the report without noise, 87%", fontsize=8.5)
    right.set(title="A* on medium by danger", xlabel="A* danger, steps", xticks=design.DANGERS)
    right.legend(loc="lower right")
    return figure


def changes_figure(changes: pd.DataFrame) -> Figure:
    """Draw how rewarded routes and the smaller map change win rates."""
    figure, panels = paper.new_figure(11.4, 4.6, ncols=2, sharex=True, sharey=True)
    kinds = (("route + 2", 2.0, -0.22), ("route + 10", 10.0, 0.0), ("smaller map", 0.0, 0.22))
    for axes, layout in zip(panels, ("small", "medium"), strict=True):
        for (label, route, aside), (colour, marker) in zip(kinds, paper.MARKS[1:4], strict=True):
            rows = changes[(changes["layout"] == layout) & (changes["route_reward"] == route)]
            ends = [100 * each for each in paper.errors(rows, "difference")]
            style: dict[str, Any] = {"fmt": marker, "color": colour, "capsize": 3, "markersize": 5}
            at = np.arange(len(rows)) + aside
            axes.errorbar(100 * rows["difference"], at, xerr=ends, label=label, **style)
        axes.axvline(0, **DOTTED)
        axes.set_yticks(range(len(design.PLANNERS)), design.PLANNERS)
        axes.grid(visible=False, axis="y")
        axes.set(title=layout.capitalize(), xlabel="change in win rate, percentage points")
    panels[0].invert_yaxis()
    paper.shared_legend(figure, panels[0])
    return figure


def with_ghosts(layout: Layout, *cells: tuple[int, int]) -> Layout:
    """Return a maze with ghosts only in some cells, given as (column, line) of its drawing."""
    rows = [list(row.replace(GHOST, " ")) for row in layout.rows]
    for column, line in cells:
        rows[line][column] = GHOST
    return Layout(layout.name, tuple("".join(row) for row in rows))


def draw(axes: Axes, layout: Layout, values: npt.NDArray[np.float64], largest: float) -> AxesImage:
    """Draw the walls, and a value for each other cell; ``values`` have shape (width, height)."""
    colours = mpl.colormaps["RdBu"].with_extremes(bad="#D0D4DA")  # walls
    norm = SymLogNorm(LINEAR_TO, vmin=-largest, vmax=largest)
    image = axes.imshow(values.T, origin="lower", cmap=colours, norm=norm)
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    for x, y in layout.ghosts:
        axes.text(x, y, "G", ha="center", va="center", fontsize=7, weight="bold", color="white")
    return image


def rewards_figure() -> Figure:
    """Draw R around one ghost and around two: the report's figure 1."""
    figure, panels = paper.new_figure(11.4, 4.4, ncols=2)
    names = ("(a) One ghost", "(b) Two ghosts close by: their zones add up")
    for axes, name, ghosts in zip(panels, names, (GHOSTS[:1], GHOSTS), strict=True):
        layout = with_ghosts(MEDIUM, *ghosts)
        agent = PacmanMDP(layout=layout, radius=FIGURE1_RADIUS, max_sweeps=1)
        rewards = agent.act(agent.start(0)).rewards
        draw(axes, layout, rewards, 1000)
        for x, y in np.argwhere(~np.isnan(rewards)):
            if (x, y) not in layout.ghosts:
                shown = f"{rewards[x, y]:g}".replace("-", paper.MINUS)
                colour = "white" if rewards[x, y] <= -100 else paper.BLACK
                axes.text(x, y, shown, ha="center", va="center", fontsize=5, color=colour)
        at = " and ".join(f"{rewards[cell]:g}" for cell in layout.ghosts).replace("-", paper.MINUS)
        axes.set_title(f"{name}; at G {at}")
    return figure


def values_figure() -> Figure:
    """Draw U after each of several sweeps, at the start of a game on medium."""
    figure, panels = paper.new_figure(11.4, 5.0, nrows=2, ncols=4)
    agents = [after_sweeps(MEDIUM, 0.9, 3, n_sweeps) for n_sweeps in SHOWN_SWEEPS]
    values = [agent.act(agent.start(0)) for agent in agents]
    largest = max(float(np.nanmax(np.abs(each.utilities))) for each in values)
    for axes, n_sweeps, decision in zip(panels.flat, SHOWN_SWEEPS, values, strict=True):
        image = draw(axes, MEDIUM, decision.utilities, largest)
        axes.text(*MEDIUM.pacman, "P", ha="center", va="center", fontsize=7, weight="bold")
        axes.set_title(f"sweeps: {n_sweeps}, residual {decision.residual:.3g}", fontsize=9)
    bar = figure.colorbar(image, ax=panels, shrink=0.8, label="U, points")
    bar.ax.tick_params(labelsize=8)
    return figure


def all_figures(tables: Mapping[str, pd.DataFrame]) -> dict[str, Figure]:
    """Draw all figures."""
    points, sweeps = tables["points"], tables["sweeps"]
    small = {f"{n} sweeps": f"layout == 'small' and max_sweeps == {n}" for n in (5, 10, 15)}
    by_radius = [(*each, "radius", "gamma") for each in small.items()]
    by_gamma = [(*each, "gamma", "radius") for each in small.items()]
    medium = "layout == 'medium' and tolerance == 0.2 and distance == 'manhattan' and "
    both = [
        ("(a) Against γ, radius 2", medium + "radius == 2", "gamma", "radius"),
        ("(b) Against the radius", medium + "gamma in (0.8, 0.9)", "radius", "gamma"),
    ]
    zone = "layout == '{}' and tolerance > 0 and radius > 0 and gamma == 0.9".format
    zones = [(n.capitalize(), zone(n), "radius", "distance") for n in ("small", "medium")]
    lines = {"figure2": by_radius, "figure3": by_gamma, "figure5": both, "distance": zones}
    return {name: line_figure(points, panels) for name, panels in lines.items()} | {
        "figure1": rewards_figure(),
        "figure4": sweeps_figure(sweeps, SMALL),
        "figure6": sweeps_figure(sweeps, MEDIUM),
        "figure7": strategies_figure(tables["strategies"]),
        "values": values_figure(),
        "motion": motion_figure(tables["motion"]),
        "changes": changes_figure(tables["changes"]),
    }
