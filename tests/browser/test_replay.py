"""Replays in Chromium: what the player shows, its buttons and its keys."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.ground import Opened, opened, replay_page
from tests.browser.played import agents, shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = (
    '<script>window.hit = 1</script>"\'><img src=x onerror="window.hit = 1">{{7*7}}</script>',
    "\u202eright to left, שלום\u0000\ud83d",
    "x" * 10_000,
)


Show = Callable[..., AbstractContextManager[Opened]]


def first_game(kind: str) -> dict[str, Any]:
    agent, seeds = next(each for each in agents() if each[0].play(each[1][0]).kind == kind)
    return shown(agent, agent.play(seeds[0]))


@pytest.fixture(scope="module")
def show(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Show:
    """Open a page with a game of each kind; check it in the end."""
    games = [first_game(kind) for kind in ("2048", "pacman", "dice")]
    path = replay_page(tmp_path_factory.mktemp("three") / "page.html", games)

    @contextmanager
    def shown_page(**options: Any) -> Iterator[Opened]:
        with opened(browser, str(path), **options) as found:
            yield found
            found.check()

    return shown_page


def status(players: Opened, number: int = 0) -> str:
    return players.page.locator(".tf-status").nth(number).inner_text()


def test_every_game_says_that_it_agrees_with_the_record(show: Show) -> None:
    with show() as found:
        verdicts = found.page.locator(".tf-verdict").all_inner_texts()
        assert len(verdicts) == 3
        assert all(each.startswith("✓") and "as stored" in each for each in verdicts)
        for kind, verdict in zip(("2048", "pacman", "dice"), verdicts, strict=True):
            assert f"{first_game(kind)['score']:,} point" in verdict


def test_buttons_and_slider_and_keys_go_through_the_game(show: Show) -> None:
    game = first_game("2048")
    n = len(game["steps"]["score"]) - 1
    with show() as found:
        player = found.page.locator(".tf-replay").first
        press = lambda name: player.get_by_role("button", name=name, exact=True).click()  # noqa: E731
        assert status(found).startswith(f"move {n} of {n}")
        press("First position")
        assert status(found) == f"move 0 of {n} · 0 points · the start"
        tiles = player.locator(".tf-tile").all_inner_texts()
        start = [
            str(2 ** int(digit, 16)) if digit != "0" else "" for digit in game["steps"]["cells"][0]
        ]
        assert tiles == start
        press("One back")
        assert status(found).startswith("move 0 of")
        press("One forward")
        assert status(found).startswith("move 1 of")
        press("Last position")
        assert status(found).startswith(f"move {n} of {n} · {game['score']:,} points")
        player.focus()
        for key, expected in (
            ("Home", 0),
            ("ArrowRight", 1),
            ("ArrowRight", 2),
            ("ArrowLeft", 1),
            ("End", n),
        ):
            found.page.keyboard.press(key)
            assert status(found).startswith(f"move {expected} of {n}"), key
        slider = player.get_by_role("slider")
        slider.fill("5")
        assert status(found).startswith("move 5 of")
        slider.focus()
        found.page.keyboard.press("ArrowRight")
        assert status(found).startswith("move 6 of"), "one step, not two"
        assert slider.get_attribute("aria-valuetext") == status(found)
        assert "row" not in status(found)
        label = player.locator(".tf-stage").get_attribute("aria-label")
        assert label is not None
        assert label.startswith(status(found)), "what is drawn is said"


def test_it_plays_pauses_and_ends(show: Show) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    n = len(first_game("2048")["steps"]["score"]) - 1
    with show() as found:
        page, player = found.page, found.page.locator(".tf-replay").first
        player.get_by_role("combobox").select_option("120")
        player.focus()
        page.keyboard.press("Space")
        assert player.get_by_role("button", name="Pause").is_visible()
        expect(player.get_by_role("slider")).not_to_have_value("0")
        page.keyboard.press("Space")
        at = status(found)
        page.wait_for_timeout(200)
        assert status(found) == at, "a pause is one"
        player.get_by_role("button", name="Play").click()
        expect(player.get_by_role("slider")).to_have_value(str(n), timeout=30_000)
        assert player.get_by_role("button", name="Play").is_visible(), "it ends by itself"
        player.locator(".tf-stage").click()
        assert player.get_by_role("button", name="Pause").is_visible(), "from the start"
        player.locator(".tf-stage").click()
        others = page.locator(".tf-replay").nth(1)
        assert others.get_by_role("button", name="Play").is_visible(), "each has its own"


def test_the_pace_is_kept(show: Show) -> None:
    with show() as found:
        player = found.page.locator(".tf-replay").first
        player.get_by_role("combobox").select_option("30")
        begun = found.page.evaluate(
            "new Promise((done) => { const t = performance.now(); const s ="
            " document.querySelector('.tf-slider'); document.querySelector('[aria-label=Play]')"
            ".click(); (function look() { const past = performance.now() - t; past > 1500 ?"
            " done([past, Number(s.value)]) : requestAnimationFrame(look); })(); })"
        )
        past, moves = begun
        assert moves == pytest.approx(30 * past / 1000, abs=6)


def test_a_finger_taps_and_strokes(show: Show) -> None:
    with show(width=400, touch=True) as found:
        player = found.page.locator(".tf-replay").first
        player.locator(".tf-stage").tap()
        assert player.get_by_role("button", name="Pause").is_visible()
        player.locator(".tf-stage").tap()
        player.get_by_role("button", name="First position").tap()
        box = player.locator(".tf-stage").bounding_box()
        assert box is not None
        found.page.mouse.move(box["x"] + 200, box["y"] + 50)
        found.page.mouse.down()
        found.page.mouse.move(box["x"] + 100, box["y"] + 50)
        found.page.mouse.up()
        assert status(found).startswith("move 1 of")
        for button in player.get_by_role("button").all():
            size = button.bounding_box()
            assert size is not None
            assert min(size["width"], size["height"]) >= 24, "WCAG 2.2, target size"


def test_reduced_motion_begins_slowly(show: Show) -> None:
    with show(reduced=True) as found:
        speeds = [each.input_value() for each in found.page.get_by_role("combobox").all()]
        assert speeds == ["1", "1", "1"]


@pytest.mark.parametrize("width", [320, 400, 2560])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window_and_text_can_be_read(
    show: Show, width: int, dark: bool
) -> None:
    with show(width=width, dark=dark) as found:
        assert found.overflow <= 0
        colours = found.page.evaluate(
            """[...document.querySelectorAll(".tf-status, .tf-verdict, .tf-controls button")]
              .map((node) => getComputedStyle(node).color)"""
        )
        bright = [sum(map(int, re.findall(r"\d+", each)[:3])) > 384 for each in colours]
        assert set(bright) == {dark}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(browser: "Browser", tmp_path: Path, text: str) -> None:
    game = {**first_game("dice"), "label": text, "note": text, "seed": text}
    path = replay_page(tmp_path / "page.html", [game])
    with opened(browser, str(path), width=400) as found:
        assert found.page.evaluate("window.hit") is None
        assert found.page.locator("img, .tf-replay script").count() == 0
        assert found.page.locator(".tf-replay").count() == 1
        assert found.overflow <= 0
        shown_text = found.page.locator(".tf-replay-title strong").first.text_content()
        assert shown_text is not None
        assert shown_text[:5] == text[:5]
        found.check()
