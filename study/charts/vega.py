"""Charts drawn by Vega: specifications for a page, and charts for a notebook."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thetafront.study.charts.chart import GREY, Axis, Chart, Layer, Panel, rounded

if TYPE_CHECKING:
    import altair as alt

BUDGET, CHOSEN, CHOICE = "budget", "chosen", "slice"  # what a page or a reader sets
WIDTH, NOTEBOOK_WIDTH, GAP = 150, 620, 12
CHOSEN_SIZE, FADED = 260, 0.1
# Vega-Lite's own, but no more often than every 40 ms: each move redraws all lines.
DRAG = "[pointerdown, window:pointerup] > window:pointermove!{40}"
RESERVED = ("title", "image")  # lines of a tooltip with a meaning of their own
TEXT = {"fontSize": 10, "fontWeight": 600, "dx": {"expr": "datum.dx"}, "dy": {"expr": "-datum.dy"}}
LEGEND: dict[str, Any] = {
    "orient": "bottom",
    "columns": 2,
    "labelLimit": 0,
    "title": None,
    "symbolSize": 70,
}
LEGEND |= {"symbolOpacity": 1, "symbolStrokeWidth": 2}
ON_TOP: dict[str, Any] = {"titleAlign": "right", "titleAnchor": "start", "titleX": -8, "titleY": 0}
ON_TOP |= {"titleBaseline": "middle", "titleLimit": 112, "titleFontSize": 11, "labelPadding": 1}
Spec = dict[str, Any]


def specification(chart: Chart) -> Spec:
    """Return what Vega-Lite draws a chart from."""
    drawing = Drawing(chart)
    rows = [[drawing.panel(panel) for panel in row] for row in chart.panels]
    rows[-1][0]["layer"].insert(0, legend(chart))
    spec: Spec = {"background": "transparent", "description": chart.title}
    if chart.marks_budget:
        spec["params"] = [{"name": BUDGET, "value": None}, {"name": CHOSEN, "value": 0}]
    if chart.choice is not None:
        numbers, labels = [*range(len(chart.choice.labels))], [*chart.choice.labels]
        bind = {"input": "select", "options": numbers, "labels": labels}
        bind["name"] = f"{chart.choice.title} "
        spec["params"] = [{"name": CHOICE, "value": chart.choice.start, "bind": bind}]
    if len(chart.every_panel) == 1:
        return {**spec, **rows[0][0], "width": "container", "datasets": drawing.datasets}
    beside = len(rows[0]) * chart.beside + (len(rows[0]) - 1) * GAP
    return {
        **spec,
        "vconcat": [{"hconcat": row, "spacing": GAP} if row[1:] else row[0] for row in rows],
        "spacing": 0 if chart.has_brushes else 8,
        # By it the page's script shares the width among panels.
        "usermeta": {"panels": {"columns": len(rows[0]), "beside": beside}},
        "datasets": drawing.datasets,
    }


def notebook_chart(chart: Chart) -> "alt.LayerChart":
    """Return a chart of one panel as a notebook shows it: titled, of a fixed width."""
    import altair as alt  # noqa: PLC0415, slow to import, and a page needs none of it

    spec = {**specification(chart), "title": chart.heading, "width": NOTEBOOK_WIDTH}
    return alt.LayerChart.from_dict(spec)


@dataclass
class Drawing:
    """The panels of a chart, and the data that they share."""

    chart: Chart
    datasets: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)  # by the identity of rows

    def panel(self, panel: Panel) -> Spec:
        """Return a panel's layers on its axes."""
        layers = [self.layer(each) for each in panel.layers if each.rows]
        if self.chart.has_brushes:
            select = {"type": "interval", "encodings": ["x"], "on": DRAG}
            name = f"brush_{self.chart.every_panel.index(panel)}"
            layers[0]["params"] = [{"name": name, "select": select}]
        if self.chart.marks_budget:
            mark = {"type": "rule", "strokeDash": [4, 4], "strokeWidth": 1.5, "color": GREY}
            steps = [{"calculate": BUDGET, "as": "at"}, {"filter": "isValid(datum.at)"}]
            at = {"x": place("at"), "y": {"value": 0}, "y2": {"value": panel.height}}
            rule = {"mark": {**mark, "clip": True}, "transform": steps, "encoding": at}
            layers.append({"data": {"values": [{}]}, **rule})
        axes = {"x": axis_spec(panel.x), "y": axis_spec(panel.y)}
        return {"layer": layers, "encoding": axes, "width": WIDTH, "height": panel.height}

    def layer(self, layer: Layer) -> Spec:
        """Return the marks of a layer."""
        kind = layer.kind
        line = {"stroke": kind.colour, "strokeWidth": layer.size, "strokeDash": [*kind.dash]}
        line["strokeOpacity"] = layer.opacity
        fill = "transparent" if kind.is_hollow else kind.colour
        point = {"stroke": kind.colour, "strokeWidth": 2, "fill": fill, "shape": kind.shape}
        marks: dict[str, Spec] = {
            "area": {"type": "area", "fill": kind.colour, "fillOpacity": layer.opacity},
            "rect": {"type": "rect", "fill": kind.colour, "fillOpacity": layer.opacity},
            "line": {"type": "line", **line},
            "step": {"type": "line", "interpolate": "step-after", **line},
            "rule": {"type": "rule", **line},
            "point": {"type": "point", "size": layer.size, "opacity": layer.opacity, **point},
            "text": {"type": "text", **TEXT},
        }
        at = {"x": layer.x, "y": layer.y, "x2": layer.x2, "y2": layer.y2}
        encoding: Spec = {name: place(each, name) for name, each in at.items() if each is not None}
        if layer.mark == "text":
            encoding["text"] = {"field": "label", "type": "nominal"}
        if layer.mark == "point" and self.chart.marks_budget and "number" in layer.rows[0]:
            chosen = {"test": f"datum.number == {CHOSEN}", "value": CHOSEN_SIZE}
            encoding["size"] = {"condition": chosen, "value": layer.size}
        if layer.mark == "rule" and self.chart.has_brushes:
            brushes = [{"param": f"brush_{k}"} for k in range(len(self.chart.panels))]
            kept = {"test": {"and": brushes}, "value": 1}
            encoding["opacity"] = {"condition": kept, "value": FADED}
        return {
            "data": {"name": self.dataset(layer)},
            "transform": [{"filter": f"datum.s == {CHOICE}"}] if self.chart.choice else [],
            "mark": {**marks[layer.mark], "clip": True},
            "encoding": encoding | ({"tooltip": tooltip(layer.tooltip)} if layer.tooltip else {}),
        }

    def dataset(self, layer: Layer) -> str:
        """Return the name of a layer's rows, which are embedded once, rounded."""
        name = self.names.setdefault(id(layer.rows), f"rows_{len(self.names)}")
        if name not in self.datasets:
            rows = ({key: rounded(each) for key, each in row.items()} for row in layer.rows)
            self.datasets[name] = [{k: v for k, v in row.items() if v is not None} for row in rows]
        return name


