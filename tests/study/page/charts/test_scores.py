"""Histograms of single games, against plain counts."""

import numpy as np
import pandas as pd
import pytest

from tests.study.page.charts.specs import rows_of
from thetafront.study.page.charts.scores import bin_edges, scores_figure
from thetafront.study.report.analysis import Analysis


def test_bars_hold_every_game_once(small: Analysis) -> None:
    rows, games = rows_of(scores_figure(small)), small.tables["games"]
    bars = pd.DataFrame([row for row in rows if "g" in row])
    for point in small.tables["front"].to_dict("records"):
        mine = bars[bars["w"] == point["number"]]
        if not point["on_front"]:
            assert mine.empty
            continue
        scores = games.loc[games["point"] == point["point"], "score_points"].to_numpy(float)
        assert mine["g"].sum() == len(scores)
        for bar in mine.to_dict("records"):
            assert bar["g"] == np.sum((scores > bar["a"] - 1e-6) & (scores < bar["b"]))
            assert bar["s"] == pytest.approx(bar["g"] / len(scores), rel=1e-2)


def test_quantiles_and_means_are_those_of_the_games(small: Analysis) -> None:
    marks = [row for row in rows_of(scores_figure(small)) if "q50" in row]
    front = small.tables["front"]
    front = front[front["on_front"]]
    assert len(marks) == len(front)
    for mark, point in zip(marks, front.to_dict("records"), strict=True):
        games = small.tables["games"]
        scores = games.loc[games["point"] == point["point"], "score_points"].to_numpy(float)
        for q in (5, 25, 50, 75, 95):
            assert mark[f"q{q}"] == pytest.approx(np.quantile(scores, q / 100), rel=1e-4)
        assert mark["m"] == pytest.approx(point["score_mean_points"], rel=1e-4)
        assert (mark["l"], mark["h"]) == pytest.approx(
            (point["score_low95_points"], point["score_high95_points"]), rel=1e-4
        )


def test_of_a_win_rate_the_score_is_shown(pacman: Analysis) -> None:
    figure = scores_figure(pacman)
    assert "this is its score" in figure.text
    bars = [row for row in rows_of(figure) if "g" in row]
    front = pacman.tables["front"]
    shown = front["on_front"] | front["origin"].isin(list(pacman.data.experiment.baselines))
    n_games = front.loc[shown, "n_games"].sum()
    assert sum(row["g"] for row in bars) == n_games
    assert len(bars) < 1000, "games are counted, not embedded"


@pytest.mark.parametrize(
    "samples", [[3.0], [0.0, 1.0, 2.0], [0.0, 1e6], [0.1, 0.2, 7.5], [-5.0, -4.0, 120.0]]
)
def test_bins_hold_all_and_are_equally_wide(samples: list[float]) -> None:
    edges = bin_edges(np.array(samples))
    assert np.histogram(samples, edges)[0].sum() == len(samples)
    assert np.allclose(np.diff(edges), edges[1] - edges[0])
    assert len(edges) <= 52
