"""A chart before it is drawn: axes, marks, words, and a table of its numbers.

Colours are those of Okabe and Ito that are legible on light and on dark backgrounds: each has a
contrast ratio of at least 3 to white and to ``#12161b``. Colour is never the only distinction:
kinds of marks also differ in shape, dash or place.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

BLUE, GREEN, ORANGE, PINK, GREY = "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#8C8C8C"
LINE, SQUARE = "stroke", "square"  # symbols of lines and of areas in a legend
SOLID: tuple[int, ...] = (1, 0)
DASHED: tuple[int, ...] = (5, 3)
MAX_LABEL = 28  # characters of a parameter's or a choice's name
N_DIGITS = 5

Row = dict[str, Any]
Mark = Literal["area", "line", "step", "point", "rule", "rect", "text"]


@dataclass(frozen=True)
class Kind:
    """A kind of marks, as the legend explains it."""

    label: str  # what the legend says
    colour: str  # of its lines, and of its fill unless it is hollow
    shape: str = "circle"  # of its points, by Vega's name; `LINE` for a line, `SQUARE` for an area
    is_hollow: bool = False  # whether its points are drawn as outlines
    dash: tuple[int, ...] = SOLID  # lengths of a line's dashes and gaps
    opacity: float = 1.0  # of its symbol's fill, in the legend too


@dataclass(frozen=True)
class Axis:
    """An axis with all that is written on it."""

    title: str  # what it is
    # Its ends. Marks beyond them are cut.
    low: float
    high: float
    ticks: Mapping[float, str]  # what is written where
    # Whether its scale is logarithmic, and whether grid lines cross the panel.
    is_log: bool = False
    has_grid: bool = True


@dataclass(frozen=True)
class Layer:
    """Marks of one kind."""

    # A rule is a straight line from (x, y) to (x2, y2); an area lies between y and y2; a step keeps
    # its y up to the next x. A text is a row's `label`, drawn `dx` typographic points to the right
    # of (x, y) and `dy` above.
    mark: Mark
    kind: Kind  # which marks they are
    # Each row is a mark, or a point of the line. Layers with the same rows share one list.
    rows: Sequence[Row]
    # Where the marks are: names of a row's fields, or numbers that hold for all rows. Vega cannot
    # draw a number as x and a field as x2: give the field as x, the number as x2. Same for y.
    x: str | float = "x"
    y: str | float = "y"
    x2: str | float | None = None
    y2: str | float | None = None
    # The tooltip: fields of a row with their titles.
    tooltip: Mapping[str, str] = field(default_factory=dict)
    size: float = 1.6  # the width of a line, or the area of a point
    opacity: float = 1.0  # of the marks; 0 for marks that only show a tooltip


@dataclass(frozen=True)
class Panel:
    """A pair of axes with layers of marks, the lowest layer first; ``height`` is in pixels."""

    x: Axis
    y: Axis
    layers: Sequence[Layer]
    height: int = 400


@dataclass(frozen=True)
class Choice:
    """A menu of labels: a chart shows only rows whose ``s`` is the number of the chosen label."""

    title: str
    labels: Sequence[str]
    start: int


@dataclass(frozen=True)
class Chart:
    """All that a chart shows and says."""

    key: str  # its id on a page, of `[a-z_]+`
    # Its heading; its caption: what it shows, what bands and marks mean, and how many games. If
    # there is nothing to draw, the caption says why.
    title: str
    caption: str
    # Its numbers with readable headings, rounded.
    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    panels: Sequence[Sequence[Panel]] = ()  # rows of panels; empty if there is nothing to draw
    subject: str = ""  # what it is about, for a heading outside a page
    choice: Choice | None = None  # which rows are shown
    # Whether it marks what a reader sets on a page: a budget, two points, and an untested θ.
    marks_budget: bool = False

    @property
    def every_panel(self) -> list[Panel]:
        """All panels, row by row."""
        return [panel for row in self.panels for panel in row]

    @property
    def datasets(self) -> list[Sequence[Row]]:
        """The rows of all layers that have some; shared rows occur once."""
        layers = [layer for panel in self.every_panel for layer in panel.layers]
        return list({id(layer.rows): layer.rows for layer in layers if layer.rows}.values())

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of marks in the legend, each once."""
        layers = [layer for panel in self.every_panel for layer in panel.layers]
        found = dict.fromkeys(layer.kind for layer in layers if layer.rows and layer.kind.label)
        return list(found)

    @property
    def heading(self) -> str:
        """Its title outside a page: with the subject."""
        return f"{self.subject}: {self.title[0].lower()}{self.title[1:]}"


def short(text: str, length: int = MAX_LABEL) -> str:
    """Cut a label that is too long."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def rounded(value: Any, n_digits: int = N_DIGITS) -> Any:
    """Round a number to significant digits; text stays, and NaN or infinity becomes None."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if value is None or not math.isfinite(value):
        return None
    if float(value).is_integer() and abs(value) < 10.0**N_DIGITS:
        return int(value)
    return float(f"{value:.{n_digits}g}")
