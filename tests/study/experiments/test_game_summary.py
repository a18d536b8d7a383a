import math

import pytest

from thetafront.agents.external.report import PenalizedGame, ReportedGame
from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.experiments.game_summary import (
    GameSummary,
    MatchSummary,
    TileSummary,
    share_reaching,
)
from thetafront.study.experiments.objectives.costs import SECONDS
from thetafront.study.experiments.objectives.goals import SCORE
from thetafront.study.experiments.play_summary import PlaySummary

GAMES = [Game(0, 1000, 100, 0.5, 40_000, 32768, 0), Game(1, 3000, 300, 0.5, 60_000, 4096, 0x11)]


def test_shares_of_tiles_reached() -> None:
    assert share_reaching(GAMES, 32768) == 0.5
    assert math.isnan(share_reaching([], 2))
    summary = TileSummary(Game)
    row = summary.columns(GAMES)
    assert row["share_reaching_8192"] == 0.5
    assert summary.cells(row) == {"≥ 4096": "100%", "≥ 8192": "50%"}
    assert list(summary.cells(summary.columns([]))) == ["≥ 4096", "≥ 8192"]
    ((label, text),) = summary.lines(GAMES)
    assert (label, text.split(", ")[-1]) == ("reached", "8192 50.0%")


def test_other_games_add_nothing() -> None:
    summary = GameSummary(Game)
    assert (summary.columns(GAMES), summary.cells({}), summary.lines(GAMES)) == ({}, {}, [])


@pytest.mark.parametrize("kind", [GameSummary, MatchSummary])
def test_numbers_that_all_games_of_a_user_report_have_means(kind: type[GameSummary]) -> None:
    reports: list[dict[str, float | str | None]] = [
        {"margin": 3, "plies": 30.5, "note": "a", "odd": 1, "lost": 1},
        {"margin": 6, "plies": 31.0, "note": "b", "odd": "x"},
    ]
    games: list[ReportedGame] = [
        ReportedGame(k, 1.0, 9, 0.1, each) for k, each in enumerate(reports)
    ]
    games.append(PenalizedGame(2, 0.0, 1, 0.1, {}))  # it failed
    summary = kind(ReportedGame)
    row = summary.columns(games)
    means = {name: row[name] for name in row if name.startswith("mean_")}
    assert means == {"mean_margin": 4.5, "mean_plies": 30.75}
    assert summary.lines(games)[-1] == ("reported", "margin 4.5, plies 30.75 (means per game)")
    assert not any(name.startswith("mean_") for name in summary.columns([]))


def test_the_heading_of_games_has_all_digits_of_whole_numbers() -> None:
    params: dict[str, Value] = {"buffer": 1234567, "share": 0.25, "cache": True, "weights": ""}
    games = [Game(7, 1000, 100, 0.5, 0, 128, 0)]
    heading, *_ = PlaySummary("big.py", params, games, (SCORE,), (SECONDS,)).text().splitlines()
    theta = "buffer 1234567, share 0.25, cache true, weights none"
    assert heading == f"big.py ({theta}), 1 game from seed 7"
