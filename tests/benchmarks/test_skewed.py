"""Simulated studies of skewed scores and of win rates."""

import numpy as np

from results.benchmarks.skewed import CASES, judged, true_mean, truth_of


def test_games_have_their_means() -> None:
    for case in CASES.values():
        drawn = case.draw(np.random.default_rng(0), 0.5, 0.6, 200_000)
        error = drawn.std() / np.sqrt(len(drawn))
        assert abs(drawn.mean() - 0.5) < 5.0 * error
        ends = [truth_of(case, {"effort": effort, "aim": 0.6}) for effort in (0.0, 1.0)]
        assert 0.0 < ends[0] < ends[1] < 1.0
    assert true_mean(0, 0.0, 0.6) == 0.02 < true_mean(0, 1.0, 0.6) < 1.0


def test_the_model_changes_what_is_expected() -> None:
    name = "lognormal, log deviation 1.5"
    (own, _, before), (own_too, _, after) = (judged(name, 0, each)[0].T for each in (False, True))
    assert len(own) == len(own_too) >= 8
    assert before.mean() < after.mean()


def test_intervals_of_low_win_rates_hold_where_nobody_has_played() -> None:
    before, after = (
        np.mean([judged("wins, almost never", seed, each)[1] for seed in range(3)])
        for each in (False, True)
    )
    assert before < 0.8, "angles of few wins are biased, and all in the same direction"
    assert after > 0.85
