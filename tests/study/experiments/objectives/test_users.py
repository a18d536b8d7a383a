"""Goals and costs that users define."""

import numpy as np
import pytest

from thetafront.agents.external.report import ReportedGame
from thetafront.study.experiments.definition_record import goal_from_record, goal_record
from thetafront.study.experiments.game_summary import MatchSummary
from thetafront.study.experiments.objectives.costs import cpu_seconds, reported
from thetafront.study.experiments.objectives.goals import exact, match, mean, rate
from thetafront.study.run.stopping import Precision
from thetafront.study.scale import Scale
from thetafront.study.shrinkage import Moments

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
    gain = mean("gain", unit="%")
    assert gain.game_column == "gain_percent"
    assert gain.size_text(-2.345) == "2.3 percentage points", "2.3 % could be of another value"
    assert mean().axis_label == "mean score"
    assert exact("file_size", "bytes").axis_label == "file size, bytes"
    assert rate("won").column("mean") == "won_mean"
    assert rate("won", direction="minimize").sign == -1.0


def test_directions_and_divisors_are_checked() -> None:
    for make in (mean, exact, rate, match):
        with pytest.raises(
            ValueError, match=r"direction must be maximize or minimize \(got 'max'\)"
        ):
            make("won", direction="max")  # type: ignore[arg-type]
    for per in (cpu_seconds, lambda per: reported("nodes", per=per)):
        with pytest.raises(ValueError, match=r"per must be move or game \(got 'moves'\)"):
            per("moves")  # type: ignore[operator]


def played(*results: float) -> list[ReportedGame]:
    return [ReportedGame(k, each, 1, 0.5, {}) for k, each in enumerate(results)]


def test_bounds_choose_statistics_and_scale() -> None:
    both, below, none = mean(low=-1, high=1), mean("loss", low=0), mean()
    assert both.limits == (-1, 1)
    assert both.estimator.scale == Scale.within(-1.0, 1.0)
    assert below.estimator.scale == Scale.ROOT
    assert none.estimator.scale == exact("value").estimator.scale == Scale.LINEAR
    assert rate("won").estimator.scale == match().estimator.scale == Scale.within(0.0, 1.0)
    assert exact("error", low=0, high=1).estimator.scale == Scale.within(0.0, 1.0)
    assert [goal.is_share for goal in (both, rate("won"), match())] == [False, True, True]
    for low, high in ((1, 1), (2, 1), (float("nan"), None), (None, float("inf"))):
        with pytest.raises(ValueError, match="must be"):
            mean(low=low, high=high)


def test_few_games_of_a_bounded_mean_do_not_end_beyond_a_bound() -> None:
    """Seen as 1.007 ± 0.052, 0.06 ± 0.11 and, of 14 wins of 14, 1 ± 0."""
    goal = mean("result", low=0, high=1)
    for results in ([1.0] * 14, [1.0] * 13 + [0.5], [0.0] * 7 + [0.5], [0.5] * 4):
        found = goal.estimate(played(*results))
        assert 0.0 <= found.low <= found.value <= found.high <= 1.0
        assert found.high - found.low > 0.1
    assert goal.estimate(played(*[1.0] * 14)).low == pytest.approx(0.785, abs=0.001)
    loss = mean("loss", low=0).estimate(played(0.1, 0.0, 1.0))
    assert loss.low == 0.0
    alike = mean("loss").estimate(played(*[0.1] * 5))
    assert np.isnan([alike.low, alike.high]).all()
    assert mean("loss").format.interval(alike.value, alike.low, alike.high) == "0.1 ± ?"


def test_draws_count_as_they_scatter() -> None:
    """40 games of 10 wins, 20 draws and 10 losses: variance 1/8 in place of 1/4."""
    results = [1.0] * 10 + [0.5] * 20 + [0.0] * 10
    found, coin = (rate("won").estimate(played(*each)) for each in (results, [1.0, 0.0] * 20))
    assert found.value == coin.value == 0.5
    assert (found.high - found.low) / (coin.high - coin.low) == pytest.approx(0.5**0.5, rel=0.08)
    moments = [Moments.from_sample(np.array(results))] * 5
    variance = rate("won").estimator.variances(moments)[0]
    assert variance == pytest.approx(1 / 8 / 40, rel=0.05)
    guessed = rate("won").estimator.game_variances(np.array([0.5, 0.1]), moments)
    np.testing.assert_allclose(guessed, [1 / 8, 0.09 / 2], rtol=0.05)


