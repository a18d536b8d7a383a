"""A chart before it is drawn: axes, marks, texts, and a table of its numbers.

The colours are a grey, and those colours of Okabe and Ito's palette that are legible on light and
on dark backgrounds. Each colour has a contrast ratio of at least 3 to white and to ``#12161b``.
Colour is never the only distinction: kinds of marks also differ in shape, dash or place.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

BLUE, GREEN, ORANGE, PINK, GREY = "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#8C8C8C"
LINE, SQUARE = "stroke", "square"  # symbols for lines and for areas in a legend
SOLID: tuple[int, ...] = (1, 0)
DASHED: tuple[int, ...] = (5, 3)
MAX_LABEL = 28  # characters of a parameter's or a choice's name
N_DIGITS = 8

Row = dict[str, Any]
Mark = Literal["area", "line", "step", "point", "rule", "rect", "text"]


@dataclass(frozen=True)
class Kind:
    """A kind of marks, with one entry in the legend."""

    label: str  # its text in the legend
    colour: str  # of lines and outlines, and of the fill unless `is_hollow`
    shape: str = "circle"  # Vega's name for its points; `LINE` for a line, `SQUARE` for an area
    is_hollow: bool = False  # whether points are drawn as outlines
    dash: tuple[int, ...] = SOLID  # lengths of a line's dashes and gaps
    opacity: float = 1.0  # of the fill of points and of the symbol in the legend


@dataclass(frozen=True)
class Axis:
    """An axis: its title, range and ticks."""

    title: str
    # The ends of the axis. Marks beyond them are cut.
    low: float
    high: float
    ticks: Mapping[float, str]  # the label of each tick, by its value
    # Whether its scale is logarithmic, and whether grid lines cross the panel.
    is_log: bool = False
    has_grid: bool = True


@dataclass(frozen=True)
class Layer:
    """Marks of one kind."""

    # A rule is a straight line from (x, y) to (x2, y2). An area lies between y and y2. A step keeps
    # its y up to the next x. A text is a row's `label`: its middle is `dx` typographic points to
    # the right of (x, y) and `dy` points above it.
    mark: Mark
    kind: Kind  # their entry in the legend
    # Each row is one mark or, for lines, steps and areas, one point along it. Layers with the same
    # rows share one list.
    rows: Sequence[Row]
    # The positions of the marks: names of a row's fields, or numbers that hold for all rows. If one
    # of x and x2 is a field and the other a number, x must be the field, because Vega cannot draw
    # them the other way round. The same holds for y and y2.
    x: str | float = "x"
    y: str | float = "y"
    x2: str | float | None = None
    y2: str | float | None = None
    # The fields of a row that its tooltip shows, with their titles.
    tooltip: Mapping[str, str] = field(default_factory=dict)
    size: float = 1.6  # the width of a line in pixels, or the area of a point in square pixels
    opacity: float = 1.0  # of the marks; 0 for invisible marks that only have a tooltip


@dataclass(frozen=True)
class Panel:
    """A pair of axes with layers of marks, the lowest layer first; ``height`` is in pixels."""

    x: Axis
    y: Axis
    layers: Sequence[Layer]
    height: int = 400


@dataclass(frozen=True)
class Choice:
    """A menu of labels. The chart shows only the rows whose ``s`` is the chosen label's index."""

    title: str
    labels: Sequence[str]
    start: int


@dataclass(frozen=True)
class Chart:
    """A chart with all its texts and numbers."""

    key: str  # its id on a page, of `[a-z_]+`
    title: str
    # The caption says what the chart shows, what bands and marks mean, and how many games the chart
    # is based on. If there is nothing to draw, the caption says why.
    caption: str
    # The chart's numbers, rounded, with readable headings.
    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    panels: Sequence[Sequence[Panel]] = ()  # rows of panels; empty if there is nothing to draw
    subject: str = ""  # the experiment's title, which stands before `title` outside a page
    choice: Choice | None = None  # a menu for the rows to show
    # Whether it marks a reader's settings on a page: the budget, two points, and an untested θ.
    marks_budget: bool = False

    @property
    def every_panel(self) -> list[Panel]:
        """All panels, row by row."""
        return [panel for row in self.panels for panel in row]

    @property
    def datasets(self) -> list[Sequence[Row]]:
        """The lists of rows of all layers, without empty lists; a shared list occurs once."""
        layers = [layer for panel in self.every_panel for layer in panel.layers]
        return list({id(layer.rows): layer.rows for layer in layers if layer.rows}.values())

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of marks in the legend, without repetitions."""
        layers = [layer for panel in self.every_panel for layer in panel.layers]
        found = dict.fromkeys(layer.kind for layer in layers if layer.rows and layer.kind.label)
        return list(found)

    @property
    def heading(self) -> str:
        """The heading for use outside a page: the subject, then the title."""
        is_word = self.title[1:2].islower()  # not an acronym
        title = self.title[0].lower() + self.title[1:] if is_word else self.title
        return f"{self.subject}: {title}"


def short(text: str, length: int = MAX_LABEL) -> str:
    """Cut a label that is too long."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def rounded(value: Any, n_digits: int = N_DIGITS) -> Any:
    """Round a number to significant digits; text is unchanged, NaN and infinity become None."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if value is None or not math.isfinite(value):
        return None
    if float(value).is_integer() and abs(value) < 10.0**N_DIGITS:
        return int(value)
    return float(f"{value:.{n_digits}g}")
