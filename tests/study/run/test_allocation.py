"""Allocation of games: gains beside integrals by brute force, rounds, and their order."""

import time

import numpy as np
import numpy.typing as npt
import pytest

from thetafront.study.run import allocation
from thetafront.study.run.allocation import (
    N_DRAWS,
    Played,
    Round,
    decades_of_budgets,
    error_gains,
    next_round,
    regret_gains,
    with_fewest,
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
        "limit": [1e9, 1e9, 1e9],
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
        found = regret_gains(of)[k]
        assert found == pytest.approx(max(promised), rel=1e-4, abs=1e-12)


def test_one_more_game_of_a_clearly_worse_point_promises_nothing() -> None:
    gains = regret_gains(made(mean=[10.0, 20.0, -500.0]))
    assert 0.0 <= gains[2] < 1e-300


def test_cheap_games_promise_more_a_second() -> None:
    same = {"mean": [20.0, 20.0, 19.0], "variance": [9.0, 9.0, 9.0], "decades": [0.0, 1.0, 0.0]}
    cheap, dear, _ = regret_gains(made(**same))
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


def test_a_round_has_its_seconds_and_its_limits() -> None:
    of = made()
    added = next_round(of)
    seconds = of.seconds_of(added)
    assert allocation.ROUND_SECONDS <= seconds <= allocation.ROUND_SECONDS + 10.0, "one game more"
    assert np.all(added >= 0)
    assert next_round(made(limit=[20.0, 25.0, 20.0])).tolist() == [0, 5, 0]
    assert next_round(made(limit=[20.0, 20.0, 20.0])).tolist() == [0, 0, 0]
    long = made(n=[1000.0, 1000.0, 1000.0])
    assert long.seconds_of(next_round(long)) >= allocation.ROUND_SHARE * long.seconds_of(long.n)


def test_a_fifth_of_a_round_is_for_the_points_with_the_fewest_games() -> None:
    """Though the third point is never the answer."""
    of = made(mean=[10.0, 20.0, -500.0], seconds=[1.0, 1.0, 1.0], n=[200.0, 200.0, 20.0])
    added = next_round(of)
    total = max(allocation.ROUND_SECONDS, allocation.ROUND_SHARE * 420.0)
    assert added[2] == pytest.approx(allocation.MIN_SHARE * total, abs=1)


def test_points_that_cannot_be_told_apart_by_gain_get_equal_games() -> None:
    """No budgets between them, or no noise: nothing is to be gained anywhere."""
    for changed in ({"decades": [0.0, 0.0, 0.0]}, {"variance": [0.0, 0.0, 0.0]}):
        of = made(seconds=[1.0, 1.0, 1.0], **changed)
        assert next_round(of).tolist() == [20, 20, 20]


@pytest.mark.parametrize("seed", range(8))
def test_many_games_for_the_points_with_the_fewest_are_those_that_come_one_by_one(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    n, seconds = rng.integers(0, 30, 5), rng.integers(1, 9, 5) / 8.0  # sums of eighths are exact
    limit, left = n + rng.integers(0, 40, 5), float(rng.integers(1, 120))
    one_by_one, spent = n.copy(), 0.0
    while spent < left and (open_ := one_by_one < limit).any():
        point = int(np.argmin(np.where(open_, one_by_one, np.iinfo(np.int64).max)))
        one_by_one[point] += 1
        spent += seconds[point]
    assert with_fewest(n, limit, seconds, left).tolist() == one_by_one.tolist()


def test_a_round_of_a_billion_games_is_planned_at_once() -> None:
    """Games of a tenth of a microsecond: one by one, they would take hours."""
    of = made(seconds=[1e-7, 2e-7, 1e-7], n=[20.0, 30.0, 1e6])
    began = time.process_time()
    added = next_round(of)
    assert time.process_time() - began < 1.0
    assert of.seconds_of(added) == pytest.approx(allocation.ROUND_SECONDS, rel=0.05)


def test_games_come_in_turns() -> None:
    few = Round({"a": 1, "b": 3, "c": 0})
    assert [few.pop() for _ in range(4)] == ["b", "a", "b", "b"]
    assert not few
    line = Round({"a": 300, "b": 40, "c": 7})
    for stop in (50, 123, 127):
        for _ in range(stop):
            line.pop()
        had = np.array([1 - line.left[each] / n for each, n in line.games.items()])
        assert np.ptp(had) <= 1.0 / 7, "no point is a game behind"
    line.drop("a", 10)
    assert len(line) == 47 - 10