def test_accuracies_are_not_as_noisy_as_coins() -> None:
    rng = np.random.default_rng(0)
    goal = mean("accuracy", low=0, high=1)
    trials = [Moments.from_sample(rng.normal(0.9, 0.01, 4)) for _ in range(20)]
    assert (goal.estimator.variances(trials) < 4 * 0.01**2 / 4).all()


def test_games_of_a_match_are_counted_and_have_an_elo() -> None:
    found = MatchSummary(ReportedGame).columns(played(1, 1, 0.5, 0, 1, 0.75, 0.25, 1, 1, 1))
    assert [found[f"n_{each}"] for each in ("wins", "draws", "losses")] == [7, 1, 2]
    assert found["elo_mean"] == pytest.approx(400 * np.log10(0.75 / 0.25))
    assert found["elo_low95"] < found["elo_mean"] < found["elo_high95"]


def test_a_goal_with_bounds_is_remembered() -> None:
    for goal in (match(), mean(low=0, high=5), mean("loss", low=0), exact("e", high=1), rate("w")):
        assert goal_from_record(goal_record(goal)) == goal


def test_a_goal_of_before_has_no_bounds() -> None:
    """As a study of an earlier version stored it."""
    record = {**goal_record(mean()), "limits": [None, None]}
    assert goal_from_record(record).estimator.scale == Scale.LINEAR
    record = {**goal_record(rate("won")), "estimator": "Proportion", "limits": [0.0, 1.0]}
    assert goal_from_record(record) == rate("won")


def test_costs_are_read_from_reports_by_name() -> None:
    assert reported("nodes").value(GAMES) == 200.0
    assert reported("nodes", per="move").value(GAMES) == 10.0
    assert cpu_seconds("game").value(GAMES) == 0.5
    assert cpu_seconds().value(GAMES) == 1.0 / 40


@pytest.mark.parametrize("name", ["a b", "1st", "", "größe", "a-b", "games", "seed", "name"])
def test_names_that_are_none_for_a_column_or_an_option_are_refused(name: str) -> None:
    for make in (mean, rate, exact):
        with pytest.raises(
            ValueError, match=r"goal must (have a name of|not share its name with) "
        ):
            make(name)


@pytest.mark.parametrize("name", ["a b", "score", "n_moves", "moves", "kind", "seed"])
def test_costs_that_every_game_has_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"cost must (have a name of|not share its name with) "):
        reported(name)


def test_reported_seconds_are_a_time() -> None:
    cost = reported("seconds", per="move")
    assert (cost.name, cost.counted, cost.is_timed) == ("seconds_per_move", "seconds", True)
    assert cost.is_reported


def test_without_a_target_validation_plays_as_many_games_as_allowed() -> None:
    open_, limited = (
        Precision.from_options(mean(), None, None, 5, 1e4),
        Precision.from_options(mean(), None, 300, 5),
    )
    assert limited.n_wanted(150, 1e-12) == 300
    assert open_.n_allowed(1000) == 20_000
    assert Precision.from_options(mean(), 0.1, 300, 5).n_wanted(150, 1.0) == 150
    assert Precision.from_options(mean(standard_error=0.1), None, 300, 5).n_wanted(150, 1.0) == 150


def test_the_scatter_of_a_users_mean_comes_of_its_games() -> None:
    """Means near 0 or far from it tell nothing of it."""
    rng = np.random.default_rng(0)
    trials = [Moments.from_sample(rng.normal(1000.0, 2.0, 50)) for _ in range(20)]
    estimator = mean().estimator
    np.testing.assert_allclose(estimator.game_variances(np.zeros(3), trials), 4.0, rtol=0.1)
    assert estimator.typical_variance(np.array([1.0, 3.0])) == 2.0
