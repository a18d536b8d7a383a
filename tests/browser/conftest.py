"""A browser for tests; they are skipped with a reason where there is none."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.chromium import executable, why_not

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Start Chromium without a window."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: make test-browser"
    )
    if reason := why_not():
        pytest.skip(reason)
    options = ["--no-sandbox", "--disable-gpu"]  # root has no sandbox, and containers no GPU
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=executable(), args=options)
        yield made
        made.close()
