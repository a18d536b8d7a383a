"""When failed games leave a θ out: the test's level, by enumeration and by simulation."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from thetafront.agents.agent import FailedGame
from thetafront.agents.external.report import ReportedGame
from thetafront.study.estimate import share
from thetafront.study.experiments.failures import (
    MAX_UNPLAYED,
    RATIO,
    is_above,
    is_left_out,
    rate_interval,
    shows_failures,
    split,
)
from thetafront.study.experiments.objectives.goals import exact, mean


def probability_left_out(rate: float, limit: float, n_games: int) -> float:
    """Return the probability that a θ of a failure rate is left out, tested after every game."""
    alive, out = np.array([1.0]), 0.0  # by number of failures
    for n in range(1, n_games + 1):
        alive = np.append(alive * (1.0 - rate), 0.0) + np.append(0.0, alive * rate)
        for f in np.flatnonzero(alive > 1e-18):
            if is_above(limit, int(f), n):
                out += alive[f]
                alive[f] = 0.0
    return out


@pytest.mark.parametrize(("limit", "failed", "n"), [(0.1, 3, 3), (0.1, 5, 12), (0.5, 9, 9)])
def test_the_ratio_is_that_of_the_integral(limit: float, failed: int, n: int) -> None:
    integral, _ = quad(lambda p: p**failed * (1.0 - p) ** (n - failed), limit, 1.0)
    ratio = integral / (1.0 - limit) / (limit**failed * (1.0 - limit) ** (n - failed))
    assert is_above(limit, failed, n) == (ratio >= RATIO)


def test_one_failing_seed_in_a_hundred_loses_no_point() -> None:
    """The number that the module's text gives."""
    assert probability_left_out(0.01, 0.1, 1000) == pytest.approx(1.1e-6, rel=0.05)


def test_a_rate_at_the_limit_is_left_out_in_a_hundredth_of_cases_at_most() -> None:
    assert probability_left_out(0.1, 0.1, 400) < 0.01
    rng = np.random.default_rng(1)
    n_out = 0
    for _ in range(200):
        failed = np.cumsum(rng.random(300) < 0.4)
        n_out += any(is_above(0.1, int(failed[k]), k + 1) for k in range(0, 300, 5))
    assert n_out == 200  # of a rate far above it, all


def test_the_first_failures_that_suffice() -> None:
    assert [is_above(0.1, n, n) for n in (1, 2, 3)] == [False, False, True]
    assert is_above(0.0, 1, 1000)
    assert not is_above(1.0, 50, 50)
    assert not is_above(0.1, 0, 0)


def test_games_are_judged_in_their_order_not_in_that_of_their_ends() -> None:
    goal = mean()
    failed, ended = FailedGame(0, "crash"), ReportedGame(0, 5.0, 1, 0.1, {})
    late = {1: failed, 2: failed, 3: failed}
    assert not shows_failures(late, goal, 0.1), "the first one is not back yet"
    assert not shows_failures({0: ended, **late}, goal, 0.1)
    assert shows_failures({0: failed, 1: failed, 2: failed, 3: ended}, goal, 0.1)
    assert not shows_failures({0: ended, 1: ended}, goal, 0.1)


def test_exact_goals_need_one_failure_and_a_limit_of_1_leaves_out_what_never_ends() -> None:
    assert is_left_out(1, 0, exact(), 0.1)
    assert not is_left_out(1, 0, mean(), 0.1)
    assert not is_left_out(MAX_UNPLAYED - 1, 0, mean(), 1.0)
    assert is_left_out(MAX_UNPLAYED, 0, mean(), 1.0)
    assert not is_left_out(1000, 1, mean(), 1.0)
    assert not is_left_out(1000, 0, mean(penalty=0.0), 0.0)


def test_a_penalty_makes_failures_count_but_not_their_cost() -> None:
    goal = mean(penalty=-1.0)
    outcomes = {
        0: ReportedGame(0, 5.0, 1, 0.1, {}),
        1: FailedGame(1, "crashed"),
        2: ReportedGame(2, 7.0, 1, 0.1, {}),
    }
    games, failures = split(outcomes, goal.penalty)
    assert goal.estimate(list(games.values())).value == pytest.approx(11.0 / 3.0)
    assert [game.has_ended for game in games.values()] == [True, False, True]
    assert list(failures) == [1]
    assert split(outcomes, None)[0].keys() == {0, 2}
    assert split({1: FailedGame(1, "crashed")}, -1.0)[0] == {}


def test_a_penalty_that_no_game_can_have_is_refused() -> None:
    from thetafront.study.experiments.objectives.goals import rate

    with pytest.raises(ValueError, match=r"penalty must be .* between 0 and 1 \(got 2\)"):
        rate("won", penalty=2)
    with pytest.raises(ValueError, match="penalty must be a finite number"):
        mean(penalty=math.inf)


def test_the_interval_is_wilson_s() -> None:
    found = share(3, 100)
    assert rate_interval(3, 100) == f"3% ({100 * found.low:.3g}% to {100 * found.high:.3g}%)"
