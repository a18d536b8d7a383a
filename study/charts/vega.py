"""Charts drawn by Vega: specifications for a page, and charts for a notebook."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thetafront.study.charts.chart import BLUE, GREY, Axis, Chart, Kind, Layer, Panel, Row, rounded

if TYPE_CHECKING:
    import altair as alt

WIDTH, NOTEBOOK_WIDTH, GAP = 150, 620, 12
BESIDE = 68  # approximate width that a panel's y axis takes, in pixels
CHOSEN_SIZE, PINNED_SIZE, PINNED = 260, 420, BLUE
PROSPECT = Kind("untested: the best θ predicted", BLUE, is_hollow=True, dash=(3, 2))
NARROW = "isValid(datum.number) && width < 400"  # pixels: no room for names beside numbers
TEXT = f"{NARROW} ? datum.number : datum.label"
DX = f"{NARROW} ? clamp(datum.dx, -12, 12) : datum.dx"
RESERVED = ("title", "image")  # lines of a tooltip that Vega treats specially
SYMBOLS = {"symbolSize": 70, "symbolOpacity": 1, "symbolStrokeWidth": 2}
CONFIG = {
    "axis": {"labelOverlap": "greedy", "labelSeparation": 6},
    "legend": {"orient": "bottom", "columns": 2, "labelLimit": 0, **SYMBOLS},
    "text": {"fontSize": 10, "fontWeight": 600},
}
Spec = dict[str, Any]


def specification(chart: Chart) -> Spec:
    """Return a chart's Vega-Lite specification; rows that layers share are embedded once."""
    panels = [[panel_spec(panel, chart) for panel in row] for row in chart.panels]
    kinds = [*chart.kinds, PROSPECT] if chart.marks_budget else chart.kinds
    panels[-1][0]["layer"].insert(0, legend(kinds))
    datasets = {f"rows_{k}": rounded_rows(rows) for k, rows in enumerate(chart.datasets)}
    spec: Spec = {"background": "transparent", "description": chart.title, "config": CONFIG}
    spec |= {"params": params(chart), "datasets": datasets}
    if len(chart.every_panel) == 1:
        return {**spec, **panels[0][0], "width": "container"}
    rows = [{"hconcat": row, "spacing": GAP} if row[1:] else row[0] for row in panels]
    beside = len(panels[0]) * (BESIDE + GAP) - GAP
    # The page's script uses this to share the width among panels.
    usermeta = {"panels": {"columns": len(panels[0]), "beside": beside}}
    return {**spec, "vconcat": rows, "spacing": 8, "usermeta": usermeta}


def notebook_chart(chart: Chart) -> "alt.LayerChart":
    """Return a chart of one panel for a notebook, with a title and a fixed width."""
    import altair as alt  # noqa: PLC0415, slow to import, and a page needs none of it

    spec = {**specification(chart), "title": chart.heading, "width": NOTEBOOK_WIDTH}
    return alt.LayerChart.from_dict(spec)


def params(chart: Chart) -> list[Spec]:
    """Return Vega's parameters: those that the page sets, and the reader's choice of rows."""
    found: list[Spec] = []
    if chart.marks_budget:
        set_by_page: Spec = {"budget": None, "prospect": {}, "chosen": 0, "pinned": 0}
        found += [{"name": name, "value": value} for name, value in set_by_page.items()]
    if (choice := chart.choice) is not None:
        options = {"options": [*range(len(choice.labels))], "labels": [*choice.labels]}
        bind = {"input": "select", "name": f"{choice.title} ", **options}
        found.append({"name": "choice", "value": choice.start, "bind": bind})
    return found


def panel_spec(panel: Panel, chart: Chart) -> Spec:
    """Return a panel's layers on its axes."""
    layers = [layer_spec(each, chart) for each in panel.layers if each.rows]
    if chart.marks_budget:
        layers += page_marks(panel)
    axes = {"x": axis_spec(panel.x), "y": axis_spec(panel.y)}
    return {"layer": layers, "encoding": axes, "width": WIDTH, "height": panel.height}


def page_marks(panel: Panel) -> list[Spec]:
    """Return the marks that the page moves: a budget, and an untested θ."""
    rule = {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1.5, "stroke": GREY}
    dashed = {"type": "point", "size": 150, "stroke": BLUE, "strokeWidth": 2}
    dashed["strokeDash"] = [*PROSPECT.dash]
    line = {"x": place("at"), "y": {"value": 0}, "y2": {"value": panel.height}}
    spot = {"x": place("at"), "y": place("goal")}
    found: list[Spec] = []
    for mark, cost, where in ((rule, "budget", line), (dashed, "prospect.x", spot)):
        given = {"calculate": cost, "as": "at"}, {"calculate": "prospect.y", "as": "goal"}
        steps = [*given, {"filter": "isValid(datum.at)"}]
        data: Spec = {"data": {"values": [{}]}, "transform": steps}
        found.append({**data, "mark": {**mark, "clip": True}, "encoding": where})
    return found


