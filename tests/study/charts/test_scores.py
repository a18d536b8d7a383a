"""Histograms of single games, against plain counts."""

import numpy as np
import pandas as pd
import pytest

from tests.study.charts.specs import rows_of
from tests.study.conftest import QUICK
from tests.study.made_studies import add_point, add_trials, data_of, new_study, spread
from thetafront.study.charts.scores import SHOWN, bin_edges, scores_chart
from thetafront.study.estimate import t_interval
from thetafront.study.report.analysis import Analysis


def test_bars_hold_every_game_once(small: Analysis) -> None:
    chart, games = scores_chart(small), small.tables["games"]
    bars = pd.DataFrame([row for row in rows_of(chart) if "top" in row])
    (panel,) = chart.every_panel
    for point in small.tables["front"].to_dict("records"):
        mine = bars[bars["number"] == point["number"]]
        if not point["on_front"]:
            assert mine.empty
            continue
        scores = games.loc[games["point"] == point["point"], "score_points"].to_numpy(float)
        n_shown = 0
        for bar in mine.to_dict("records"):
            n = np.sum((scores > bar["from"] - 1e-6) & (scores < bar["to"]))
            assert bar["games"] == f"{n} ({n / len(scores):.1%})"
            n_shown += n
        assert n_shown == len(scores), "all games lie near each other"
        assert panel.x.low < scores.min() <= scores.max() < panel.x.high


def test_quantiles_and_means_are_those_of_the_games(small: Analysis) -> None:
    marks = [row for row in rows_of(scores_chart(small)) if "q50" in row]
    front = small.tables["front"]
    front = front[front["on_front"]]
    assert len(marks) == len(front)
    for mark, point in zip(marks, front.to_dict("records"), strict=True):
        games = small.tables["games"]
        scores = games.loc[games["point"] == point["point"], "score_points"].to_numpy(float)
        for q in (5, 25, 50, 75, 95):
            assert mark[f"q{q}"] == pytest.approx(np.quantile(scores, q / 100))
        assert mark["mean"] == pytest.approx(point["score_mean_points"])
        assert (mark["low"], mark["high"]) == pytest.approx(
            (point["score_low95_points"], point["score_high95_points"])
        )


def test_the_interval_of_few_games_is_that_of_the_table() -> None:
    """Below 30 games, the variance of the others counts in both."""
    study = new_study()
    add_trials(study, QUICK)
    add_point(study, 4, spread(2000, 300, 12), 0.04)
    add_point(study, 25, spread(5000, 50, 8), 0.25)
    analysis = Analysis(data_of(study, QUICK))
    marks = [row for row in rows_of(scores_chart(analysis)) if "q50" in row]
    assert len(marks) == 2
    for mark, point in zip(marks, analysis.tables["front"].to_dict("records"), strict=True):
        ends = point["score_low95_points"], point["score_high95_points"]
        assert (mark["low"], mark["high"]) == pytest.approx(ends)
    alone = t_interval(spread(5000, 50, 8))
    assert marks[1]["high"] - marks[1]["low"] > 1.1 * (alone.high - alone.low)


def test_of_a_win_rate_the_score_is_shown(pacman: Analysis) -> None:
    chart = scores_chart(pacman)
    assert "The chart shows the score," in chart.caption
    bars = [row for row in rows_of(chart) if "top" in row]
    front = pacman.tables["front"]
    shown = front["on_front"] | front["origin"].isin(list(pacman.data.experiment.baselines))
    of_point = front.loc[shown].set_index("number")["n_games"]
    n_games, seen = of_point.sum(), dict.fromkeys(of_point.index, 0)
    for row in bars:
        seen[row["number"]] += int(row["games"].partition(" (")[0].replace(",", ""))
    n_seen = sum(seen.values())
    assert np.mean([n / of_point[number] for number, n in seen.items()]) >= 2 * SHOWN - 1 - 1e-9
    if n_seen < n_games:
        assert f"The axis leaves out {n_games - n_seen:,} games." in chart.caption
    assert len(bars) < 1000, "games are counted, not embedded"


@pytest.mark.parametrize(
    "samples", [[3.0], [0.0, 1.0, 2.0], [0.0, 1e6], [0.1, 0.2, 7.5], [-5.0, -4.0, 120.0]]
)
def test_bins_hold_all_and_are_equally_wide(samples: list[float]) -> None:
    edges = bin_edges(np.array(samples))
    assert np.histogram(samples, edges)[0].sum() == len(samples)
    assert np.allclose(np.diff(edges), edges[1] - edges[0])
    assert len(edges) <= 52
