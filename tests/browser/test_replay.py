"""Replays in Chromium: a hundred games by the page's rules, and a player and its keys."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.browser.ground import Opened, opened, replay_page
from tests.browser.played import agents, shown
from thetafront.agents.agent import Agent, Game
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.engine.twenty48 import Action, Rule, afterstate, pack, unpack

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

HOSTILE = (
    '<script>window.hit = 1</script>"\'><img src=x onerror="window.hit = 1">{{7*7}}</script>',
    "\u202eright to left, שלום\u0000\ud83d",
    "x" * 10_000,
)


@pytest.fixture(scope="module")
def blank(browser: "Browser", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A page that has the script and no game."""
    path = replay_page(tmp_path_factory.mktemp("blank") / "page.html", [])
    with opened(browser, str(path)) as found:
        yield found


def recompute(blank: Opened, data: dict[str, Any]) -> dict[str, Any]:
    """Return what the page makes of a record; positions as plain data."""
    found: dict[str, Any] = blank.page.evaluate(
        "(data) => { const {score, steps, agrees, error} = thetafrontRecompute(data);"
        " return {score, steps, agrees, error}; }",
        data,
    )
    return found


def played() -> list[tuple[Agent, Game]]:
    return [(agent, agent.play(seed)) for agent, seeds in agents() for seed in seeds]


def test_a_hundred_games_have_the_scores_and_positions_of_the_engine(blank: Opened) -> None:
    games = played()
    kinds = Counter(game.kind for _, game in games)
    assert kinds == {"2048": 34, "pacman": 33, "dice": 33}
    events: Counter[str] = Counter()
    for agent, game in games:
        data = shown(agent, game)
        found = recompute(blank, data)
        assert found["error"] == "", (agent, game)
        assert found["score"] == game.score, (agent, game)
        assert found["agrees"] is True
        check_positions(agent, game, found["steps"], events)
    # Rules that no game has shown are not tested.
    needed = {"merge", "four", "won", "lost", "cut", "slip", "scared", "ghost eaten", "reroll"}
    assert needed <= set(events), events
    blank.check()


def check_positions(
    agent: Agent, game: Game, steps: list[dict[str, Any]], events: Counter[str]
) -> None:
    """Compare each position with that of the agent's own game."""
    if isinstance(agent, Agent2048):
        moves = list(agent.moves(game.seed))
        assert len(steps) == game.n_moves + 1 == len(moves) + 1
        for step, move in zip(steps, moves, strict=False):
            assert step["cells"] == unpack(move.board).ravel().tolist()
            assert step["score"] == move.score
        assert steps[-1]["cells"] == unpack(game.end_board).ravel().tolist()  # type: ignore[attr-defined]
        events["merge"] += game.score > 0
        events["four"] += any(each["cells"][each["spawned"]] == 2 for each in steps[1:])
    elif isinstance(agent, PacmanAgent):
        world = agent.start(game.seed)
        for step in steps:
            if step is not steps[0]:
                before = world.copy()
                world.step(step["action"])
                eaten = 200 <= world.score - before.score < 500 + 200
                events["ghost eaten"] += eaten and before.n_food > 1
                events["slip"] += step["moved"] != step["action"]
            assert (step["x"], step["y"]) == world.pacman
            assert (step["score"], step["nFood"]) == (world.score, world.n_food)
            assert step["outcome"] == world.outcome.name.lower()
            places = [(each["x"] / 2, each["y"] / 2, each["timer"]) for each in step["ghosts"]]
            assert places == [(each.x, each.y, each.timer) for each in world.ghosts]
            events["scared"] += any(each.timer for each in world.ghosts)
        assert world.is_over
        events[world.outcome.name.lower()] += 1
    else:
        assert isinstance(agent, DiceAgent)
        end = sorted(each["face"] for each in steps[-2]["dice"])
        assert tuple(end) == game.end_roll  # type: ignore[attr-defined]
        assert len(steps) == game.n_moves + 1
        events["reroll"] += game.n_moves > 1


def first_game(kind: str) -> dict[str, Any]:
    agent, seeds = next(each for each in agents() if each[0].play(each[1][0]).kind == kind)
    return shown(agent, agent.play(seeds[0]))


def altered(data: dict[str, Any], key: str, place: int, value: str) -> dict[str, Any]:
    text = data[key]
    return {**data, key: text[:place] + value + text[place + 1 :]}


def test_a_record_that_is_not_the_games_is_told_apart(blank: Opened) -> None:
    game, maze, dice = (first_game(kind) for kind in ("2048", "pacman", "dice"))
    wrong = recompute(blank, {**game, "score": game["score"] + 4})
    assert (wrong["agrees"], wrong["error"]) == (False, "")
    rotated = str((int(game["actions"][0]) + 1) % 4)
    for data, message in (
        ({**game, "actions": game["actions"][:-1], "spawns": game["spawns"][:-1]}, "is not over"),
        ({**game, "game": "chess"}, "there are no rules of chess"),
        ({**game, "game": "toString"}, "there are no rules of toString"),
        ({**game, "start": "0" * 16}, "a game starts with two tiles"),
        (altered(game, "actions", 3, "7"), "move 4: there is no action 7"),
        (altered(game, "spawns", 5, "z"), "move 6: no empty cell for the spawn"),
        ({**maze, "outcome": "won"}, "the game is lost, and won on record"),
        (altered(maze, "moves", 0, str((int(maze["actions"][0]) + 2) % 4)), "turn 1: no such move"),
        (altered(maze, "ghosts", 0, "4"), "turn 1: a ghost went where it may not"),
        ({**dice, "held": [[9], *dice["held"][1:]]}, "a face is held that was not rolled"),
        ({**dice, "rolls": [[7, 1, 1], *dice["rolls"][1:]]}, "roll 1: there is no such face"),
    ):
        found = recompute(blank, data)
        assert found["agrees"] is False, data
        assert message in found["error"]
    changed = recompute(blank, altered(game, "actions", 0, rotated))
    assert changed["agrees"] is False
    blank.check()


