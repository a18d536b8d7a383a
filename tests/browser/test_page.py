"""The page of a study in Chromium: every published one opens; one is used as a reader would."""

import csv
import io
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.ground import Opened, opened
from tests.study.charts.conftest import STUDIES
from tests.study.charts.published import REFERENCE, published
from thetafront.study.api import sweep
from thetafront.study.log.storage import open_for_reading
from thetafront.study.page.page import Circumstances, page_html
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.tables import write_text

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

ROOT = Path(__file__).parents[2]
SHOWN = {"mcmdp": 3, "switching": 3, "heuristic": 3, "uct": 3, "pacman": 3, "dice_study": 3}
SECONDS_TO_DRAW = 30_000.0
MAX_BYTES = 6_000_000
Show = Callable[..., AbstractContextManager[Opened]]
BUSY = 3.0
"""How much longer a page may take on a machine that has more to do."""


@cache
def html_of(name: str) -> str:
    """The page of a published study."""
    location, page = published(name)
    return page_html(page, location)


def wait_until_drawn(found: Opened) -> None:
    ready = found.page.locator("html[data-ready=yes]")
    ready.wait_for(state="attached", timeout=SECONDS_TO_DRAW)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Write the page of a published study, once."""
    folder = tmp_path_factory.mktemp("pages")

    def written(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            write_text(html_of(name), path)
        return path

    return written


@pytest.fixture(scope="module")
def show(browser: "Browser", pages: Callable[[str], Path]) -> Show:
    """Open the page of a published study and wait until it is drawn; check it in the end."""

    @contextmanager
    def shown(name: str, **options: Any) -> Iterator[Opened]:
        with opened(browser, str(pages(name)), **options) as found:
            wait_until_drawn(found)
            yield found
            found.check()

    return shown


@pytest.mark.parametrize("name", STUDIES)
def test_published_studies_open_without_an_error_or_a_request(
    show: Show, pages: Callable[[str], Path], name: str
) -> None:
    assert pages(name).stat().st_size < MAX_BYTES
    for dark, width in ((False, 1280), (True, 400)):
        begun = time.monotonic()
        with show(name, dark=dark, width=width) as found:
            seconds = time.monotonic() - begun
            print(f"\n{name}, {width} px: drawn after {seconds:.2f} s")
            assert found.overflow <= 0
            charts = found.page.locator(".chart").all()
            assert len(charts) >= 5
            for fold in found.page.locator("details.fold > summary").all():
                fold.click()
            for chart in charts:
                chart.locator("svg").wait_for(timeout=SECONDS_TO_DRAW)
            tables = found.page.locator("[role=region]")
            labels = [each.get_attribute("aria-label") for each in tables.all()]
            assert len({*labels}) == len(labels), "each table has a label of its own"
            verdicts = found.page.locator(".tf-verdict").all_inner_texts()
            assert len(verdicts) == SHOWN.get(name, 0)
            assert all(each.startswith("✓") for each in verdicts), verdicts


@pytest.mark.parametrize("width", [320, 400, 768, 2560])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window(show: Show, width: int, dark: bool) -> None:
    with show("mcmdp", width=width, dark=dark) as found:
        for each in found.page.locator("summary").all():
            each.click()
        assert found.overflow <= 0


@pytest.mark.parametrize("name", STUDIES)
def test_what_a_reader_asks_first_is_on_the_first_screen(show: Show, name: str) -> None:
    with show(name, width=1440, height=900) as found:
        front = found.page.locator("#front-section")
        asked = ("more time buys", "parameters matter", "reproduce this")
        answers = [
            "#headline",
            "#brief",
            "#play",
            *(f"dt:has-text('{each}') + dd" for each in asked),
        ]
        for answer in [*answers, *([] if name == "dice_study" else [".trust", "#certificate"])]:
            (box,) = (each.bounding_box() for each in front.locator(answer).all())
            assert box is not None
            assert box["y"] + box["height"] <= 900, answer


def numbers_of(text: str) -> list[float]:
    return [float(each.replace(",", "")) for each in re.findall(r"-?\d[\d,]*\.?\d*", text)]


def front_of(name: str) -> list[dict[str, str]]:
    with (REFERENCE / name / "front.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def marks(found: Opened, key: str, selector: str) -> list["Locator"]:
    return found.page.locator(f"#{key} svg {selector}").all()


def test_hovering_a_validated_point_tells_theta_n_intervals_and_the_model(show: Show) -> None:
    front = front_of("mcmdp")
    with show("mcmdp") as found:
        found.page.locator("#front").scroll_into_view_if_needed()
        tooltip = found.page.locator("#vg-tooltip-element")
        seen: dict[str, str] = {}
        for mark in marks(found, "front", "path[aria-roledescription=point]"):
            box = mark.bounding_box()
            assert box is not None
            found.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            if not tooltip.is_visible():
                continue
            text = tooltip.inner_text()
            if number := re.search(r"number (\d+), ", text):
                seen[number[1]] = text
        assert len(seen) >= len(front) - 2, "points may hide each other"
        rows = {row["number"]: row for row in front}
        for number, text in seen.items():
            assert "θ₁" in text
            assert "95%" in text
            told = numbers_of(text)
            for column in ("theta1", "theta2", "n_games"):
                assert any(abs(each - float(rows[number][column])) < 0.5 for each in told), text
            for column in ("score_mean_points", "posterior_mean_points", "combined_mean_points"):
                value = float(rows[number][column])
                assert any(abs(each - value) <= 1 for each in told), (column, text)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with its database, which ``pick`` can be asked about: its page."""
    folder = tmp_path_factory.mktemp("own")
    sweep("dice", name="own", trials=24, budget=None, results=folder, jobs=2)
    _, location, data = open_for_reading("own", folder)
    path = folder / "own" / "seen.html"
    write_text(page_html(Analysis(data), location), path)
    return path


