"""A page in a real browser, with a record of whatever it should not do."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from thetafront.study.page.document import policy, static

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make test-browser")

# Violations of a page's policy also reach the console, but not all of them in all versions.
LISTENER = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


@dataclass
class Opened:
    """A page, and what it did.

    Attributes
    ----------
    page : Page
        Playwright's.
    errors : list of str
        Errors and warnings of the console, and exceptions that nobody caught.
    requests : list of str
        Addresses that were asked for, except the page's own file and data in it.
    """

    page: "Page"
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def violations(self) -> list[str]:
        """What the page's Content-Security-Policy stopped."""
        found: list[str] = self.page.evaluate("window.violations")
        return found

    def check(self) -> None:
        """Assert that nothing is on record."""
        assert self.errors == []
        assert self.requests == []
        assert self.violations == []

    @property
    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(
            self.page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        )


@contextmanager
def opened(
    browser: "Browser",
    address: str,
    *,
    width: int = 1280,
    height: int = 900,
    dark: bool = False,
    reduced: bool = False,
    touch: bool = False,
    permissions: Sequence[str] = (),
) -> Iterator[Opened]:
    """Open a page in a context of its own; ``address`` may be a file's path."""
    url = address if "://" in address else Path(address).absolute().as_uri()
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if reduced else "no-preference",
        has_touch=touch,
        permissions=[*permissions],
    )
    try:
        page = context.new_page()
        made = Opened(page)
        page.add_init_script(LISTENER)
        page.on("pageerror", lambda error: made.errors.append(f"exception: {error}"))

        def console(message: Any) -> None:
            if message.type in {"error", "warning"}:
                made.errors.append(f"{message.type}: {message.text}")

        def requested(request: Any) -> None:
            if request.url != url and not request.url.startswith(("data:", "blob:")):
                made.requests.append(request.url)

        page.on("console", console)
        page.on("request", requested)
        page.goto(url)
        yield made
    finally:
        context.close()


def replay_page(path: Path, games: Sequence[Mapping[str, Any]]) -> Path:
    """Write a page with a player for each game, under the policy of a report."""
    run = """
      for (const each of JSON.parse(document.getElementById("games").textContent))
        thetafrontReplay(document.body.appendChild(document.createElement("section")), each);
    """
    script = static("replay.js") + run
    style = static("replay.css") + ":root { color-scheme: light dark; }"
    stored = json.dumps(games).replace("<", "\\u003c")
    path.write_text(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>replays</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy([script], is_beside=False)}">
<style>{style}</style><body>
<script type="application/json" id="games">{stored}</script><script>{script}</script></body></html>
""",
        encoding="utf-8",
    )
    return path
