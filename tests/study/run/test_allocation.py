"""Allocation of games: gains beside integrals by brute force, rounds, and their order."""

import numpy as np
import numpy.typing as npt
import pytest

from study.run import allocation
from study.run.allocation import (
    N_DRAWS,
    RULES,
    Played,
    decades_of_budgets,
    error_gains,
    in_turns,
    next_round,
    ocba,
    regret_gains,
)

Floats = npt.NDArray[np.float64]
MANY = 10**6


def made(**changed: list[float]) -> Played:
    """Three points, a decade apart; the third is worse than the second."""
    columns = {
        "mean": [10.0, 20.0, 19.0],
        "variance": [4.0, 9.0, 16.0],
        "n": [20.0, 20.0, 20.0],
        "seconds": [0.1, 1.0, 10.0],
        "decades": [1.0, 1.0, 0.5],
    }
    return Played(**{name: np.array(each) for name, each in (columns | changed).items()})


def draws_for(k: int) -> Floats:
    return np.random.default_rng(0).standard_normal((N_DRAWS, k))


def test_budgets_reach_to_the_next_cost_and_the_reference() -> None:
    assert decades_of_budgets(np.array([1e-5, 1e-4, 1e-4]), 1e-3) == pytest.approx([1, 0, 1])
    assert decades_of_budgets(np.array([1e-5, 1e-2]), 1e-3) == pytest.approx([3, 0])


def area(means: Floats, decades: Floats) -> Floats:
    """What users of all budgets expect: the best mean within each, summed over log budgets."""
    return np.asarray(np.maximum.accumulate(means, axis=-1) @ decades)


def test_the_regret_that_a_game_promises_to_lower_is_an_expected_maximum() -> None:
    """Beside the integral over the mean that further games would give, for each Δ."""
    of = made()
    z = np.linspace(-9.0, 9.0, 20_001)
    density = np.exp(-0.5 * z**2)
    for k in range(3):
        promised = []
        for share in allocation.LOOK_AHEAD:
            more = share * of.n[k]
            deviation = np.sqrt(of.variance[k] / of.n[k] - of.variance[k] / (of.n[k] + more))
            means = np.tile(of.mean, (len(z), 1))
            means[:, k] += deviation * z
            expected = density @ area(means, of.decades) / density.sum()
            promised.append((expected - area(of.mean, of.decades)) / (more * of.seconds[k]))
        found = regret_gains(of, draws_for(3))[k]
        assert found == pytest.approx(max(promised), rel=1e-4, abs=1e-12)


def test_one_more_game_of_a_clearly_worse_point_promises_nothing() -> None:
    gains = regret_gains(made(mean=[10.0, 20.0, -500.0]), draws_for(3))
    assert 0.0 <= gains[2] < 1e-300


def test_cheap_games_promise_more_a_second() -> None:
    same = {"mean": [20.0, 20.0, 19.0], "variance": [9.0, 9.0, 9.0], "decades": [0.0, 1.0, 0.0]}
    cheap, dear, _ = regret_gains(made(**same), draws_for(3))
    assert cheap == pytest.approx(10.0 * dear)


def test_errors_count_where_a_point_is_the_answer() -> None:
    """A million draws say how many decades of budgets each point answers."""
    of = made()
    draws = np.random.default_rng(2).standard_normal((MANY, 3))
    means = of.mean + np.sqrt(of.variance / of.n) * draws
    answered = np.zeros(3)
    for budget in range(3):
        answer = means[:, : budget + 1].argmax(axis=1)
        answered += of.decades[budget] * np.bincount(answer, minlength=3) / MANY
    error = np.sqrt(2.0 / np.pi) * np.sqrt(of.variance)
    lowered = error / np.sqrt(of.n) - error / np.sqrt(1.5 * of.n)
    expected = answered * lowered / (0.5 * of.n * of.seconds)
    assert error_gains(of, draws) == pytest.approx(expected, rel=1e-9)
    assert error_gains(of, draws_for(3)) == pytest.approx(expected, rel=0.3)


def test_ocba_of_one_budget_has_its_two_closed_forms() -> None:
    """Non-best nᵢ ∝ vᵢ/δᵢ²; the best √(v_b·Σ gᵢ·nᵢ²/vᵢ / g_b). Gains are shares over seconds."""
    of = made(mean=[16.0, 20.0, 17.0], decades=[0.0, 0.0, 1.0], n=[10.0, 10.0, 10.0])
    games = np.array([4.0 / 4.0**2, 0.0, 16.0 / 3.0**2])
    games[1] = np.sqrt(9.0 * (0.1 * games[0] ** 2 / 4.0 + 10.0 * games[2] ** 2 / 16.0) / 1.0)
    shares = games * of.seconds / (games @ of.seconds)
    spent = of.n * of.seconds
    assert ocba(of, draws_for(3)) == pytest.approx(shares * spent.sum() / spent)


@pytest.mark.parametrize("rule", RULES)
def test_a_round_has_its_seconds_and_its_limits(rule: str) -> None:
    of = made()
    added = next_round(of, np.array([1000, 1000, 1000]), rule)
    seconds = float(added @ of.seconds)
    assert allocation.ROUND_SECONDS <= seconds <= allocation.ROUND_SECONDS + 10.0, "one game more"
    assert np.all(added >= 0)
    assert next_round(of, np.array([20, 25, 20]), rule).tolist() == [0, 5, 0]
    assert next_round(of, np.array([20, 20, 20]), rule).tolist() == [0, 0, 0]
    long = made(n=[1000.0, 1000.0, 1000.0])
    share = allocation.ROUND_SHARE * long.seconds_played
    assert float(next_round(long, np.full(3, 10**6), rule) @ long.seconds) >= share


def test_a_round_depends_on_what_was_played_alone() -> None:
    first, second = (next_round(made(), np.full(3, 1000)).tolist() for _ in range(2))
    assert first == second


def test_a_fifth_of_a_round_is_for_the_points_with_the_fewest_games() -> None:
    """Though the third point is never the answer."""
    of = made(mean=[10.0, 20.0, -500.0], seconds=[1.0, 1.0, 1.0], n=[200.0, 200.0, 20.0])
    added = next_round(of, np.full(3, 10_000))
    total = max(allocation.ROUND_SECONDS, allocation.ROUND_SHARE * 420.0)
    assert added[2] == pytest.approx(allocation.FEWEST_SHARE * total, abs=1)


def test_points_that_cannot_be_told_apart_by_gain_get_equal_games() -> None:
    """No budgets between them, or no noise: nothing is to be gained anywhere."""
    for changed in ({"decades": [0.0, 0.0, 0.0]}, {"variance": [0.0, 0.0, 0.0]}):
        of = made(seconds=[1.0, 1.0, 1.0], **changed)
        assert next_round(of, np.full(3, 1000)).tolist() == [20, 20, 20]


def test_games_come_in_turns() -> None:
    assert in_turns([1, 3, 0]) == [1, 0, 1, 1]
    line = in_turns([300, 40, 7])
    for stop in (50, 173, 300):
        had = np.bincount(line[:stop], minlength=3) / [300, 40, 7]
        assert np.ptp(had) <= 1.0 / 7, "no point is a game behind"