def panel(found: Opened) -> dict[str, str]:
    """The lines of the slider's panel; one without a label goes on with the last."""
    found.page.locator("details:has(> #answer)").evaluate("each => each.open = true")
    labels = found.page.locator(":is(#brief, #answer) dt").all_inner_texts()
    texts = found.page.locator(":is(#brief, #answer) dd").all_inner_texts()
    lines: dict[str, str] = {}
    for label, text in zip(labels, texts, strict=True):
        name = label or [*lines][-1]
        lines[name] = f"{lines[name]}\n{text}" if name in lines else text
    return {**lines, "play it": found.page.locator("#play").inner_text()}


def said_by_pick(command: str) -> dict[str, str]:
    """Run the command that the panel shows; return its lines by label."""
    words = shlex.split(command)
    assert words[:2] == ["thetafront", "pick"]
    done = subprocess.run(
        [sys.executable, "-m", "thetafront", *words[1:]],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "400"},
    )
    lines = [re.split(r"\s{2,}", line, maxsplit=1) for line in done.stdout.splitlines()]
    found: dict[str, str] = {}
    for line in lines:
        if len(line) == 2 and line[0]:
            found[line[0]] = line[1]
            last = line[0]
        elif found:
            found[last] += "\n" + line[-1].strip()
    return found


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("share", [0.0, 0.35, 0.7, 1.0])
def test_the_slider_answers_as_pick_does(browser: "Browser", own: Path, share: float) -> None:
    with opened(browser, str(own)) as found:
        wait_until_drawn(found)
        slider = found.page.locator("#slider")
        most = int(slider.get_attribute("max") or 0)
        slider.fill(str(round(share * most)))
        shown = panel(found)
        expected = said_by_pick(found.page.locator("#pick").inner_text())
        assert {key: plain(text) for key, text in shown.items()} == {
            key: plain(text) for key, text in expected.items()
        }
        found.check()


