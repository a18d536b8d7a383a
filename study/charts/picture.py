"""Charts drawn by Matplotlib for files, with the same marks and texts as on a page."""

import math
from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from thetafront.study.charts.chart import LINE, Axis, Chart, Kind, Layer, Row
from thetafront.study.errors import InputError
from thetafront.study.log.atomic import atomic_write

STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.parse_math": False,  # a user's unit may be $
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
CHARACTERS_AN_INCH = 15.5  # of a caption
# Inches: the width of a picture, and its height without panels.
WIDTH, AROUND, PIXELS_PER_INCH = 10.8, 1.5, 96.0
PIXEL = 0.75  # in typographic points
MARKERS = {"square": "s", "diamond": "D", "triangle-up": "^", "triangle-down": "v"}
SOFTWARE, N_HEADER = "thetafront", 256  # the PNG's first bytes have the name of the software


@mpl.rc_context(STYLE)
def picture(chart: Chart) -> Figure:
    """Draw a chart that has panels as a figure, with the chart's title and caption."""
    heights = [row[0].height for row in chart.panels]
    size = (WIDTH, sum(heights) / PIXELS_PER_INCH + AROUND)
    figure = Figure(figsize=size, layout="constrained")
    shape = (len(heights), len(chart.panels[0]))
    panes = figure.subplots(*shape, squeeze=False, height_ratios=heights)
    for pane, panel in zip(panes.flat, chart.every_panel, strict=True):
        for order, layer in enumerate(panel.layers):
            is_shown = [
                chart.choice is None or row["s"] == chart.choice.start for row in layer.rows
            ]
            draw(pane, layer, [*compress(layer.rows, is_shown)], order)
        finish(pane, panel.x, panel.y)
    figure.suptitle(chart.heading, x=0.01, ha="left", fontsize=12)
    figure.legend(
        handles=[symbol(each) for each in chart.kinds], loc="outside right center", fontsize=8.5
    )
    width = int(WIDTH * CHARACTERS_AN_INCH)
    caption = "\n".join(fill(paragraph, width) for paragraph in chart.caption.split("\n"))
    figure.supxlabel(caption, fontsize=8, color="#555555", x=0.01, ha="left")
    return figure


def draw(axes: Axes, layer: Layer, rows: Sequence[Row], order: int) -> None:
    """Draw the marks of a layer."""

    def at(where: str | float | None, otherwise: Sequence[float] = ()) -> list[float]:
        if isinstance(where, str):
            return [row.get(where, math.nan) for row in rows]
        return [*otherwise] if where is None else [where] * len(rows)

    x, y = at(layer.x), at(layer.y)
    x2, y2 = at(layer.x2, x), at(layer.y2, y)
    colour, width, dashes = layer.kind.colour, layer.size * PIXEL, line_dashes(layer.kind)
    style: dict[str, Any] = {"color": colour, "alpha": layer.opacity, "zorder": 2 + order / 100}
    if layer.mark == "area":
        axes.fill_between(x, y, y2, linewidth=0, **style)
    elif layer.mark in ("line", "step"):
        how = "steps-post" if layer.mark == "step" else "default"
        axes.plot(x, y, linewidth=width, linestyle=dashes, drawstyle=how, **style)
    elif layer.mark == "point":
        size = math.sqrt(layer.size) * PIXEL
        axes.plot(x, y, linestyle="none", markersize=size, **point_marker(layer.kind), **style)
    elif layer.mark == "rule":
        ends = [*zip(zip(x, y, strict=True), zip(x2, y2, strict=True), strict=True)]
        axes.add_collection(LineCollection(ends, linewidths=width, linestyles=[dashes], **style))
    elif layer.mark == "rect":
        corners = [
            ((a, b), (c, b), (c, d), (a, d)) for a, b, c, d in zip(x, y, x2, y2, strict=True)
        ]
        axes.add_collection(PolyCollection(corners, linewidths=0, **style))
    else:
        centred: dict[str, Any] = {"ha": "center", "va": "center", "fontweight": "bold"}
        centred["path_effects"] = [withStroke(linewidth=2.5, foreground="white")]
        for row, a, b in zip(rows, x, y, strict=True):
            offset = (row["dx"], row["dy"])
            axes.annotate(
                row["label"], (a, b), offset, textcoords="offset points", fontsize=8, **centred
            )


def line_dashes(kind: Kind) -> Any:
    """Return the dashes of a kind's lines."""
    return "solid" if kind.dash[1] == 0 else (0, kind.dash)


def finish(axes: Axes, x: Axis, y: Axis) -> None:
    """Give axes their ends, scales, titles and ticks."""
    for axis, given, set_scale, set_ends in (
        (axes.xaxis, x, axes.set_xscale, axes.set_xlim),
        (axes.yaxis, y, axes.set_yscale, axes.set_ylim),
    ):
        set_scale("log" if given.is_log else "linear")
        set_ends(given.low, given.high)
        axis.set_major_locator(FixedLocator([*given.ticks]))
        axis.set_major_formatter(FixedFormatter([*given.ticks.values()]))
        axis.set_minor_locator(NullLocator())
        axis.set_label_text(given.title)
        axis.grid(given.has_grid)


def point_marker(kind: Kind) -> dict[str, Any]:
    """Return the marker of a kind's points."""
    marker, edge = MARKERS.get(kind.shape, "o"), 1.5 if kind.is_hollow else 0.0
    return {"marker": marker, "mfc": "white" if kind.is_hollow else kind.colour, "mew": edge}


def symbol(kind: Kind) -> Line2D:
    """Return a kind's symbol in the legend."""
    if kind.shape == LINE:
        return Line2D([], [], color=kind.colour, linestyle=line_dashes(kind), label=kind.label)
    style: dict[str, Any] = {"color": kind.colour, "linestyle": "none", "label": kind.label}
    fill = {} if kind.is_hollow else {"mfc": to_rgba(kind.colour, kind.opacity)}
    return Line2D([], [], **style, **point_marker(kind) | fill)


@mpl.rc_context(STYLE)
def save(figure: Figure, path: Path) -> None:
    """Write a PNG atomically; its metadata say that it is ours."""
    with atomic_write(path) as draft:
        figure.savefig(draft, dpi=160, format="png", metadata={"Software": SOFTWARE})


def check_picture(path: Path) -> None:
    """Raise InputError rather than overwrite a file that is not a picture of thetafront."""
    mark = f"Software\0{SOFTWARE}".encode()
    if path.exists() and not (path.is_file() and mark in path.read_bytes()[:N_HEADER]):
        raise InputError(
            f"output {str(path)!r} is not a thetafront picture; give another file, or move this one"
        )
