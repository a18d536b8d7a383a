import math

from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.experiments.game_summary import GameSummary, TileSummary, share_reaching
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


def test_the_heading_of_games_has_all_digits_of_whole_numbers() -> None:
    params: dict[str, Value] = {"buffer": 1234567, "share": 0.25, "cache": True, "weights": ""}
    games = [Game(7, 1000, 100, 0.5, 0, 128, 0)]
    heading, *_ = PlaySummary("big.py", params, games, (SCORE,), (SECONDS,)).text().splitlines()
    theta = "buffer 1234567, share 0.25, cache true, weights none"
    assert heading == f"big.py ({theta}), 1 game from seed 7"
