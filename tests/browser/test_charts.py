"""Charts in Chromium, by Vega's interpreter: brushes, tooltips, choices, against the tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.ground import Opened, opened
from thetafront.study.log.published_study import read_published
from thetafront.study.page.charts.front import front_figure
from thetafront.study.page.charts.gain import gain_figure
from thetafront.study.page.charts.slices import slices_figure
from thetafront.study.page.charts.theta import ROOM, TRIALS, WIDTH, theta_figure
from thetafront.study.page.section import Figure
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


def page_of(figure: Figure, folder: Path) -> str:
    assert figure.chart is not None
    spec = figure.chart
    if spec.to_dict().get("width") == "container":
        spec = spec.properties(width=700)
    path = folder / f"{figure.key}.html"
    path.write_text(spec.to_html(inline=True, embed_options=OPTIONS), encoding="utf-8")
    return str(path)


def ready(found: Opened) -> Any:
    found.page.wait_for_selector(".vega-embed svg .mark-group")
    found.page.wait_for_timeout(SETTLED)
    return found.page


def n_clear(page: Any) -> int:
    """How many lines of the first strip are not faded."""
    return int(
        page.evaluate(
            """[...[...document.querySelectorAll("svg .mark-rule.role-mark")]
            .find((group) => group.querySelectorAll("line").length > 20)
            .querySelectorAll("line")]
            .filter((line) => Number(line.getAttribute("opacity") ?? 1) > 0.5).length"""
        )
    )


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
    figure = theta_figure(data)
    assert figure.chart is not None
    rows = [r for each in figure.chart.to_dict()["datasets"].values() for r in each if "who" in r]
    assert sum(row["kind"] == TRIALS.label for row in rows) == 128

    def within(*ranges: tuple[str, float, float]) -> tuple[int, int]:
        """How many lines meet all ranges, of a pixel or two less and more."""
        found = [
            sum(all(a - e <= row[k] <= b + e for k, a, b in ranges) for row in rows)
            for e in (-0.006, 0.006)
        ]
        return found[0], found[1]

    with opened(browser, page_of(figure, tmp_path)) as found:
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
    with opened(browser, page_of(front_figure(data), tmp_path)) as found:
        page = ready(found)
        points = page.locator("svg .mark-symbol.role-mark").last.locator("path")
        front = data.tables["front"]
        assert points.count() == len(front)
        points.nth(3).hover(force=True)
        page.wait_for_selector("#vg-tooltip-element.visible")
        said = page.locator("#vg-tooltip-element").inner_text()
        point = front.iloc[3]
        experiment = data.data.experiment
        for each in experiment.space:
            assert each.label in said
        assert experiment.goal.format.with_unit(point["score_mean_points"]) in said
        assert "P(on front)" in said
        found.check()


def test_slices_go_through_the_point_that_is_chosen(
    browser: "Browser", data: Analysis, tmp_path: Path
) -> None:
    with opened(browser, page_of(slices_figure(data), tmp_path)) as found:
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


def test_the_gain_is_shown_against_games_or_minutes(
    browser: "Browser", data: Analysis, tmp_path: Path
) -> None:
    with opened(browser, page_of(gain_figure(data), tmp_path)) as found:
        page = ready(found)
        assert "games of the search" in page.locator("svg").first.text_content()
        page.locator(".vega-bindings input").nth(1).check()
        page.wait_for_timeout(SETTLED)
        said = page.locator("svg").first.text_content()
        assert "minutes of CPU time in games" in said
        assert "games of the search" not in said
        found.check()
