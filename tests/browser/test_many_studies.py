"""Comparisons and the list of studies in Chromium: they open, fit, and link to pages that draw."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.ground import opened
from tests.browser.test_page import wait_until_drawn
from tests.study.charts.published import REFERENCE, published
from thetafront.study.page.comparison import comparison_html
from thetafront.study.page.library import BESIDE
from thetafront.study.page.results import write_each
from thetafront.study.report.tables import write_text

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = "<img src=x onerror=alert(1)>\"'\u202e" + "x" * 10_000


@pytest.mark.parametrize(("width", "dark"), [(400, True), (1280, False), (2560, False)])
def test_a_comparison_opens_and_fits(
    browser: "Browser", tmp_path: Path, width: int, dark: bool
) -> None:
    pages = [published(name)[1] for name in ("mcmdp", "uct", "switching")]
    pages[1] = replace(pages[1], data=replace(pages[1].data, name=HOSTILE))
    write_text(comparison_html(pages), tmp_path / "page.html")
    with opened(browser, str(tmp_path / "page.html"), width=width, dark=dark) as found:
        wait_until_drawn(found)
        for key in ("fronts", "differences"):
            drawn = found.page.locator(f"#{key} svg")
            assert drawn.locator("path").count() > 10
            assert drawn.get_by_text("mcmdp").count() > 0 or key == "differences"
        assert found.page.locator("img").count() == 0
        assert found.overflow <= 0
        found.check()


def test_the_list_sorts_and_leads_to_pages_that_draw(browser: "Browser", tmp_path: Path) -> None:
    for name in ("dice_study", "mcmdp"):
        shutil.copytree(REFERENCE / name, tmp_path / name)
    write_each(tmp_path)
    with opened(browser, str(tmp_path / "index.html"), width=400) as found:
        page = found.page
        rows = page.locator("#studies tbody tr td:first-child")
        assert rows.all_inner_texts() == ["dice", "mcmdp"]
        page.get_by_role("button", name="validation games").click()
        assert rows.all_inner_texts() == ["dice", "mcmdp"]
        page.get_by_role("button", name="validation games").click()
        assert rows.all_inner_texts() == ["mcmdp", "dice"]
        assert found.overflow <= 0
        found.check()
        page.locator("#studies").get_by_role("link", name="mcmdp").click()
        wait_until_drawn(found)
        assert page.locator("#front svg").count() == 1
        own = ("mcmdp/report.html", BESIDE)
        assert all(each.endswith(own) for each in found.requests)
        assert found.errors == []
        assert found.violations == []