def test_the_slider_goes_by_keys_and_a_larger_budget_is_not_worse(show: Show) -> None:
    with show("mcmdp") as found:
        slider, budget = found.page.locator("#slider"), found.page.locator("#budget")
        slider.focus()
        found.page.keyboard.press("Home")
        first = budget.inner_text()
        front = {int(row["number"]): row for row in front_of("mcmdp")}
        expected = []
        for _ in range(13):
            text = found.page.locator("#brief dd").nth(0).inner_text()
            number = int(re.findall(r"\(number (\d+),", text)[0])
            (shown,) = numbers_of(found.page.locator("#headline").inner_text())[:1]
            assert abs(shown - float(front[number]["score_mean_points"])) <= 1, "what is measured"
            expected.append(numbers_of(found.page.locator("#brief dd").nth(1).inner_text())[0])
            found.page.keyboard.press("PageUp")
        assert expected == sorted(expected)
        assert expected[-1] > 1.5 * expected[0]
        assert budget.inner_text() != first
        assert slider.get_attribute("aria-valuetext") == budget.inner_text()
        rule = found.page.locator("#front svg .mark-rule line[stroke-dasharray='4,4']")
        places = set()
        for key in ("Home", "End"):
            found.page.keyboard.press(key)
            found.page.wait_for_timeout(100)
            box = rule.last.bounding_box()
            assert box is not None
            places.add(round(box["x"]))
        assert len(places) == 2, "a line in the chart is where the budget is"


def test_controls_of_charts_are_there_for_assistive_tools(show: Show) -> None:
    with show("mcmdp") as found:
        page = found.page
        for fold in page.locator("details.fold > summary").all():
            fold.click()
        page.wait_for_timeout(2000)
        names = [
            each.get_attribute("aria-label") for each in page.locator(".chart svg[role]").all()
        ]
        assert len({*names}) == page.locator(".chart").count()
        assert all(each and ": a chart" in each for each in names)
        points = page.locator("#front svg [role=button]")
        assert points.count() == len(front_of("mcmdp"))
        points.nth(2).focus()
        page.keyboard.press("Enter")
        number = re.findall(r"\d+", points.nth(2).get_attribute("aria-label") or "")[0]
        assert f"(number {number}," in page.locator("#brief dd").first.inner_text()
        pinned = page.locator("#validated tr.pinned")
        assert pinned.get_attribute("data-number") == number
        page.locator("#slider").focus()
        page.keyboard.press("End")
        assert f"(number {number}," not in page.locator("#brief dd").first.inner_text()
        assert pinned.get_attribute("data-number") == number, "a chosen point keeps its mark"
        ring = page.locator("#front svg path[stroke='#0072B2'][role=button]")
        assert ring.get_attribute("aria-label") == f"Show number {number}"
        assert found.page.locator("#slices").get_by_role("combobox").count() == 1


def test_a_chart_that_fails_does_not_stop_the_others(browser: "Browser", tmp_path: Path) -> None:
    html = html_of("mcmdp")
    path = tmp_path / "broken.html"
    path.write_text(html.replace('"charts":{"front":{', '"charts":{"front":{"vconcat":7,', 1))
    with opened(browser, str(path)) as found:
        wait_until_drawn(found)
        assert found.page.locator("#front").inner_text() == "This chart could not be drawn."
        assert found.page.locator("#scores svg").count() == 1
        assert any(each.startswith("error: chart front:") for each in found.errors)
        assert not any(each.startswith("exception") for each in found.errors)
        found.page.locator("#theme").click()
        found.page.wait_for_timeout(1000)
        ink = found.page.evaluate(
            "getComputedStyle(document.querySelector('#scores svg text')).fill"
        )
        assert brightness(ink) > 120, "drawn again"


def test_a_page_that_is_followed_reads_itself_again_and_keeps_what_is_chosen(
    browser: "Browser", tmp_path: Path
) -> None:
    location, page = published("mcmdp")
    path = tmp_path / "page.html"

    def write(second: int) -> None:
        made = datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC)
        # The second page does not read itself again, so no reload comes between the asserts.
        how = Circumstances(made, reload_seconds=1.0 if second == 1 else None)
        write_text(page_html(page, location, how), path)

    def wait_until_made(second: int) -> None:
        made = f"2026-01-01T00:00:{second:02d}+00:00"
        found.page.locator(f"time[datetime='{made}']").wait_for(timeout=SECONDS_TO_DRAW)
        wait_until_drawn(found)

    write(1)
    with opened(browser, str(path)) as found:
        wait_until_made(1)
        found.page.locator("#slider").focus()
        found.page.keyboard.press("End")
        write(2)
        found.page.wait_for_timeout(4000)
        assert found.page.locator("time").get_attribute("datetime") == "2026-01-01T00:00:01+00:00"
        found.page.locator("#validated tbody tr[data-number='3'] td").nth(1).click()
        command = found.page.locator("#play").inner_text()
        found.page.locator("summary").first.click()
        wait_until_made(2)
        assert found.page.locator("#play").inner_text() == command
        row = found.page.locator("#validated tbody tr.chosen")
        assert row.get_attribute("data-number") == "3"
        opened_now = found.page.locator("details").evaluate_all("all => all.map(each => each.open)")
        assert opened_now == [True, *[False] * (len(opened_now) - 1)]
        found.check()