def place(at: str | float, channel: str = "x") -> Spec:
    """Return where marks are: at a field's values, or all at the same place."""
    where: Spec = {"field": at} if isinstance(at, str) else {"datum": at}
    return where if channel.endswith("2") else {**where, "type": "quantitative"}


def axis_spec(axis: Axis) -> Spec:
    """Return an axis with its scale; texts at it may hold whatever a user has named."""
    values, labels = json.dumps([*axis.ticks]), json.dumps([*axis.ticks.values()])
    written = {"values": [*axis.ticks], "labelExpr": f"{labels}[indexof({values}, datum.value)]"}
    shown = {"title": axis.title or None, "grid": axis.has_grid, "labelOverlap": "greedy"}
    on_top = {"orient": "top", **ON_TOP} if axis.is_on_top else {}
    domain = [rounded(axis.low, 8), rounded(axis.high, 8)]
    kind = {"type": "log"} if axis.is_log else {"type": "linear", "zero": False}
    scale = {**kind, "domain": domain, "nice": False}
    return {"axis": {**written, **shown, **on_top}, "scale": scale}


def legend(chart: Chart) -> Spec:
    """Return a layer without visible marks that has the legend of all kinds."""
    labels = [each.label for each in chart.kinds]
    ranges: dict[str, list[Any]] = {
        "stroke": [each.colour for each in chart.kinds],
        "fill": ["transparent" if each.is_hollow else each.colour for each in chart.kinds],
        "shape": [each.shape for each in chart.kinds],
        "strokeDash": [[*each.dash] for each in chart.kinds],
    }
    kind = {"field": "kind", "type": "nominal", "legend": LEGEND if labels else None}
    scales: Spec = {
        name: {**kind, "scale": {"domain": labels, "range": found}}
        for name, found in ranges.items()
    }
    nowhere = {"size": {"value": 0}, "x": {"value": 0}, "y": {"value": 0}}
    return {
        "data": {"values": [{"kind": label} for label in labels]},
        "mark": {"type": "point", "opacity": 0},
        "encoding": {**scales, **nowhere},
    }


def tooltip(titles: Mapping[str, str]) -> list[Spec]:
    """Return the lines of a tooltip, each with a title of its own: of equal ones Vega shows one."""
    found: list[Spec] = []
    for name, title in titles.items():
        used = {*RESERVED, *(each["title"] for each in found)}
        numbered = (f"{title} ({n})" for n in range(2, len(titles) + 3))
        unused = next(each for each in (title, *numbered) if each not in used)
        found.append({"field": name, "type": "nominal", "title": unused})
    return found
