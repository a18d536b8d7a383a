"""The report's figures 1 to 7 from our games, and figures of what it leaves open.

Figures 2 to 7 are drawn from the tables. Figure 1 and the values after each sweep are read from the
agent's decision in the first state of a game.
"""

from collections.abc import Callable, Mapping, Sequence
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
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter, ScalarFormatter

from results.papers.pacman import design
from results.papers.pacman.claims import REPORTED_CERTAIN
from results.papers.pacman.design import MEDIUM, SMALL, after_sweeps
from results.papers.paper import BLACK, BLUE, GREY, MARKS, RED, STYLE, caption
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import Layout
from thetafront.engine.pacman.layout import GHOST

Look = tuple[str, str]  # a colour and a marker
MINUS = "\N{MINUS SIGN}"
LOOKS = ((BLUE, "o"), *MARKS[:4])
LOOKS_OF_TWO = ((BLUE, "o"), (RED, "s"))
LINES: dict[str, Callable[[Any], str]] = {
    "gamma": "γ = {:g}".format,
    "radius": "r = {:g}".format,
    "distance": lambda name: "through the maze" if name == "maze" else "Manhattan",
}
LOOKS_OF_MOVERS = ((GREY, "x"), *MARKS[1:4], (BLUE, "o"), (BLACK, "D"))
FIRST_GHOST, SECOND_GHOST = (9, 7), (11, 7)  # column and line of the drawing, from 0
FIGURE1_RADIUS = 3
SHOWN_SWEEPS = (1, 2, 3, 5, 10, 20, 40, 80)
LINEAR_TO = 10.0  # of a colour scale that is logarithmic beyond, in points


def new(width: float, height: float, title: str, text: str, **panels: Any) -> tuple[Figure, Any]:
    """Return a figure with panels, a title and a caption."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    caption(figure, f"{text} The mazes are ours.")
    return figure, figure.subplots(**panels)


def games_of(table: pd.DataFrame) -> str:
    """Say how many games a point has."""
    n = int(table["n_games"].min())
    return f"{n:,} games a point, the same seeds for all; bars: Wilson's 95% intervals"


def rate_axis(axes: Axes) -> None:
    """Make the y axis one of win rates."""
    axes.set(ylim=(0, 1), ylabel="win rate")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def errors(rows: pd.DataFrame, name: str = "win_rate") -> list[pd.Series]:
    """Return the lengths of error bars."""
    return [rows[name] - rows[f"{name}_low95"], rows[f"{name}_high95"] - rows[name]]


def rates(
    axes: Axes, at: Any, rows: pd.DataFrame, label: str, look: Look, name: str = "win_rate"
) -> None:
    """Draw win rates, say, with their intervals, as a line of a colour and a marker."""
    style: Any = {"linewidth": 1.2, "elinewidth": 0.9, "markersize": 4.5, "capsize": 2}
    colour, marker = look
    axes.errorbar(at, rows[name], yerr=errors(rows, name), fmt=f"{marker}-", color=colour,
                  label=label, **style)  # fmt: skip


def shared_legend(figure: Figure, axes: Axes) -> None:
    """Draw one legend for all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels), fontsize=9)


def line_figure(
    points: pd.DataFrame, title: str, text: str, panels: Sequence[tuple[str, str, str, str]]
) -> Figure:
    """Draw win rates in panels: a title, a condition on points, what x is, and what a line is."""
    text = f"{text} {games_of(points)}. Points of one place stand side by side."
    figure, drawn = new(3.8 + 2.6 * len(panels), 4.6, title, text, ncols=len(panels), sharey=True)
    for axes, (name, condition, x, by) in zip(drawn, panels, strict=True):
        found = points.query(condition).sort_values(x)
        places, parts = list(found[x].unique()), list(found.groupby(by))
        looks = LOOKS if len(parts) > 1 else [(BLACK, "D")]  # what is not in the legend is black
        for k, ((value, rows), look) in enumerate(zip(parts, looks, strict=False)):
            at = rows[x].map(places.index) + 0.12 * (k - (len(parts) - 1) / 2)
            rates(axes, at, rows, LINES[by](value), look)
        axes.set_xticks(range(len(places)), [f"{place:g}" for place in places])
        axes.grid(visible=False, axis="x")
        axes.set_xlabel("γ" if x == "gamma" else "radius of a ghost's zone, steps")
        axes.set_title(name, fontsize=10)
    rate_axis(drawn[0])
    shared_legend(figure, drawn[-1])
    return figure