def layer_spec(layer: Layer, chart: Chart) -> Spec:
    """Return the marks of a layer."""
    kind = layer.kind
    area = {"fill": kind.colour, "fillOpacity": layer.opacity}
    line = {"stroke": kind.colour, "strokeWidth": layer.size, "strokeDash": [*kind.dash]}
    line["strokeOpacity"] = layer.opacity
    point = {"stroke": kind.colour, "strokeWidth": 2, "fill": point_fill(kind), "shape": kind.shape}
    marks: dict[str, Spec] = {
        "area": area,
        "rect": area,
        "line": line,
        "step": {**line, "interpolate": "step-after"},
        "rule": line,
        "point": {**point, "size": layer.size, "opacity": layer.opacity},
        "text": {"dx": {"expr": DX}, "dy": {"expr": "-datum.dy"}, "text": {"expr": TEXT}},
    }
    places = {"x": layer.x, "y": layer.y, "x2": layer.x2, "y2": layer.y2}
    encoding: Spec = {name: place(at, name) for name, at in places.items() if at is not None}
    if layer.mark == "point" and chart.marks_budget and "number" in layer.rows[0]:
        sizes = {"chosen": CHOSEN_SIZE, "pinned": PINNED_SIZE}
        tests = [{"test": f"datum.number == {name}", "value": n} for name, n in sizes.items()]
        encoding["size"] = {"condition": tests, "value": layer.size}
        ring = {"test": "datum.number == pinned", "value": PINNED}
        encoding["stroke"] = {"condition": ring, "value": kind.colour}
    known = {name for row in layer.rows for name in row}
    # Vega would write "undefined" for a field that the rows lack.
    if titles := {name: title for name, title in layer.tooltip.items() if name in known}:
        encoding["tooltip"] = tooltip(titles)
    name = "line" if layer.mark == "step" else layer.mark
    k = [*map(id, chart.datasets)].index(id(layer.rows))
    return {
        "data": {"name": f"rows_{k}"},
        "transform": [{"filter": "datum.s == choice"}] if chart.choice else [],
        "mark": {"type": name, "clip": name != "text", **marks[layer.mark]},
        "encoding": encoding,
    }


def rounded_rows(rows: Sequence[Row]) -> list[Row]:
    """Round the values of rows, and leave out missing values."""
    return [{key: rounded(v) for key, v in row.items() if rounded(v) is not None} for row in rows]


def place(at: str | float, channel: str = "x") -> Spec:
    """Return the position of marks: a field's values, or one number for all marks."""
    where: Spec = {"field": at} if isinstance(at, str) else {"datum": at}
    return where if channel.endswith("2") else {**where, "type": "quantitative"}


def axis_spec(axis: Axis) -> Spec:
    """Return an axis with its scale.

    Labels may contain names that users chose, so JSON quotes them in the expression.
    """
    values, labels = json.dumps([*axis.ticks]), json.dumps([*axis.ticks.values()])
    written = {"values": [*axis.ticks], "labelExpr": f"{labels}[indexof({values}, datum.value)]"}
    shown = {"title": axis.title or None, "grid": axis.has_grid}
    kind = {"type": "log"} if axis.is_log else {"type": "linear", "zero": False}
    domain = [rounded(axis.low), rounded(axis.high)]
    return {
        "axis": {**written, **shown},
        "scale": {**kind, "domain": domain, "nice": False},
    }


def point_fill(kind: Kind) -> str:
    """Return the fill of a kind's points."""
    alpha = "" if kind.opacity == 1.0 else f"{round(255 * kind.opacity):02X}"
    return "transparent" if kind.is_hollow else f"{kind.colour}{alpha}"


def legend(kinds: Sequence[Kind]) -> Spec:
    """Return a layer that has the legend of all kinds, but no visible marks."""
    labels = [each.label for each in kinds]
    ranges: dict[str, list[Any]] = {
        "stroke": [each.colour for each in kinds],
        "fill": [point_fill(each) for each in kinds],
        "shape": [each.shape for each in kinds],
        "strokeDash": [[*each.dash] for each in kinds],
    }
    kind = {"field": "kind", "type": "nominal", "title": None}
    scales: Spec = {
        name: {**kind, "scale": {"domain": labels, "range": found}}
        for name, found in ranges.items()
    }
    nowhere = {"size": {"value": 0}, "x": {"value": 0}, "y": {"value": 0}}
    data = {"values": [{"kind": label} for label in labels]}
    mark = {"type": "point", "opacity": 0}
    return {"data": data, "mark": mark, "encoding": {**scales, **nowhere}}


def tooltip(titles: Mapping[str, str]) -> list[Spec]:
    """Return the lines of a tooltip; titles are made distinct, because Vega drops repeated ones."""
    found: list[Spec] = []
    for name, title in titles.items():
        used = {*RESERVED, *(each["title"] for each in found)}
        numbered = (f"{title} ({n})" for n in range(2, len(titles) + 3))
        unused = next(each for each in (title, *numbered) if each not in used)
        found.append({"field": name, "type": "nominal", "title": unused})
    return found
