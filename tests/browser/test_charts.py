"""Charts in Chromium, by Vega's interpreter: tooltips and choices, against the tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as alt
import pytest

from tests.browser.ground import Opened, opened
from thetafront.study.charts.chart import Chart
from thetafront.study.charts.front import front_chart
from thetafront.study.charts.slices import slices_chart
from thetafront.study.charts.vega import specification
from thetafront.study.log.published_study import read_published
from thetafront.study.report.analysis import Analysis

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PUBLISHED = Path(__file__).parents[2] / "results" / "reference"
OPTIONS = {"ast": True, "renderer": "svg", "actions": False}
SETTLED = 300  # ms


@pytest.fixture(scope="module")
def data() -> Analysis:
    return Analysis(read_published(PUBLISHED / "dice_study")[1])


def page_of(chart: Chart, folder: Path) -> str:
    spec = alt.Chart.from_dict(specification(chart))
    if len(chart.every_panel) == 1:
        spec = spec.properties(width=700)
    path = folder / f"{chart.key}.html"
    path.write_text(spec.to_html(inline=True, embed_options=OPTIONS), encoding="utf-8")
    return str(path)


def ready(found: Opened) -> Any:
    found.page.wait_for_selector(".vega-embed svg .mark-group")
    found.page.wait_for_timeout(SETTLED)
    return found.page


def test_a_pointer_on_a_validated_point_says_what_is_known(
    browser: "Browser", data: Analysis, tmp_path: Path
) -> None:
    with opened(browser, page_of(front_chart(data), tmp_path)) as found:
        page = ready(found)
        front = data.tables["front"]
        points = page.locator('svg path[aria-label*="θ of: number "]')
        assert points.count() == len(front)
        point = page.locator('svg path[aria-label*="θ of: number 10, "]')
        point.hover(force=True)
        page.wait_for_selector("#vg-tooltip-element.visible")
        said = page.locator("#vg-tooltip-element").inner_text()
        row = front.iloc[9]
        experiment = data.data.experiment
        for each in experiment.space:
            assert each.label in said
        assert experiment.goal.format.with_unit(row["score_mean_points"]) in said
        assert "P(on front)" in said
        found.check()


def test_slices_go_through_the_point_that_is_chosen(
    browser: "Browser", data: Analysis, tmp_path: Path
) -> None:
    with opened(browser, page_of(slices_chart(data), tmp_path)) as found:
        page = ready(found)
        before = page.locator("svg").inner_html()
        choice = page.locator(".vega-bindings select")
        choice.select_option(index=0)
        page.wait_for_timeout(SETTLED)
        assert page.locator("svg").inner_html() != before
        choice.select_option(index=2)
        page.wait_for_timeout(SETTLED)
        assert page.locator("svg").inner_html() == before
        found.check()
