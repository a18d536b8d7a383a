"""Goals and costs that users define."""

import numpy as np
import pytest

from agents.outside.report import ReportedGame
from study.experiments.objectives import cpu_seconds, exact, mean, rate, reported
from study.run.stopping import Precision
from study.shrinkage import Moments

GAMES = [
    ReportedGame(seed, ratio, n_moves, 0.5, {"nodes": nodes})
    for seed, (ratio, n_moves, nodes) in enumerate([(-0.5, 10, 100), (0.25, 30, 300)])
]


def test_columns_follow_names_and_units() -> None:
    goal = mean("ratio", unit="bits")
    assert goal.column("mean") == "ratio_mean_bits"
    assert goal.game_column == "ratio_bits"
    assert goal.summary(GAMES) == {
        "ratio_mean_bits": -0.125,
        "ratio_sem_bits": pytest.approx(0.375),
        "ratio_min_bits": -0.5,
        "ratio_max_bits": 0.25,
    }
    assert mean("speed", unit="bits/char").column("mean") == "speed_mean_bits_per_char"
    assert mean("gain", unit="%").game_column == "gain_percent"
    assert mean().axis_label == "mean score"
    assert exact("file_size", "bytes").axis_label == "file size, bytes"
    assert rate("won").column("mean") == "won_mean"
    assert rate("won", direction="minimize").sign == -1.0


def test_costs_are_read_from_reports_by_name() -> None:
    assert reported("nodes").of(GAMES) == 200.0
    assert reported("nodes", per="move").of(GAMES) == 10.0
    assert cpu_seconds("game").of(GAMES) == 0.5
    assert cpu_seconds().of(GAMES) == 1.0 / 40


@pytest.mark.parametrize("name", ["a b", "1st", "", "größe", "a-b", "games", "seed", "name"])
def test_names_that_are_none_for_a_column_or_an_option_are_refused(name: str) -> None:
    for make in (mean, rate, exact):
        with pytest.raises(ValueError, match="goal: "):
            make(name)


@pytest.mark.parametrize("name", ["a b", "score", "n_moves", "moves", "kind", "seed"])
def test_costs_that_every_game_has_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cost: "):
        reported(name)


def test_reported_seconds_are_a_time() -> None:
    cost = reported("seconds", per="move")
    assert (cost.name, cost.counted, cost.is_timed) == ("seconds_per_move", "seconds", True)
    assert cost.is_reported


def test_without_a_target_validation_plays_as_many_games_as_allowed() -> None:
    open_, limited = Precision.of(mean(), None, None, 5, 60.0), Precision.of(mean(), None, 300, 5)
    assert limited.n_wanted(150, 1e-12) == 300
    assert open_.n_allowed(1000) == 20_000
    assert Precision.of(mean(), 0.1, 300, 5).n_wanted(150, 1.0) == 150
    assert Precision.of(mean(standard_error=0.1), None, 300, 5).n_wanted(150, 1.0) == 150


def test_the_scatter_of_a_users_mean_comes_of_its_games() -> None:
    """Means near 0 or far from it tell nothing of it."""
    rng = np.random.default_rng(0)
    trials = [Moments.of(rng.normal(1000.0, 2.0, 50)) for _ in range(20)]
    estimator = mean().estimator
    np.testing.assert_allclose(estimator.game_variances(np.zeros(3), trials), 4.0, rtol=0.1)
    assert estimator.typical_variance(np.array([1.0, 3.0])) == 2.0
