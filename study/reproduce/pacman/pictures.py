"""What the report's agent sees: rewards around ghosts (figure 1), and U after each sweep.

All numbers are the agent's own, read from its decision in the first state of a game.
"""

from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import Layout
from thetafront.engine.pacman.layout import GHOST
from thetafront.study.report.style import BLACK, STYLE
from thetafront.study.reproduce.pacman.design import MEDIUM
from thetafront.study.reproduce.pacman.figures import titled

RADIUS = 3  # of the report's figure 1
FIRST_GHOST, SECOND_GHOST = (9, 7), (11, 7)  # column and line of the drawing, from 0

VALUES_GAMMA, VALUES_RADIUS = 0.9, 3
SHOWN_SWEEPS = (1, 2, 3, 5, 10, 20, 40, 80)
WALL_COLOUR = "#D0D4DA"
LINEAR_TO = 10.0  # of a colour scale that is logarithmic beyond, in points
COLOURS = "RdBu"


def with_ghosts(layout: Layout, *cells: tuple[int, int]) -> Layout:
    """Return a maze with ghosts in these cells (column and line of the drawing) only."""
    rows = [list(row.replace(GHOST, " ")) for row in layout.rows]
    for column, line in cells:
        rows[line][column] = GHOST
    return Layout(layout.name, tuple("".join(row) for row in rows))


def draw(axes: Axes, layout: Layout, values: npt.NDArray[np.float64], norm: Any) -> AxesImage:
    """Draw a quantity of each cell, shape (width, height), with the walls."""
    colours = mpl.colormaps[COLOURS].with_extremes(bad=WALL_COLOUR)
    image = axes.imshow(values.T, origin="lower", cmap=colours, norm=norm)
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    for x, y in layout.ghosts:
        axes.text(x, y, "G", ha="center", va="center", fontsize=7, weight="bold", color="white")
    return image


@mpl.rc_context(STYLE)
def rewards_figure() -> Figure:
    """Draw R around one ghost and around two: the report's figure 1."""
    figure = Figure(figsize=(11.4, 4.4), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, cells, name in zip(
        panels,
        ((FIRST_GHOST,), (FIRST_GHOST, SECOND_GHOST)),
        ("(a) One ghost", "(b) Two ghosts close by: their zones add up"),
        strict=True,
    ):
        layout = with_ghosts(MEDIUM, *cells)
        agent = PacmanMDP(layout=layout, radius=RADIUS, max_sweeps=1)
        rewards = agent.act(agent.start(0)).rewards
        norm = SymLogNorm(LINEAR_TO, vmin=-1000, vmax=1000)
        draw(axes, layout, rewards, norm)
        for x, y in np.argwhere(~np.isnan(rewards)):
            value = rewards[x, y]
            if (x, y) not in layout.ghosts:
                colour = "white" if value <= -100 else BLACK
                axes.text(x, y, f"{value:g}".replace("-", "\N{MINUS SIGN}"), ha="center",
                          va="center", fontsize=5, color=colour)  # fmt: skip
        at = [f"{rewards[cell]:g}".replace("-", "\N{MINUS SIGN}") for cell in layout.ghosts]
        axes.set_title(f"{name}; at G {' and '.join(at)}", fontsize=10)
    return titled(
        figure,
        f"Rewards of the cells of medium, zones with a radius of {RADIUS} steps",
        "The report's figure 1, drawn from the agent's own rewards. Blue: food, +10. Steps are "
        "counted by Manhattan distance, through walls; a zone overwrites the reward of food.",
    )


@mpl.rc_context(STYLE)
def values_figure() -> Figure:
    """Draw U after each of several sweeps, at the start of a game on medium."""
    figure = Figure(figsize=(11.4, 5.0), layout="constrained")
    panels = figure.subplots(2, len(SHOWN_SWEEPS) // 2)
    values = []
    for n_sweeps in SHOWN_SWEEPS:
        agent = PacmanMDP(VALUES_GAMMA, VALUES_RADIUS, 0.0, n_sweeps, layout=MEDIUM)
        values.append(agent.act(agent.start(0)))
    largest = max(float(np.nanmax(np.abs(each.utilities))) for each in values)
    norm = SymLogNorm(LINEAR_TO, vmin=-largest, vmax=largest)
    for axes, n_sweeps, decision in zip(panels.flat, SHOWN_SWEEPS, values, strict=True):
        image = draw(axes, MEDIUM, decision.utilities, norm)
        x, y = MEDIUM.pacman
        axes.text(x, y, "P", ha="center", va="center", fontsize=7, weight="bold")
        sweeps = "sweep" if n_sweeps == 1 else "sweeps"
        axes.set_title(f"{n_sweeps} {sweeps}, residual {decision.residual:.3g}", fontsize=9)
    bar = figure.colorbar(image, ax=panels, shrink=0.8, label="U, points")
    bar.ax.tick_params(labelsize=8)
    return titled(
        figure,
        "Values after each sweep, at the start of a game on medium",
        f"γ = {VALUES_GAMMA:g}, radius {VALUES_RADIUS}, synchronous sweeps from zeros, all with "
        f"one scale, which is linear to ±{LINEAR_TO:g}. G: ghosts; P: Pacman; food is in nearly "
        "every cell. A sweep carries values one cell further.",
    )
