"""Mean scores in tables: columns by hand, text, and marks."""

import pandas as pd
import pytest

from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.compare.scores import estimate_columns, score_columns, score_rows, shown
from thetafront.study.estimate import Estimate


def test_columns_by_hand() -> None:
    """Scores 900, 1000, 1100, 1400: error 108.0, and Student's t of four games is 3.182."""
    games = [
        Game(r, score, 100, 0.2, 5000, 64, 0) for r, score in enumerate((900, 1000, 1100, 1400))
    ]
    columns = score_columns(games)
    assert columns == {
        "n_games": 4,
        "score_mean_points": 1100.0,
        "score_low95_points": pytest.approx(1100 - 3.182446 * 108.0123),
        "score_high95_points": pytest.approx(1100 + 3.182446 * 108.0123),
        "seconds_per_move": pytest.approx(0.002),
        "playout_moves_per_move": 50.0,
    }
    assert shown(columns, "score_mean", "score") == "1,100 (756 to 1,444)"


def test_a_difference_is_written_with_its_sign() -> None:
    columns = estimate_columns("less_plain", "less_plain", Estimate(1234.4, -50.6, 2519.0))
    assert shown(columns, "less_plain", "less_plain", "+") == "+1,234 (-51 to +2,519)"


def test_marks_are_in_the_order_of_cost() -> None:
    table = pd.DataFrame(
        {
            "seconds_per_move": [3.0, 1.0],
            "score_mean_points": [20.0, 10.0],
            "score_low95_points": [19.0, 7.0],
            "score_high95_points": [25.0, 12.0],
        }
    )
    assert score_rows(table) == [
        {"x": 1.0, "y": 10.0, "low": 7.0, "high": 12.0},
        {"x": 3.0, "y": 20.0, "low": 19.0, "high": 25.0},
    ]
