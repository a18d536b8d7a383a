"""Simulated studies of skewed scores."""

import numpy as np

from results.benchmarks.skewed import GAMES, judged, true_mean


def test_games_have_their_means() -> None:
    for draw in GAMES.values():
        drawn = draw(np.random.default_rng(0), 0.5, 0.6, 200_000)
        error = drawn.std() / np.sqrt(len(drawn))
        assert abs(drawn.mean() - 0.5) < 5.0 * error
    assert true_mean(0, 0.0, 0.6) == 0.02 < true_mean(0, 1.0, 0.6) < 1.0


def test_the_model_changes_what_is_expected() -> None:
    name = "lognormal, log deviation 1.5"
    (own, _, before), (own_too, _, after) = (judged(name, 0, each).T for each in (False, True))
    assert len(own) == len(own_too) >= 8
    assert before.mean() < after.mean()
