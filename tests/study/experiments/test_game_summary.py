import math

from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.experiments.game_summary import GameSummary, TileSummary, share_reaching

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
