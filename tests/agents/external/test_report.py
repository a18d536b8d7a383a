"""Reports of games: what is taken from them, and what is refused."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from thetafront.agents.agent import Game
from thetafront.agents.external.report import Report, ReportedGame, ReportError, is_time
from thetafront.study.log.seeds import game_to_record, record_to_outcome


@dataclass(frozen=True)
class TossGame(Game, kind="toss"):
    """A user's own class of games."""

    won: bool


def test_a_mapping_gives_score_moves_and_all_else() -> None:
    given = {"won": True, "moves": 12, "depth": 3, "rate": 0.5, "end": "mate", "ok": False}
    game = Report("won", is_share=True).game(7, given, 0.25)
    assert (game.seed, game.score, game.n_moves, game.seconds) == (7, 1.0, 12, 0.25)
    assert game.reported == {"depth": 3, "rate": 0.5, "end": "mate", "ok": 0}
    assert (game.depth, game.rate, game.end) == (3, 0.5, "mate")


TIMED = {"score": 1, "seconds": 0.5}


@pytest.mark.parametrize(
    ("report", "given", "score", "n_moves", "seconds", "reported"),
    [
        (Report("loss"), 2.5, 2.5, 1, 1.0, {}),
        (Report("loss"), np.float64(2.5), 2.5, 1, 1.0, {}),
        (Report("ratio"), {"score": 3}, 3.0, 1, 1.0, {}),
        (Report("ratio"), {"score": 3, "ratio": 4}, 4.0, 1, 1.0, {"score": 3}),
        # A game of a user's class keeps its own seconds; reported ones count only as the cost.
        (Report("won", True), TossGame(5, 20, 9, 0.125, True), 1.0, 9, 0.125, {"score": 20}),
        (Report(), TIMED, 1.0, 1, 1.0, {"seconds": 0.5}),
        (Report(costs=("seconds",)), TIMED, 1.0, 1, 0.5, {}),
        (Report(), {"score": 1, "a\nb": "x\ud800y\nz"}, 1.0, 1, 1.0, {"a b": "x?y z"}),
    ],
)
def test_what_a_report_says(
    report: Report, given: Any, score: float, n_moves: int, seconds: float, reported: dict[str, Any]
) -> None:
    game = report.game(5, given, 1.0)
    found = game.seed, game.score, game.n_moves, game.seconds, game.reported
    assert found == (5, score, n_moves, seconds, reported)


@pytest.mark.parametrize(
    ("report", "given", "message"),
    [
        (Report(), {}, "a report must have 'score'"),
        (Report("won"), {"moves": 3}, "a report must have 'won' or 'score'"),
        (Report(), {"score": math.nan}, "score must be a number from -2**53 to 2**53 (got nan)"),
        (Report(), {"score": math.inf}, "score must be a number from -2**53 to 2**53 (got inf)"),
        (Report(), {"score": "12"}, "score must be a number from -2**53 to 2**53 (got '12')"),
        (Report(), None, "score must be a number from -2**53 to 2**53 (got None)"),
        (Report(), {"score": 1e300}, "score must be a number from -2**53 to 2**53 (got 1e+300)"),
        (Report("won", True), {"won": 0.6}, "won must be true, false, 1, 0 or 0.5 (got 0.6)"),
        (Report(low=0), {"score": -0.1}, "score must be 0 or more (got -0.1)"),
        (Report(high=1), {"score": 1.5}, "score must be 1 or less (got 1.5)"),
        (
            Report("result", is_match=True),
            {"result": "won"},
            "result must be 'win', 'draw', 'loss', or a number from 0 to 1 (got 'won')",
        ),
        (Report("result", is_match=True), {"result": 2}, "or a number from 0 to 1 (got 2)"),
        (
            Report(),
            {"score": 1, "moves": 0},
            "moves must be a whole number from 1 to 2**53 (got 0)",
        ),
        (Report(), {"score": 1, "moves": 1.5}, "moves must be a whole number from 1 to 2**53"),
        (Report(), {"score": 1, "moves": math.nan}, "moves must be a whole number"),
        (Report(costs=("nodes",)), {"score": 1}, "nodes must be a number above 0"),
        (Report(costs=("nodes",)), {"score": 1, "nodes": 0}, "nodes must be a number above 0"),
    ],
)
def test_what_is_no_report_is_refused(report: Report, given: Any, message: str) -> None:
    with pytest.raises(ReportError) as refused:
        report.game(0, given, 1.0)
    assert message in str(refused.value)


def test_integers_of_any_size_are_compared() -> None:
    game = Report().game(3, {"score": 1, "combinations": 10**400, "few": -(10**400)}, 1.0)
    assert game.reported == {"combinations": None, "few": None}
    with pytest.raises(ReportError, match="score must be a number"):
        Report().game(3, {"score": 10**400}, 1.0)


def test_results_of_a_match_are_words_or_numbers() -> None:
    report = Report("result", is_match=True)
    given = ["win", "draw", "loss", {"result": "win"}, 1, 0.5, 0.75, True]
    found = [report.game(0, each, 1.0).score for each in given]
    assert found == [1.0, 0.5, 0.0, 1.0, 1.0, 0.5, 0.75, 1.0]
    assert Report("won", is_share=True).game(0, 0.5, 1.0).score == 0.5


def test_what_is_kept_can_be_stored_and_read_back() -> None:
    given = {
        "score": 1,
        "nan": math.nan,
        "huge": 10**30,
        "list": [1, 2],
        "long": "x" * 1000,
        "none": None,
        "numpy": np.int64(4),
        "real": np.float64(0.5),
    }
    game = Report().game(3, given, 1.0)
    assert game.reported == {
        "nan": None,
        "huge": None,
        "list": "[1, 2]",
        "long": "x" * 200,
        "none": None,
        "numpy": 4,
        "real": 0.5,
    }
    assert record_to_outcome(game_to_record(game), ReportedGame) == game


def test_costs_are_kept_though_many_fields_come_before_them() -> None:
    given = {"score": 1, **{f"x{k}": k for k in range(100)}, "nodes": 7}
    assert Report(costs=("nodes",)).game(0, given, 1.0).nodes == 7


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1.0])
def test_seconds_that_no_game_has_are_refused(seconds: float) -> None:
    with pytest.raises(ReportError, match=r"seconds must be a number from 0 to 2\*\*53"):
        Report("won", is_share=True).game(5, TossGame(5, 20, 9, seconds, True), 1.0)


def test_fields_beyond_64_are_dropped() -> None:
    game = Report().game(0, {"score": 1, **{f"x{k}": k for k in range(100)}}, 1.0)
    assert list(game.reported) == [f"x{k}" for k in range(64)]


def test_an_unknown_field_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="ReportedGame has no 'depth'"):
        Report().game(0, 1.0, 1.0).depth  # noqa: B018


def test_fields_that_hold_times_are_known_by_their_names() -> None:
    assert all(map(is_time, ("seconds", "predict_s", "latency_ms", "solve_time", "elapsed")))
    assert not any(map(is_time, ("steps", "timeout", "seconds_left", "ms_per_move")))