def test_a_page_that_nobody_rewrites_stops_reading_itself(
    browser: "Browser", tmp_path: Path
) -> None:
    location, page = published("dice_study")
    path = tmp_path / "page.html"
    write_text(page_html(page, location, Circumstances(reload_seconds=0.02)), path)
    with opened(browser, str(path)) as found:
        loads = []
        found.page.on("load", lambda _: loads.append(1))
        found.page.locator("#age", has_text="no longer updated").wait_for(timeout=60_000)
        n = len(loads)
        found.page.wait_for_timeout(3000)
        assert n <= len(loads) <= n + 1
        assert 3 <= len(loads) <= 8


def column(found: Opened, place: int) -> list[str]:
    cells = found.page.locator(f"#validated tbody tr td:nth-child({place + 1})")
    return [str(each.get_attribute("data-value")) for each in cells.all()]


def test_the_table_sorts_by_any_column_and_back(show: Show) -> None:
    with show("mcmdp") as found:
        heads = found.page.locator("#validated thead th")
        n = heads.count()
        assert n >= 10
        for place in range(n):
            button = heads.nth(place).locator("button")
            if not button.count():
                continue
            values = column(found, place)
            is_number = all(re.fullmatch(r"-?[\d.]+(e-?\d+)?%?", each) for each in values)

            def key(text: str, is_number: bool = is_number) -> Any:
                return float(text.rstrip("%")) if is_number else 0

            button.click()
            order = heads.nth(place).get_attribute("aria-sort")
            if order == "descending":  # it was sorted so already
                button.click()
            ascending = column(found, place)
            assert sorted(values) == sorted(ascending), "no row is lost"
            assert [key(each) for each in ascending] == sorted(map(key, ascending))
            button.click()
            assert heads.nth(place).get_attribute("aria-sort") == "descending"
            descending = column(found, place)
            assert [key(each) for each in descending] == sorted(map(key, ascending), reverse=True)
            if is_number and len(set(values)) > 2:
                assert ascending != descending


def test_a_row_shows_its_point_above(show: Show) -> None:
    with show("mcmdp") as found:
        row = found.page.locator("#validated tbody tr[data-number='3']")
        row.locator("button.number").click()
        command = row.locator("code").inner_text()
        assert found.page.locator("#play").inner_text() == command
        assert "chosen" in (row.get_attribute("class") or "")


def test_ranges_leave_the_lines_that_meet_them_and_are_quick(show: Show) -> None:
    with show("mcmdp") as found:
        page = found.page
        lines = page.locator("#theta polyline")
        n = lines.count()
        assert n >= 100
        places = lines.evaluate_all("all => all.map(each => [...each.points].map(p => p.x))")
        handle = page.get_by_label("θ₁: from")
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        assert box is not None
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")

        def busy() -> float:
            metrics = session.send("Performance.getMetrics")["metrics"]
            return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

        page.mouse.move(box["x"] + 6, box["y"] + 7)
        page.mouse.down()
        page.wait_for_timeout(300)
        before = busy()
        for k in range(1, 21):
            page.mouse.move(box["x"] + 6 + 0.02 * k * box["width"], box["y"] + 7)
            page.wait_for_timeout(30)
        seconds = (busy() - before) / 20
        page.mouse.up()
        print(f"\n{1000 * seconds:.0f} ms a move of a range")
        assert seconds < 0.05 * BUSY
        page.get_by_label("θ₂: to").focus()
        for _ in range(3):
            page.keyboard.press("PageDown")
        ends = page.locator("#theta input").evaluate_all("all => all.map(e => Number(e.value))")
        inside = [
            all(low <= x <= high for x, low, high in zip(each, ends[::2], ends[1::2], strict=True))
            for each in places
        ]
        assert 0 < sum(inside) < n
        assert page.locator("#theta polyline:not(.out)").count() == sum(inside)
        assert page.locator("#within").inner_text().startswith(f"{sum(inside)} of {n} lines")


