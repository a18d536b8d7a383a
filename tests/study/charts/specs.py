"""What a chart holds, and what Vega makes of it."""

from typing import Any

import altair as alt
import vl_convert

from thetafront.study.charts.chart import Chart, Layer, Row
from thetafront.study.charts.vega import specification


def layers_of(chart: Chart, *labels: str) -> list[Layer]:
    """Its layers; of some kinds only, if their labels are given."""
    layers = [layer for panel in chart.every_panel for layer in panel.layers]
    return [each for each in layers if not labels or each.kind.label in labels]


def rows_of(chart: Chart, *labels: str) -> list[Row]:
    """All rows of its layers, each once."""
    mine = layers_of(chart, *labels)
    some = [rows for rows in chart.datasets if any(rows is layer.rows for layer in mine)]
    return [row for rows in some for row in rows]


def drawn(chart: Chart, **signals: Any) -> str:
    """Validate a chart's specification, and draw it by Vega, offline: its SVG."""
    spec = specification(chart)
    alt.Chart.from_dict(spec)  # validates against Vega-Lite's schema
    if spec.get("width") == "container":
        spec["width"] = 600
    for each in spec.get("params", []):
        each["value"] = signals.get(each["name"], each["value"])
    svg: str = vl_convert.vegalite_to_svg(spec)
    return svg
