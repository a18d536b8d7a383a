"""A chart on a page and its picture: the same words and numbers, whatever they are."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PolyCollection

from tests.study.charts.conftest import STUDIES
from tests.study.charts.published import published
from tests.study.charts.specs import drawn, layers_of
from tests.study.terminal.test_tiles import contrast
from thetafront.study.charts import chart as colours
from thetafront.study.charts.chart import Axis, Chart, Kind, Layer, Panel
from thetafront.study.charts.front import front_chart
from thetafront.study.charts.hypervolume import hypervolume_chart, timeline_chart
from thetafront.study.charts.importance import importance_chart
from thetafront.study.charts.pair import pair_chart
from thetafront.study.charts.picture import picture, save
from thetafront.study.charts.scores import scores_chart
from thetafront.study.charts.slices import slices_chart
from thetafront.study.charts.vega import PROSPECT, specification
from thetafront.study.report.analysis import Analysis

CHARTS = (
    front_chart,
    scores_chart,
    timeline_chart,
    importance_chart,
    slices_chart,
    pair_chart,
    hypervolume_chart,
)
EMPTY = {("dice_study", "scores")}  # values are exact: there is no spread
HOSTILE = "</script><script>alert('1')</script>\"\\ ${x} שלום \u202e"
MAX_BYTES = 700_000

Make = Callable[[Analysis], Chart]


def words_of_page(chart: Chart) -> dict[str, Any]:
    """What a page writes of a chart: its heading and caption, axes and legend."""
    spec = specification(chart)
    panels = [panel for row in spec.get("vconcat", [spec]) for panel in row.get("hconcat", [row])]
    legend = [
        layer["encoding"]["fill"]["scale"]["domain"]
        for panel in panels
        for layer in panel["layer"]
        if "shape" in layer["encoding"]
    ]
    axes = [panel["encoding"][channel] for panel in panels for channel in "xy"]
    return {
        "title": spec["description"].lower(),
        "titles": [each["axis"]["title"] or "" for each in axes],
        "ticks": [json.loads(each["axis"]["labelExpr"].partition("[indexof")[0]) for each in axes],
        "places": [each["axis"]["values"] for each in axes],
        "ends": [each["scale"]["domain"] for each in axes],
        "legend": legend[0],
        "labels": [
            row["label"]
            for panel in panels
            for layer in panel["layer"]
            if layer["mark"]["type"] == "text" and "name" in layer["data"]
            for row in spec["datasets"][layer["data"]["name"]]
        ],
    }


def words_of_picture(chart: Chart) -> dict[str, Any]:
    """What a picture writes of a chart."""
    figure = picture(chart)
    axes = [axis for each in figure.axes for axis in (each.xaxis, each.yaxis)]
    ends = [each.get_view_interval().tolist() for each in axes]
    (legend,) = figure.legends
    return {
        "title": figure.get_suptitle().partition(": ")[2].lower(),
        "titles": [each.get_label_text() for each in axes],
        "ticks": [[*each.get_major_formatter().seq] for each in axes],  # type: ignore[attr-defined]
        "places": [[*each.get_major_locator().locs] for each in axes],  # type: ignore[attr-defined]
        "ends": [pytest.approx(each, rel=1e-6, abs=1e-9) for each in ends],
        "legend": [each.get_text() for each in legend.get_texts()],
        "labels": [text.get_text() for each in figure.axes for text in each.texts],
    }


@pytest.mark.parametrize("make", [front_chart, scores_chart, hypervolume_chart, importance_chart])
@pytest.mark.parametrize("study", ["small", "pacman"])
def test_a_picture_says_what_the_page_says(
    make: Make, study: str, request: pytest.FixtureRequest
) -> None:
    chart = make(request.getfixturevalue(study))
    page, shown = words_of_page(chart), words_of_picture(chart)
    if chart.marks_budget:  # what a page alone has, since it depends on the budget
        assert page["legend"].pop() == PROSPECT.label
    assert page == shown
    said = picture(chart).get_supxlabel().replace("\n", " ")
    assert said == chart.caption, "a picture's caption is that of the page"


@pytest.mark.parametrize("make", [front_chart, scores_chart, hypervolume_chart])
def test_a_picture_shows_the_numbers_of_the_page(make: Make, small: Analysis) -> None:
    chart = make(small)
    spec, figure = specification(chart), picture(chart)
    every = [row for rows in spec["datasets"].values() for row in rows]
    seen = {"point": 0, "rule": 0, "rect": 0}
    for panel, axes in zip(chart.every_panel, figure.axes, strict=True):
        points = [each for each in axes.lines if each.get_marker() not in ("None", None, "")]
        lines = [each for each in axes.collections if isinstance(each, LineCollection)]
        boxes = [each for each in axes.collections if type(each) is PolyCollection]
        for mark, found in (("point", points), ("rule", lines), ("rect", boxes)):
            layers = [each for each in panel.layers if each.mark == mark]
            assert len(layers) == len(found)
            seen[mark] += len(layers)
            for layer, artist in zip(layers, found, strict=True):
                if mark == "point" and isinstance(layer.x, str) and isinstance(layer.y, str):
                    x, y = artist.get_data()
                    mine = [row for row in every if layer.x in row and layer.y in row]
                    known = np.array([[row[layer.x], row[layer.y]] for row in mine])
                    for at in zip(x, y, strict=True):
                        assert np.isclose(known, at, rtol=1e-4).all(axis=1).any()
                elif mark == "rule":
                    assert len(artist.get_segments()) == len(layer.rows)
    assert seen["point"]


def test_vega_draws_every_chart(small: Analysis) -> None:
    for chart in (make(small) for make in CHARTS):
        assert chart.panels or chart.key == "pair", "one parameter alone makes no pair"
        assert not chart.panels or "<path" in drawn(chart)


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_charts_of_a_published_study_are_drawn_and_small(study: str) -> None:
    data = published(study)[1]
    size = 0
    for make in CHARTS:
        chart = make(data)
        if not chart.panels:
            assert (study, chart.key) in EMPTY, chart.caption
            continue
        size += len(str(specification(chart)).encode())
        svg = drawn(chart)
        assert svg.count("<path") > 10
        assert "NaN" not in svg
        assert len(chart.table) or chart.key == "front", "its numbers are in the table of points"
        assert 50 < len(chart.caption) < 1200
        picture(chart)
    assert size < MAX_BYTES


@pytest.mark.parametrize("background", ["#ffffff", "#12161b"])
@pytest.mark.parametrize("name", ["BLUE", "GREEN", "ORANGE", "PINK", "GREY"])
def test_contrast_suffices_for_marks(name: str, background: str) -> None:
    assert contrast(getattr(colours, name), background) >= 3.0


def one_point(kind: Kind, x: Axis, tooltip: dict[str, str], row: dict[str, Any]) -> Chart:
    y = Axis("", 0.0, 1.0, {})
    layers = [Layer("point", kind, [{"x": 0.5, "y": 0.5, **row}], tooltip=tooltip)]
    return Chart("key", "Title", "", pd.DataFrame(), [[Panel(x, y, layers)]])


def test_words_are_texts_whatever_is_in_them() -> None:
    axis = Axis("x", 0.0, 1.0, {0.25: HOSTILE, 0.75: "plain"})
    svg = drawn(one_point(Kind("kind", colours.BLUE), axis, {}, {}))
    assert "plain" in svg
    assert "alert('1')" in svg or "alert(&#39;1&#39;)" in svg or "alert(&apos;1&apos;)" in svg
    assert "<script" not in svg


def test_dollars_are_no_formulas_in_pictures(tmp_path: Path) -> None:
    chart = one_point(Kind("$1 %", colours.BLUE), Axis("$ a $ % $", 0.0, 1.0, {0.5: "$5$"}), {}, {})
    save(picture(replace(chart, caption="100 $ % and 5 $")), tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 1000


def test_what_is_missing_is_left_out_and_rows_are_embedded_once(small: Analysis) -> None:
    axis = Axis("x", 0.0, 1.0, {})
    chart = one_point(Kind("kind", colours.BLUE), axis, {}, {"a": float("nan"), "b": 1.0})
    (layer,) = layers_of(chart)
    panel = replace(chart.panels[0][0], layers=[layer, replace(layer, mark="text")])
    spec = specification(replace(chart, panels=[[panel]]))
    assert [*spec["datasets"].values()] == [[{"x": 0.5, "y": 0.5, "b": 1}]]


@pytest.mark.parametrize("make", CHARTS)
def test_a_tooltip_shows_only_fields_that_all_its_marks_have(make: Make, pacman: Analysis) -> None:
    """Vega would write undefined for a field that is missing."""
    spec = specification(make(pacman))
    for panel in (
        each for row in spec.get("vconcat", [spec]) for each in row.get("hconcat", [row])
    ):
        for layer in panel["layer"]:
            for field in layer["encoding"].get("tooltip", []):
                rows = spec["datasets"][layer["data"]["name"]]
                assert all(field["field"] in row for row in rows), field


def test_lines_of_a_tooltip_have_titles_of_their_own() -> None:
    """Of equal titles Vega shows one line; ``title`` and ``image`` it does not show as lines."""
    titles = ["games", "title", "games", "games (2)", "image", "games"]
    said = {f"p{k}": title for k, title in enumerate(titles)}
    chart = one_point(Kind("kind", colours.BLUE), Axis("x", 0.0, 1.0, {}), said, said)
    spec = specification(chart)
    found = spec["layer"][-1]["encoding"]["tooltip"]
    shown = [each["title"] for each in found]
    assert len(set(shown)) == len(titles)
    assert not {"title", "image"} & set(shown)
    assert shown[0] == "games"
    assert [each["field"] for each in found] == [*said]