def test_tiles_slide_as_in_the_engine_by_both_rules_up_to_the_largest(blank: Opened) -> None:
    rng = np.random.default_rng(7)
    crowded = rng.integers(0, 4, (400, 16))  # few kinds of tiles: many merge
    largest = rng.choice([0, 14, 15], (400, 16))
    boards = np.concatenate([crowded, largest, rng.integers(0, 16, (200, 16))])
    for rule in Rule:
        found = blank.page.evaluate(
            """([boards, cascade]) => boards.map((cells) => [0, 1, 2, 3].map((action) => {
              const {after, reward} = thetafrontRecompute.slide(cells, action, cascade);
              return [after, reward];
            }))""",
            [boards.tolist(), rule is Rule.CASCADE],
        )
        for cells, by_action in zip(boards, found, strict=True):
            for action, (after, reward) in zip(Action, by_action, strict=True):
                board, points = afterstate(pack(cells.reshape(4, 4)), action, rule)
                assert (after, reward) == (unpack(board).ravel().tolist(), points), (cells, action)


@pytest.fixture(scope="module")
def page_of_three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a game of each kind."""
    games = [first_game(kind) for kind in ("2048", "pacman", "dice")]
    return replay_page(tmp_path_factory.mktemp("three") / "page.html", games)


def status(players: Opened, number: int = 0) -> str:
    return players.page.locator(".tf-status").nth(number).inner_text()


def test_every_game_says_that_it_agrees_with_the_record(
    browser: "Browser", page_of_three: Path
) -> None:
    with opened(browser, str(page_of_three)) as found:
        verdicts = found.page.locator(".tf-verdict").all_inner_texts()
        assert len(verdicts) == 3
        assert all(each.startswith("✓") and "as on record" in each for each in verdicts)
        found.check()


def test_buttons_and_slider_and_keys_go_through_the_game(
    browser: "Browser", page_of_three: Path
) -> None:
    game = first_game("2048")
    n = len(game["actions"])
    with opened(browser, str(page_of_three)) as found:
        player = found.page.locator(".tf-replay").first
        press = lambda name: player.get_by_role("button", name=name, exact=True).click()  # noqa: E731
        assert status(found).startswith(f"move {n} of {n}")
        press("First position")
        assert status(found) == f"move 0 of {n} · 0 points · the start"
        tiles = player.locator(".tf-tile").all_inner_texts()
        start = [str(2 ** int(digit, 16)) if digit != "0" else "" for digit in game["start"]]
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
        found.check()


def test_it_plays_pauses_and_ends(browser: "Browser", page_of_three: Path) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    n = len(first_game("2048")["actions"])
    with opened(browser, str(page_of_three)) as found:
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
        found.check()


def test_the_pace_is_kept(browser: "Browser", page_of_three: Path) -> None:
    with opened(browser, str(page_of_three)) as found:
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


def test_a_finger_taps_and_strokes(browser: "Browser", page_of_three: Path) -> None:
    with opened(browser, str(page_of_three), width=400, touch=True) as found:
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
        found.check()


def test_reduced_motion_begins_slowly(browser: "Browser", page_of_three: Path) -> None:
    with opened(browser, str(page_of_three), reduced=True) as found:
        speeds = [each.input_value() for each in found.page.get_by_role("combobox").all()]
        assert speeds == ["1", "1", "1"]


@pytest.mark.parametrize("width", [320, 400, 2560])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window_and_text_can_be_read(
    browser: "Browser", page_of_three: Path, width: int, dark: bool
) -> None:
    with opened(browser, str(page_of_three), width=width, dark=dark) as found:
        assert found.overflow <= 0
        colours = found.page.evaluate(
            """[...document.querySelectorAll(".tf-status, .tf-verdict, .tf-controls button")]
              .map((node) => getComputedStyle(node).color)"""
        )
        bright = [sum(map(int, re.findall(r"\d+", each)[:3])) > 384 for each in colours]
        assert set(bright) == {dark}
        found.check()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(browser: "Browser", tmp_path: Path, text: str) -> None:
    game = {**first_game("dice"), "label": text, "note": text, "seed": text}
    path = replay_page(tmp_path / "page.html", [game, {**game, "game": text}])
    with opened(browser, str(path), width=400) as found:
        assert found.page.evaluate("window.hit") is None
        assert found.page.locator("img, .tf-replay script").count() == 0
        assert found.page.locator(".tf-replay").count() == 2
        assert found.overflow <= 0
        shown_text = found.page.locator(".tf-replay-title strong").first.text_content()
        assert shown_text is not None
        assert shown_text[:5] == text[:5]
        found.check()
