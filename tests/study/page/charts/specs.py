"""What a chart's specification holds, and what Vega makes of it."""

from collections.abc import Iterator
from typing import Any

import altair as alt
import vl_convert

from thetafront.study.page.section import Figure


def spec_of(figure: Figure) -> dict[str, Any]:
    assert figure.chart is not None
    spec: dict[str, Any] = figure.chart.to_dict()  # validates against Vega-Lite's schema
    return spec


def rows_of(figure: Figure) -> list[dict[str, Any]]:
    """All rows of data that a chart embeds."""
    return [row for values in spec_of(figure)["datasets"].values() for row in values]


def drawn(chart: alt.TopLevelMixin, width: int = 600) -> str:
    """Compile and draw a chart by Vega, offline: its SVG."""
    spec = chart.to_dict()
    if spec.get("width") == "container":
        spec["width"] = width
    svg: str = vl_convert.vegalite_to_svg(spec)
    return svg


def texts(spec: object) -> Iterator[str]:
    """All texts in a specification, keys too."""
    if isinstance(spec, str):
        yield spec
    elif isinstance(spec, dict):
        for key, value in spec.items():
            yield key
            yield from texts(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from texts(value)
