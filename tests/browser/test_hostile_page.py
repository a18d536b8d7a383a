"""Names, labels and messages that would be code, where a page did not take them for text."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.ground import opened
from tests.browser.test_page import wait_until_drawn
from tests.study.charts.published import published
from thetafront.study.experiments.space import Space
from thetafront.study.page.document import TURNING
from thetafront.study.page.page import page_html
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import write_text

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = {
    "script": '</script><script>window.hit = 1</script><img src=x onerror="window.hit = 1">',
    "quotes": "\"'><svg onload=window.hit=1>&lt;{{7*7}}{% for %}`${window.hit=1}`\\u003c\\",
    "right to left": "\u202e\u05e9\u05dc\u05d5\u05dd \u2067abc\u200f <b>bold</b>",
    "long": "<i>" + "x" * 10_000,
    "vega": "datum.x + (window.hit = 1)' ] ['a.b\\.c",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_labels_and_messages_stay_text(
    browser: "Browser", tmp_path: Path, kind: str
) -> None:
    text = HOSTILE[kind]
    location, analysis = published("dice_study")
    data, experiment = analysis.data, analysis.data.experiment
    space = Space(tuple(replace(each, symbol=text + each.name) for each in experiment.space))
    (values,) = experiment.baselines.values()
    hostile = replace(experiment, title=text, space=space, baselines={text: values})
    trials = [
        replace(trial, origin=text, error=text if trial.number == 5 else "")
        for trial in data.trials
    ]
    points = [replace(point, origin=text) for point in data.points]
    # A study's name has letters and digits only.
    changed = replace(data, experiment=hostile, trials=trials, points=points)
    path = tmp_path / "page.html"
    write_text(page_html(Analysis(changed), location), path)
    for width in (400, 1280):
        with opened(browser, str(path), width=width) as found:
            wait_until_drawn(found)
            page = found.page
            assert page.evaluate("window.hit") is None
            assert page.locator("body img, body b, body i").count() == 0
            title = page.locator(".lead bdi").text_content()
            assert title is not None
            assert title.strip() == text.translate(TURNING).strip()
            assert found.overflow <= 0
            for mark in page.locator("#front svg path[aria-roledescription=point]").all()[-6:]:
                mark.hover(force=True)
            page.locator("#slider").fill("0")
            assert page.evaluate("window.hit") is None
            found.check()