def sweeps_figure(sweeps: pd.DataFrame, layout: Layout) -> Figure:
    """Draw win rate and mean residual against sweeps on one layout: figure 4 or 6."""
    text = (
        f"The report's figure {4 if layout == SMALL else 6}. Radius {design.SWEEP_RADIUS[layout]}, "
        f"synchronous sweeps from zeros. {games_of(sweeps)}; of residuals: 95% "
        "intervals of the mean over games, mostly smaller than the marks."
    )
    figure, (left, right) = new(10.4, 4.6, f"{layout.name.capitalize()}: sweeps", text, ncols=2)
    parts = sweeps[sweeps["layout"] == layout.name].groupby("gamma")
    for (gamma, rows), look, shift in zip(parts, LOOKS_OF_TWO, (0.98, 1.02), strict=True):
        rates(left, rows["n_sweeps"] * shift, rows, f"γ = {gamma:g}", look)
        rates(right, rows["n_sweeps"], rows, f"γ = {gamma:g}", look, "residual")
    rate_axis(left)
    left.legend(loc="lower right", fontsize=9)
    left.set_title("Win rate", fontsize=10)
    right.set(yscale="log", ylabel="residual of the last sweep, mean over moves")
    right.set_title("Residual", fontsize=10)
    tolerance = design.TOLERANCES[layout]
    right.axhline(tolerance, color=BLACK, linewidth=0.9, linestyle=":", zorder=0)
    right.annotate(f"the report's tolerance, {tolerance:g}", (0.01, tolerance), (0, -11),
                   ("axes fraction", "data"), "offset points", fontsize=8.5)  # fmt: skip
    for axes in (left, right):
        axes.set(xscale="log", xlabel="sweeps a move")
        axes.xaxis.set_major_locator(FixedLocator([1, 2, 3, 5, 7, 10, 14, 20, 30, 50]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(ScalarFormatter())
    return figure


def strategies_figure(strategies: pd.DataFrame) -> Figure:
    """Draw the strategies' win rates on both layouts, beside the report's (figure 7)."""
    text = (
        f"The report's figure 7. {games_of(strategies)}. Ours were chosen on other seeds. Orange: "
        "averages in the report's text, in its own mazes."
    )
    figure, panels = new(11.6, 5.0, "Strategies", text, ncols=2, sharey=True)
    for axes, (layout, rows) in zip(panels, strategies.groupby("layout", sort=False), strict=True):
        at = np.arange(len(rows))
        axes.bar(at, rows["win_rate"], width=0.62, color=BLUE, alpha=0.75)
        axes.errorbar(at, rows["win_rate"], yerr=errors(rows), fmt="none", color=BLACK,
                      elinewidth=1.2, capsize=4)  # fmt: skip
        axes.plot(at + 0.18, rows["report_win_rate"], "D", color=RED, markersize=7,
                  markeredgecolor="white", clip_on=False, zorder=5)  # fmt: skip
        named = zip(rows["strategy"], rows["win_rate"], strict=True)
        axes.set_xticks(at, [f"{fill(name, 9)}\n{rate:.1%}" for name, rate in named], fontsize=8.5)
        axes.grid(visible=False, axis="x")
        axes.set_title(str(layout).capitalize(), fontsize=10)
    rate_axis(panels[0])
    sign = Line2D([], [], linestyle="none", marker="D", color=RED, label="the report's")
    figure.legend(handles=[sign], loc="outside upper right", fontsize=9)
    return figure


def motion_figure(motion: pd.DataFrame) -> Figure:
    """Draw win rates on medium against p, and of A* against its danger."""
    text = f"{games_of(motion)}. The report has p = 0.8. Points of one p stand side by side."
    title = "Motion: from noisy to certain"
    figure, (left, right) = new(11.4, 4.8, title, text, ncols=2, sharey=True)
    medium = motion[motion["layout"] == MEDIUM.name]
    for k, (name, look) in enumerate(zip(design.MOVERS, LOOKS_OF_MOVERS, strict=True)):
        rows = medium[medium["strategy"] == name].drop_duplicates("p_chosen")
        rates(left, rows["p_chosen"] + 0.006 * (k - 2.5), rows, name, look)
    left.set(xlabel="probability p that Pacman moves as chosen", xticks=design.CHANCES[MEDIUM])
    left.set_title("Strategies of figure 7 on medium", fontsize=10)
    rate_axis(left)
    left.set_ylim(-0.03, 1.02)  # random play never wins
    left.legend(loc="upper left", fontsize=8.5)
    for p, look in zip((0.8, 1.0), LOOKS_OF_TWO, strict=True):
        rows = medium[(medium["p_chosen"] == p) & medium["danger"].notna()]
        rows = rows.drop_duplicates("danger").sort_values("danger")
        rates(right, rows["danger"], rows, f"p = {p:g}", look)
    right.axhline(REPORTED_CERTAIN, color=BLACK, linewidth=0.9, linestyle=":", zorder=0)
    # The curve at p = 1 crosses the line before a danger of 2.
    right.text(2.2, REPORTED_CERTAIN - 0.05, "the report without noise, 87%", fontsize=8.5)
    right.set(xlabel="danger of A*, steps", xticks=design.DANGERS)
    right.set_title("A* on medium by danger", fontsize=10)
    right.legend(loc="lower right", fontsize=9)
    return figure


def changes_figure(changes: pd.DataFrame) -> Figure:
    """Draw differences of win rates by routes and by the smaller map."""
    text = (
        f"{int(changes['n_games'].min()):,} games a point, paired by seed; bars: 95% intervals, "
        "those of one question in one maze judged together."
    )
    title = "A rewarded route to food, and a smaller map"
    figure, panels = new(11.4, 4.6, title, text, ncols=2, sharex=True, sharey=True)
    looks = zip((2.0, 10.0, 0.0), (*MARKS[:2], (BLUE, "D")), (-0.22, 0, 0.22), strict=True)
    for reward, (colour, marker), aside in looks:
        label = f"route + {reward:g}" if reward else "smaller map"
        for axes, layout in zip(panels, (SMALL, MEDIUM), strict=True):
            rows = changes.query("layout == @layout.name and route_reward == @reward")
            ends = [100 * each for each in errors(rows, "difference")]
            at = np.arange(len(rows)) + aside
            axes.errorbar(100 * rows["difference"], at, xerr=ends, fmt=marker, color=colour,
                          capsize=3, markersize=5, label=label)  # fmt: skip
            axes.set_title(layout.name.capitalize(), fontsize=10)
    for axes in panels:
        axes.axvline(0, color=BLACK, linewidth=0.9, linestyle=":")
        axes.set_yticks(range(len(design.PLANNERS)), design.PLANNERS)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("change of the win rate, percentage points")
    panels[0].invert_yaxis()
    shared_legend(figure, panels[0])
    return figure


def with_ghosts(layout: Layout, *cells: tuple[int, int]) -> Layout:
    """Return a maze with ghosts in these cells (column and line of the drawing) only."""
    rows = [list(row.replace(GHOST, " ")) for row in layout.rows]
    for column, line in cells:
        rows[line][column] = GHOST
    return Layout(layout.name, tuple("".join(row) for row in rows))


def draw(axes: Axes, layout: Layout, values: npt.NDArray[np.float64], largest: float) -> AxesImage:
    """Draw a quantity of each cell, shape (width, height), with the walls."""
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
    text = (
        "The report's figure 1, drawn from the agent's own rewards. Blue: food, +10. Steps are "
        "counted by Manhattan distance, through walls; a zone overwrites the reward of food."
    )
    title = "Rewards of the cells of medium, zones with a radius of 3 steps"
    figure, panels = new(11.4, 4.4, title, text, ncols=2)
    names = ("(a) One ghost", "(b) Two ghosts close by: their zones add up")
    for axes, name, n_ghosts in zip(panels, names, (1, 2), strict=True):
        layout = with_ghosts(MEDIUM, *(FIRST_GHOST, SECOND_GHOST)[:n_ghosts])
        agent = PacmanMDP(layout=layout, radius=FIGURE1_RADIUS, max_sweeps=1)
        rewards = agent.act(agent.start(0)).rewards
        draw(axes, layout, rewards, 1000)
        for x, y in np.argwhere(~np.isnan(rewards)):
            if (x, y) not in layout.ghosts:
                shown = f"{rewards[x, y]:g}".replace("-", MINUS)
                colour = "white" if rewards[x, y] <= -100 else BLACK
                axes.text(x, y, shown, ha="center", va="center", fontsize=5, color=colour)
        at = " and ".join(f"{rewards[cell]:g}" for cell in layout.ghosts).replace("-", MINUS)
        axes.set_title(f"{name}; at G {at}", fontsize=10)
    return figure


def values_figure() -> Figure:
    """Draw U after each of several sweeps, at the start of a game on medium."""
    text = (
        "γ = 0.9, radius 3, synchronous sweeps from zeros, all with one scale, which is linear to "
        "±10. G: ghosts; P: Pacman; food is in nearly every cell. A sweep carries values one cell "
        "further."
    )
    title = "Values after each sweep, at the start of a game on medium"
    figure, panels = new(11.4, 5.0, title, text, nrows=2, ncols=4)
    agents = [after_sweeps(MEDIUM, 0.9, 3, n_sweeps) for n_sweeps in SHOWN_SWEEPS]
    values = [agent.act(agent.start(0)) for agent in agents]
    largest = max(float(np.nanmax(np.abs(each.utilities))) for each in values)
    for axes, n_sweeps, decision in zip(panels.flat, SHOWN_SWEEPS, values, strict=True):
        image = draw(axes, MEDIUM, decision.utilities, largest)
        axes.text(*MEDIUM.pacman, "P", ha="center", va="center", fontsize=7, weight="bold")
        sweeps = "sweep" if n_sweeps == 1 else "sweeps"
        axes.set_title(f"{n_sweeps} {sweeps}, residual {decision.residual:.3g}", fontsize=9)
    bar = figure.colorbar(image, ax=panels, shrink=0.8, label="U, points")
    bar.ax.tick_params(labelsize=8)
    return figure


@mpl.rc_context(STYLE)
def all_figures(tables: Mapping[str, pd.DataFrame]) -> dict[str, Figure]:
    """Draw all figures."""
    points, sweeps = tables["points"], tables["sweeps"]
    drawn = {
        "figure1": rewards_figure(),
        "figure4": sweeps_figure(sweeps, SMALL),
        "figure6": sweeps_figure(sweeps, MEDIUM),
        "figure7": strategies_figure(tables["strategies"]),
        "values": values_figure(),
        "motion": motion_figure(tables["motion"]),
        "changes": changes_figure(tables["changes"]),
    }
    small = {f"{n} sweeps": f"layout == 'small' and max_sweeps == {n}" for n in (5, 10, 15)}
    for name, x, by in (("figure2", "radius", "gamma"), ("figure3", "gamma", "radius")):
        title = f"Small: win rate against {'γ' if x == 'gamma' else x}"
        text = f"The report's figure {name[-1]}. The list of γ is ours."
        drawn[name] = line_figure(points, title, text, [(*each, x, by) for each in small.items()])
    medium = "layout == 'medium' and tolerance == 0.2 and distance == 'manhattan' and "
    text = "The report's figure 5. Sweeps to its tolerance; Manhattan distance. The γ are ours."
    panels = [
        ("(a) Against γ, radius 2", medium + "radius == 2", "gamma", "radius"),
        ("(b) Against the radius", medium + "gamma in (0.8, 0.9)", "radius", "gamma"),
    ]
    drawn["figure5"] = line_figure(points, "Medium: win rate", text, panels)
    zones = "layout == '{}' and tolerance > 0 and radius > 0 and gamma == 0.9".format
    panels = [(n.capitalize(), zones(n), "radius", "distance") for n in ("small", "medium")]
    title = "Distance from a ghost: Manhattan or through the maze"
    text = "γ = 0.9, sweeps to the report's tolerances."
    drawn["distance"] = line_figure(points, title, text, panels)
    return drawn
