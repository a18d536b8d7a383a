"""Which games of published studies are shown, and what is said of others."""

from collections.abc import Callable
from dataclasses import replace
from statistics import quantiles

import pandas as pd
import pytest

from tests.study.charts.published import REFERENCE
from tests.study.made_studies import analysis_with, changed
from thetafront.study.log.point import Point
from thetafront.study.log.published_study import read_published
from thetafront.study.page.replays.recorded import recorded, spread
from thetafront.study.report.analysis import Analysis


def page_of(name: str) -> Analysis:
    """A page without the models, which replays do not ask."""
    _, data = read_published(REFERENCE / name)
    tables = {each: pd.read_csv(REFERENCE / name / f"{each}.csv") for each in ("front", "trials")}
    return analysis_with(data, model=None, combined=None, tables=tables)


@pytest.fixture(scope="module")
def pacman() -> Analysis:
    return page_of("pacman")


def with_points(page: Analysis, change: Callable[[Point], Point]) -> Analysis:
    """The same with its validated points changed by a function."""
    return changed(page, data=replace(page.data, points=[*map(change, page.data.points)]))


@pytest.mark.parametrize(
    ("n", "places"), [(0, []), (1, [0]), (2, [0, 1]), (3, [0, 1, 2]), (14, [0, 6, 13])]
)
def test_points_are_the_first_the_middle_and_the_last(n: int, places: list[int]) -> None:
    assert spread(n) == places


def test_a_study_of_pacman_shows_three_games_that_are_stored_with_it(pacman: Analysis) -> None:
    found = recorded(pacman)
    assert found.left_out == []
    assert [each["game"] for each in found.replays] == ["pacman"] * 3
    front = pacman.tables["front"].query("on_front")
    front.index = "number " + front["number"].astype(str) + ", " + front["origin"]
    costs = front["seconds_per_move"][[each["label"] for each in found.replays]].to_list()
    assert costs == sorted(costs)
    assert (costs[0], costs[-1]) == (
        front["seconds_per_move"].min(),
        front["seconds_per_move"].max(),
    )
    by_key = {point.key: point for point in pacman.data.points}
    for each in found.replays:
        games = by_key[str(front.loc[each["label"], "point"])].in_order
        (stored,) = [game for game in games if game.seed == int(each["seed"])]
        assert each["score"] == stored.score
        assert len(each["steps"]["score"]) == stored.n_moves + 1
        low, _, high = quantiles([game.score for game in games])
        assert low <= each["score"] <= high


def test_a_game_that_is_not_as_stored_is_left_out_and_reported(pacman: Analysis) -> None:
    def spoilt(point: Point) -> Point:
        wrong = {key: replace(game, score=game.score + 7) for key, game in point.games.items()}
        return replace(point, games=wrong)

    found = recorded(with_points(pacman, spoilt))
    assert found.replays == []
    assert "when played again" in found.left_out[0]


def test_no_more_is_played_than_time_allows(pacman: Analysis) -> None:
    found = recorded(pacman, cpu_seconds=1e-6)
    assert found.replays == []
    assert all("take more than" in each for each in found.left_out)
    few = recorded(pacman, cpu_seconds=0.05)
    labels = [each["label"] for each in few.replays]
    numbers = [int(each.removeprefix("number ").partition(",")[0]) for each in labels]
    assert numbers == sorted(set(numbers)), "no point twice"


def test_games_that_were_played_side_by_side_are_not_chosen() -> None:
    page = page_of("mcmdp")

    def together(point: Point) -> Point:
        return replace(point, games={k: g for k, g in point.games.items() if not g.is_timed})

    found = recorded(with_points(page, together))
    assert found.replays == []
    assert "were all played side by side" in found.left_out[0]


def test_without_validation_trials_are_shown(pacman: Analysis) -> None:
    found = recorded(with_points(pacman, lambda point: replace(point, games={}))).replays
    assert found
    assert all(each["label"].startswith("trial ") for each in found)


def test_dice_are_played_for_the_page_and_it_says_so() -> None:
    found = recorded(page_of("dice_study"))
    assert len(found.replays) == 3
    assert all("store solutions" in each["note"] for each in found.replays)
    assert not found.are_stored
    assert recorded(page_of("mcmdp")).are_stored


@pytest.mark.parametrize(
    ("name", "reason"), [("zstd", "Only 2048, Pacman and dice games"), ("ntuple", "learns before")]
)
def test_others_have_none_and_a_reason(name: str, reason: str) -> None:
    found = recorded(page_of(name))
    assert found.replays == []
    (said,) = found.left_out
    assert reason in said
