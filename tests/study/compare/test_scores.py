"""Mean scores in tables: columns by hand, text, and error bars."""

import numpy as np
import pandas as pd
import pytest

from thetafront.agents.twenty48.agent import Game2048 as Game
from thetafront.study.compare.scores import estimate_columns, score_bars, score_columns, shown
from thetafront.study.estimate import Estimate
from thetafront.study.report.style import new_figure


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
    columns = estimate_columns("less_plain", Estimate(1234.4, -50.6, 2519.0))
    assert shown(columns, "less_plain", "less_plain", "+") == "+1,234 (-51 to +2,519)"


def test_bars_end_where_intervals_do() -> None:
    table = pd.DataFrame(
        {
            "score_mean_points": [10.0, 20.0],
            "score_low95_points": [7.0, 19.0],
            "score_high95_points": [12.0, 25.0],
        }
    )
    _, axes = new_figure(4, 3)
    score_bars(axes, [1, 3], table, fmt="o")
    (bars,) = axes.collections
    assert np.array(bars.get_segments()).tolist() == [[[1, 7], [1, 12]], [[3, 19], [3, 25]]]
