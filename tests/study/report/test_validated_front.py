"""The validated front: intervals and probabilities in closed form."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from tests.study.conftest import SolvedGame
from tests.study.made_studies import (
    add_point,
    add_trials,
    analysis_with,
    data_of,
    new_study,
    present,
    spread,
    store_point,
    store_trial,
)
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.estimate import t95
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import PLAYOUT_MOVES, SWEEPS
from thetafront.study.log.log import Log
from thetafront.study.log.point import theta_key
from thetafront.study.model.study_model import combine, fit_study
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.played_rows import validated_hypervolume
from thetafront.study.report.tables import validated_frame
from thetafront.study.report.validated_rows import without_baselines

Z = 1.959964
T3 = 3.182446  # Student's, of 4 games


def front_of(study: Log, experiment: Experiment) -> pd.DataFrame:
    return validated_frame(Analysis(data_of(study, experiment)))


def row_of(frame: pd.DataFrame, n_playouts: int) -> Mapping[str, Any]:
    return frame.loc[frame["n_playouts"] == n_playouts].iloc[0]


def test_intervals_by_hand(quick: Experiment) -> None:
    """Scores 900, 1000, 1100, 1400: mean 1100, s² = 140,000/3, error √(s²/4) = 108.0."""
    study = new_study()
    add_point(study, 7, [900, 1000, 1100, 1400], 2.0, "trial 3")
    frame = front_of(study, quick)
    assert len(frame) == 1
    row = row_of(frame, 7)
    error = math.sqrt(140_000 / 3) / 2
    assert error == pytest.approx(108.01, abs=0.01)
    assert row["score_mean_points"] == 1100.0
    assert row["score_sem_points"] == pytest.approx(error)
    assert row["score_low95_points"] == pytest.approx(1100.0 - T3 * error)
    assert row["score_high95_points"] == pytest.approx(1100.0 + T3 * error)
    assert row["score_mean_first_half_points"] == 1000.0
    assert row["score_mean_second_half_points"] == 1200.0
    assert row["score_sem_first_half_points"] == pytest.approx(100.0)
    assert row["score_sem_second_half_points"] == pytest.approx(200.0)
    assert row["seconds_per_move"] == pytest.approx(0.002)
    assert row["playout_moves_per_move"] == pytest.approx(350.0)
    assert (row["n_games"], row["origin"], row["point"]) == (
        4,
        "trial 3",
        theta_key({"n_playouts": 7}),
    )
    assert (row["on_front"], row["p_on_front"]) == (True, 1.0)


def test_a_point_without_games_is_left_out_and_one_game_tells_a_mean(quick: Experiment) -> None:
    study = new_study()
    assert len(front_of(study, quick)) == 0
    add_point(study, 3, [], 1.0)
    assert len(front_of(study, quick)) == 0
    assert {"n_playouts", "p_on_front", "on_front"} <= set(front_of(study, quick))
    add_point(study, 4, [1000], 1.0)
    (row,) = front_of(study, quick).to_dict("records")
    assert (row["n_playouts"], row["score_mean_points"]) == (4, 1000.0)
    assert math.isnan(row["score_low95_points"]), "one game tells no interval"
    assert math.isnan(row["score_high95_points"])
    assert row["p_on_front"] == 1.0


def two_close_points() -> Log:
    study = new_study()
    add_point(study, 5, spread(10_000, 1000), 1.0)
    add_point(study, 9, spread(10_100, 600), 2.0)
    return study


def test_p_on_front_of_two_points_is_the_normal_closed_form(quick: Experiment) -> None:
    """The costlier point is on the front if its score is the higher: by the joint posterior."""
    data = data_of(two_close_points(), quick)
    combined = present(combine(None, data))
    codes = combined.cube.encode([{"n_playouts": n} for n in (5, 9)])
    posterior = combined.posterior
    mean, covariance = posterior.mean(codes)[:, 0], posterior.covariance(codes, codes)
    deviation = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1])
    expected = norm.cdf((mean[1] - mean[0]) / deviation)
    assert 0.05 < expected < 0.95
    frame = validated_frame(Analysis(data))
    tolerance = 5 * math.sqrt(expected * (1 - expected) / 4000)
    assert row_of(frame, 9)["p_on_front"] == pytest.approx(expected, abs=tolerance)
    assert row_of(frame, 5)["p_on_front"] == 1.0, "nothing is cheaper"


BLOCKS = np.repeat((0.9, 1.1, 1.0, 1.05, 0.95), 60).tolist()
"""Milliseconds of games in five blocks: s² = 0.00625, by hand."""
# Neighbouring blocks are alike, which doubles the variance of their mean; and five tell it with
# four degrees of freedom. The games also have an error of their own, as if they were independent.
DEVIATION = math.sqrt((t95(5) / Z) ** 2 * 2 * 0.00625 / 5 + 240 * 0.00625 / 299 / 300)


def timed_games(n: int, milliseconds: Sequence[float]) -> dict[int, Game2048]:
    """Games of 100 moves each that score alike."""
    return {
        r: Game2048(500_000 + r, 5000 + n + r % 3, 100, 0.1 * each, 500_000, 512, 0)
        for r, each in enumerate(milliseconds)
    }


def test_the_interval_of_a_time_is_of_blocks_of_games(quick: Experiment) -> None:
    study = new_study()
    store_point(study, {"n_playouts": 5}, timed_games(5, BLOCKS))
    row = front_of(study, quick).iloc[0]
    error = DEVIATION / math.log(10.0)
    assert row["seconds_per_move"] == pytest.approx(1e-3)
    assert row["seconds_per_move_low95"] == pytest.approx(1e-3 / 10 ** (Z * error))
    assert row["seconds_per_move_high95"] == pytest.approx(1e-3 * 10 ** (Z * error))
    assert row["playout_moves_per_move_low95"] == row["playout_moves_per_move"] == 5000.0
    for end in ("_low95", "_high95"):
        expected = row[f"combined_seconds_per_move{end}"]
        assert expected == pytest.approx(row[f"seconds_per_move{end}"], rel=1e-3)


def test_a_cost_that_is_uncertain_leaves_the_front_uncertain(quick: Experiment) -> None:
    """Two points of one cost, each known to 5%: which is the cheaper is a toss of a coin."""
    study, rng = new_study(), np.random.default_rng(5)
    for n, score in ((5, 1000), (30, 9000)):
        drift = np.repeat(rng.normal(1.0, 0.11, 5), 60)
        drift *= 1.0 / drift.mean()
        store_point(study, {"n_playouts": n}, timed_games(score, drift.tolist()))
    frame = front_of(study, quick)
    worse = row_of(frame, 5)["p_on_front"]
    assert 0.35 < worse < 0.65
    assert row_of(frame, 30)["p_on_front"] == 1.0


def test_the_front_is_along_the_cost_of_the_experiment(quick: Experiment) -> None:
    """The clock and the count disagree on which is the cheaper."""
    study = new_study()
    add_point(study, 1, spread(10_000, 300), 5.0)
    add_point(study, 2, spread(12_000, 300), 2.0)
    by_clock = front_of(study, quick)
    assert by_clock["n_playouts"].tolist() == [2, 1]
    assert by_clock["on_front"].tolist() == [True, False]
    by_count = front_of(study, quick.with_cost(PLAYOUT_MOVES))
    assert by_count["n_playouts"].tolist() == [1, 2]
    assert by_count["on_front"].tolist() == [True, True]


def test_what_the_search_predicted_stands_beside_what_was_validated(quick: Experiment) -> None:
    study = add_trials(new_study(), quick)
    add_point(study, 10, spread(3160, 300), 0.1)
    model = present(fit_study(data_of(study, quick, seed=0)))
    row = front_of(study, quick).iloc[0]
    code = model.cube.encode([{"n_playouts": 10}])
    mean, deviation = (each[0, 0] for each in model.posterior.predict(code))  # of √score
    assert row["posterior_mean_points"] == pytest.approx(mean**2 + deviation**2)
    assert row["posterior_low95_points"] == pytest.approx((mean - Z * deviation) ** 2)
    assert row["posterior_high95_points"] == pytest.approx((mean + Z * deviation) ** 2)
    alone = analysis_with(data_of(study, quick), model=None)
    assert "posterior_mean_points" not in validated_frame(alone)


def test_the_hypervolume_of_one_exact_point_is_a_rectangle(quick: Experiment) -> None:
    """3,000 points, and 1,000 playout moves are three decades below the reference of a million."""
    study, exact = new_study(), quick.with_cost(PLAYOUT_MOVES)
    add_point(study, 20, [3000, 3000, 3000, 3000], 1.0)
    volumes = validated_hypervolume(Analysis(data_of(study, exact)).rows, exact)
    assert volumes == pytest.approx((9000.0, 9000.0, 9000.0))


def test_the_hypervolume_is_no_surer_than_its_costs(quick: Experiment) -> None:
    """A rectangle of 5,000 points: the interval of its width is that of the cost."""
    study = new_study()
    store_point(study, {"n_playouts": 5}, timed_games(0, BLOCKS))
    volume, low, high = validated_hypervolume(Analysis(data_of(study, quick)).rows, quick)
    half = Z * 5001.0 * DEVIATION / math.log(10.0)
    assert volume == pytest.approx(5001.0)
    assert (volume - low, high - volume) == pytest.approx((half, half), rel=0.001)


def test_the_hypervolume_of_a_front_lies_in_its_interval(quick: Experiment) -> None:
    study = new_study()
    for n in range(1, 8):
        add_point(study, n, spread(2000 * n, 400, 400), 0.1 * n)
    add_point(study, 30, spread(50_000, 400, 400), 20.0)  # beyond the reference: worth nothing
    frame = front_of(study, quick)
    volume, low, high = validated_hypervolume(frame.to_dict("records"), quick)
    edges = np.log10([0.1 * n for n in range(1, 8)] + [10.0])
    assert volume == pytest.approx(sum(2000.0 * (k + 1) * np.diff(edges)[k] for k in range(7)))
    assert low < volume < high
    errors = [400 / math.sqrt(399) * np.diff(edges)[k] for k in range(7)]
    half = Z * math.sqrt(sum(error**2 for error in errors))
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)


def test_the_hypervolume_of_points_close_together_is_not_too_good(quick: Experiment) -> None:
    """Six equals at nearly one cost, 12 games each: the best of their means is, this is not."""
    rng = np.random.default_rng(3)
    found, naive = [], []
    for _ in range(60):
        study = new_study()
        for n in range(1, 7):
            scores = [int(s) for s in rng.normal(20_000, 5000, 12).round()]
            add_point(study, n, scores, 1.0 + 0.001 * n)
        frame = front_of(study, quick)
        found.append(validated_hypervolume(frame.to_dict("records"), quick)[0])
        naive.append(frame["score_mean_points"].max())
    truth = 20_000 * math.log10(10.0 / 1.001)
    errors = np.array(found) - truth
    assert errors.mean() < 4 * errors.std(ddof=1) / math.sqrt(60), "no optimism"
    assert abs(errors.mean()) < 500.0
    assert np.mean(naive) - 20_000 > 1000.0


@pytest.mark.parametrize("scores", [[3000, 3000, 3000, 3000], [10, 3000, 10, 3000]])
def test_halves_of_equal_games_are_not_certain(quick: Experiment, scores: list[int]) -> None:
    """Trials show that games vary; the interval of an area ends at 0."""
    study = add_trials(new_study(), quick, 3000.0)
    add_point(study, 20, scores, 1.0)
    volume, low, high = validated_hypervolume(Analysis(data_of(study, quick)).rows, quick)
    assert 0.0 <= low < volume - 300.0
    assert high > volume + 300.0


def test_the_hypervolume_of_too_few_games_is_not_known(quick: Experiment) -> None:
    study = new_study()
    add_point(study, 3, [3000, 4000, 5000], 1.0)
    assert np.isnan(validated_hypervolume(Analysis(data_of(study, quick)).rows, quick)).all()


def test_baselines_are_not_what_a_search_has_found(quick: Experiment) -> None:
    study = new_study()
    add_point(study, 4, spread(9000, 100), 1.0, "four playouts")
    add_point(study, 5, spread(8000, 100), 2.0, "trial 3")
    frame = front_of(study, quick)
    assert frame["on_front"].tolist() == [True, False]
    searched = pd.DataFrame(without_baselines(frame.to_dict("records"), quick))
    assert searched["origin"].tolist() == ["trial 3"]
    assert searched["on_front"].tolist() == [True]
    assert searched["p_on_front"].tolist() == [1.0]


def test_of_equal_counted_costs_only_the_better_is_on_the_front(solver: Experiment) -> None:
    """Sweeps and exact scores have no error, so nothing makes the worse one look better."""
    study = new_study()
    by_count = solver.with_cost(SWEEPS)
    for sweeps, worth in ((20, 11.0), (21, 12.0)):
        game = SolvedGame(500_000, worth, 1, 1e-4, 20)
        store_point(study, {"sweeps": sweeps}, {0: game})
    frame = front_of(study, by_count)
    for half in ("first", "second"):
        found = frame[f"score_mean_{half}_half_points"].tolist()
        assert found == [11.0, 12.0], "the game that chose may judge"
    assert frame["p_on_front"].tolist() == [0.0, 1.0]
    assert frame["on_front"].tolist() == [False, True]


def test_counts_that_never_vary_are_known_though_scores_are_noisy(quick: Experiment) -> None:
    """Both points take 0.1 playout moves per move in all of their games."""
    study, by_count = new_study(), quick.with_cost(PLAYOUT_MOVES)
    for n, scores in ((10, spread(2000, 400)), (30, spread(4000, 400))):
        games = {
            r: Game2048(r, score, 10 + 10 * r, 1.0, 1 + r, 256, 0) for r, score in enumerate(scores)
        }
        store_point(study, {"n_playouts": n}, games)
    analysis = Analysis(data_of(study, by_count))
    frame = validated_frame(analysis)
    assert frame["p_on_front"].tolist() == [0.0, 1.0]
    assert frame["on_front"].tolist() == [False, True]
    assert analysis.candidates is not None
    assert [each.expected.p_within(0.1) for each in analysis.candidates.played] == [1.0, 1.0]
    varying = [Game2048(r, 2000, 10, 1.0, 1 + r, 256, 0) for r in range(2)]
    store_trial(study, by_count, {"n_playouts": 20}, varying)
    analysis = Analysis(data_of(study, by_count))
    candidates, name = analysis.candidates, by_count.cost.name
    assert candidates is not None
    for each in candidates.played:
        within = each.expected.p_within(1.0005 * each.expected.cost.value)
        assert 0.5 < within < 0.95, "a trial varies"
    for row in analysis.rows:
        assert row[f"{name}_low95"] < row[name] < row[f"{name}_high95"]


def test_two_games_that_agree_do_not_make_a_point_exact(quick: Experiment) -> None:
    """Its standard error is that of trials of such a score: some 40% of 2,000 over √2."""
    study = add_trials(new_study(), quick)
    add_point(study, 10, [2000, 2010], 1.0)
    data = data_of(study, quick)
    combined = present(combine(fit_study(data), data))
    error = 2 * math.sqrt(2005.0) * math.sqrt(combined.observations.noise[-1, 0])
    moments = [data.moments[trial.number] for trial in data.trials]
    own = math.sqrt(sum(each.m2 for each in moments) / sum(each.n - 1 for each in moments) / 2)
    assert error > 0.3 * own
