"""Style of figures: colours, axes, captions, files.

Colours are Okabe and Ito's, which colour-blind readers can tell apart.
"""

from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from thetafront.study.experiments.objectives import Cost, Goal
from thetafront.study.experiments.objectives.formats import significant
from thetafront.study.log.atomic import atomic_write

BLUE, BLACK, RED, GREY = "#0072B2", "#000000", "#D55E00", "#8C8C8C"
GREEN = "#009E73"
# Of a categorical parameter's choices; they differ from the model's blue and the baselines' black.
CHOICE_MARKS = (
    ("#D55E00", "o"),
    ("#009E73", "s"),
    ("#CC79A7", "^"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
    ("#8C8C8C", "X"),
    ("#882255", "<"),
    ("#44AA99", ">"),
)
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "legend.frameon": False,
}
WIDE_AXIS = 300.0  # ratio of its ends from which labels at 1, 2, 3, 5 and 7 would overlap
CHARACTERS_AN_INCH = 15.5  # of a caption
NARROW_AXIS = 2.0
ROOM_AT_ENDS = 0.03  # of the range, beyond each end


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """Return an empty figure in the house style."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def caption(figure: Figure, text: str) -> None:
    """Write a caption below a figure, in lines that fit."""
    width = int(figure.get_figwidth() * CHARACTERS_AN_INCH)
    text = "\n".join(fill(paragraph, width) for paragraph in text.split("\n"))
    figure.supxlabel(text, fontsize=8, color="#555555", x=0.01, ha="left")


@mpl.rc_context(STYLE)
def save(figure: Figure, path: Path) -> None:
    """Write a PNG atomically."""
    with atomic_write(path) as draft:
        figure.savefig(draft, dpi=160, format="png")


def cost_axis(axes: Axes, cost: Cost) -> None:
    """Make the x axis logarithmic, with the cost's label and readable units."""
    axes.set_xscale("log")
    axes.set_xlabel(cost.axis_label)
    low, high = axes.get_xlim()
    is_short = cost.is_timed or cost.is_whole  # other numbers may be long
    crowding = int(high >= WIDE_AXIS * low) + int(not is_short)
    subs = ((1, 2, 3, 5, 7), (1, 2, 5), (1,))[crowding]
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=subs, numticks=20))
    if high < NARROW_AXIS * low:  # which may have none of these
        axes.xaxis.set_major_locator(MaxNLocator(6))
    prefixed, plain = EngFormatter(unit=cost.unit), FuncFormatter(lambda x, _: significant(x))
    axes.xaxis.set_major_formatter(prefixed if is_short else plain)
    axes.xaxis.set_minor_formatter(NullFormatter())


def level(axes: Axes, value: float, text: str, *, above: bool) -> None:
    """Draw a dotted horizontal line with a text at its left end, above or below it."""
    axes.axhline(value, color=BLACK, linewidth=0.9, linestyle=":", zorder=0)
    axes.annotate(
        text,
        (0.01, value),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3 if above else -11),
        textcoords="offset points",
        fontsize=8.5,
    )


def points_axis(axes: Axes) -> None:
    """Write the values of the y axis with thousands separators."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def goal_axis(axes: Axes, goal: Goal, label: str) -> None:
    """Format the y axis for values of a goal, a share's over its whole range."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: goal.format.at_axis(value)))
    axes.set_ylabel(label if goal.sign > 0 else f"{label} (less is better)")
    if goal.is_share:  # points at an end of the range are shown whole
        axes.set_ylim(-ROOM_AT_ENDS, 1.0 + ROOM_AT_ENDS)
    else:
        axes.set_ylim(bottom=goal.limits[0])