def test_slices_go_through_the_point_that_is_chosen(show: Show) -> None:
    with show("dice_study") as found:
        drawn = found.page.locator("#slices svg").first
        before = drawn.inner_html()
        for place, is_same in ((0, False), (2, True)):
            found.page.locator("#slices select").select_option(index=place)
            found.page.wait_for_timeout(500)
            assert (drawn.inner_html() == before) == is_same


def test_charts_and_tables_are_saved(show: Show) -> None:
    begins = {"png": b"\x89PNG", "svg": b"<svg", "csv": b'"symbol","meaning"'}
    with show("mcmdp") as found:
        buttons = {
            "png": found.page.get_by_label("Save Score against CPU time per move as PNG"),
            "svg": found.page.get_by_label("Save Score against CPU time per move as SVG"),
            "csv": found.page.get_by_label("Save the table of Slices of the model as CSV"),
        }
        for kind, button in buttons.items():
            with found.page.expect_download() as download:
                button.click()
            assert download.value.suggested_filename.endswith(f".{kind}")
            assert Path(download.value.path()).read_bytes().startswith(begins[kind])


def test_buttons_copy_commands_and_the_front(show: Show) -> None:
    allowed = ("clipboard-read", "clipboard-write")
    with show("mcmdp", permissions=allowed) as found:
        page = found.page
        buttons = page.locator("[data-copy]").all()
        assert len(buttons) >= 2
        for button in buttons:
            if not button.is_visible():
                continue
            button.click()
            page.locator("#notice", has_text="Copied").wait_for()
            text = page.locator(f"#{button.get_attribute('data-copy')}").text_content()
            assert page.evaluate("navigator.clipboard.readText()") == text
        page.locator("#copy-csv").click()
        page.wait_for_timeout(200)
        copied = list(csv.DictReader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))
        stored = front_of("mcmdp")
        assert [row["point"] for row in copied] == [row["point"] for row in stored]
        assert [row["theta1"] for row in copied] == [row["theta1"] for row in stored]


def brightness(colour: str) -> float:
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_the_theme_follows_the_system_and_a_button(show: Show) -> None:
    for dark in (False, True):
        with show("pacman", dark=dark) as found:
            page = found.page

            def colours(page: Any = page) -> tuple[float, float]:
                paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
                ink = page.evaluate(
                    "getComputedStyle(document.querySelector('#front svg text')).fill"
                )
                return brightness(paper), brightness(ink)

            paper, ink = colours()
            assert (paper < 60) == dark
            assert (ink > 120) == dark, "text of charts is read on either"
            page.locator("#theme").click()
            page.wait_for_timeout(3000)
            paper, ink = colours()
            assert (paper < 60) != dark
            assert (ink > 120) != dark


def test_it_can_be_read_without_a_script(browser: "Browser", pages: Callable[[str], Path]) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 400, "height": 800})
    page = context.new_page()
    page.goto(pages("mcmdp").as_uri())
    assert page.locator("#validated tbody tr").count() == len(front_of("mcmdp"))
    assert "points" in page.locator("#headline").inner_text()
    assert page.locator("noscript .warning").is_visible()
    context.close()


def test_every_control_is_reached_by_keys_and_has_a_name(show: Show) -> None:
    with show("mcmdp") as found:
        nameless = found.page.evaluate(
            """[...document.querySelectorAll("button, input, select, a[href]")]
            .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim()
              || (node.labels && node.labels.length)))
            .map((node) => node.outerHTML.slice(0, 100))"""
        )
        assert nameless == []
        reached = set()
        for _ in range(40):
            found.page.keyboard.press("Tab")
            reached.add(
                found.page.evaluate("document.activeElement.id || document.activeElement.tagName")
            )
        assert {"theme", "slider"} <= reached
