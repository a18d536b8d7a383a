"""Charts in Chromium, by Vega's interpreter: brushes, tooltips, choices, against the tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as alt
import pytest

from tests.browser.ground import Opened, opened
from thetafront.study.charts.chart import Chart
from thetafront.study.charts.front import front_chart
from thetafront.study.charts.slices import slices_chart
from thetafront.study.charts.theta import ROOM, theta_chart
from thetafront.study.charts.vega import WIDTH, specification
from thetafront.study.log.published_study import read_published
from thetafront.study.report.analysis import Analysis

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PUBLISHED = Path(__file__).parents[2] / "results" / "reference"
OPTIONS = {"ast": True, "renderer": "svg", "actions": False}
SETTLED = 300  # ms
N_STRIPS = 4  # of the study of dice: two parameters, cost and goal


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


def n_clear(page: Any) -> int:
    """How many lines are not faded, of a strip: all strips have the same."""
    n = page.evaluate(
        """[...document.querySelectorAll("svg .mark-rule.role-mark line")]
        .filter((line) => Number(line.getAttribute("opacity") ?? 1) > 0.5).length"""
    )
    assert n % N_STRIPS == 0
    return int(n) // N_STRIPS


def brush(page: Any, strip: int, left: float, right: float) -> None:
    """Draw a range on an axis, in shares of its length."""
    box = page.locator("svg .role-scope > g > .background").nth(strip).bounding_box()
    around = 0.5 * (box["width"] - WIDTH)  # of the strip's outline
    middle = box["y"] + 0.5 * box["height"]

    def across(share: float) -> float:
        return float(box["x"] + around + (share + ROOM) / (1.0 + 2.0 * ROOM) * WIDTH)

    page.mouse.move(across(left), middle)
    page.mouse.down()
    page.mouse.move(across(0.5 * (left + right)), middle, steps=3)
    page.mouse.move(across(right), middle, steps=3)
    page.wait_for_timeout(100)
    page.mouse.up()
    page.wait_for_timeout(SETTLED)


def test_brushes_on_several_axes_combine(
    browser: "Browser", data: Analysis, tmp_path: Path
) -> None:
    chart = theta_chart(data)
    rows = [r for each in specification(chart)["datasets"].values() for r in each if "who" in r]
    assert sum(row["who"].startswith("trial ") for row in rows) == 128

    def within(*ranges: tuple[str, float, float]) -> tuple[int, int]:
        """How many lines meet all ranges, of a pixel or two less and more."""
        found = [
            sum(all(a - e <= row[k] <= b + e for k, a, b in ranges) for row in rows)
            for e in (-0.006, 0.006)
        ]
        return found[0], found[1]

    with opened(browser, page_of(chart, tmp_path)) as found:
        page = ready(found)
        assert n_clear(page) == len(rows)
        first, second = ("y0", 0.6, 0.97), ("y1", 0.3, 0.8)
        brush(page, 0, *first[1:])
        least, most = within(first)
        one = n_clear(page)
        assert 0 < least <= one <= most < len(rows)
        brush(page, 1, *second[1:])
        least, most = within(first, second)
        assert 0 < least <= n_clear(page) <= most < one
        found.check()


def test_a_pointer_on_a_validated_point_says_what_is_known(
    browser: "Browser", data: Analysis, tmp_path: Path
) -> None:
    with opened(browser, page_of(front_chart(data), tmp_path)) as found:
        page = ready(found)
        front = data.tables["front"]
        points = page.locator('svg path[aria-label*="θ of: number "]')
        assert points.count() == len(front)
        point = page.locator('svg path[aria-label*="θ of: number 4, "]')
        point.hover(force=True)
        page.wait_for_selector("#vg-tooltip-element.visible")
        said = page.locator("#vg-tooltip-element").inner_text()
        row = front.iloc[3]
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
