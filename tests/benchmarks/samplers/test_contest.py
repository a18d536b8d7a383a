"""Runs, and their recommendations by the truth."""

import numpy as np
import pytest

from results.benchmarks.samplers.contest import YARDSTICKS, Contest, Run, play
from results.benchmarks.samplers.surfaces import surface
from results.benchmarks.samplers.truth import Truth, true_front

# Two decades, per point at each end and in the middle.
SCORES, SECONDS = np.array([100.0, 200.0, 400.0]), np.array([1e-5, 1e-4, 1e-3])
TINY = Truth(np.zeros((3, 1)), SCORES, SECONDS)


@pytest.mark.parametrize("name", ["recorded", "two_regimes"])
def test_who_knows_the_true_front_has_all_its_hypervolume_and_no_regret(name: str) -> None:
    truth = true_front(name)
    known = truth.scores, truth.seconds
    perfect = {"hypervolume": 1.0, "regret_points": 0.0, "optimism_points": 0.0, "unserved": 0.0}
    assert truth.measured(known, known) == pytest.approx(perfect)


def test_the_best_true_score_within_budgets_by_hand() -> None:
    found = TINY.best_within(np.array([0.9e-5, 1e-5, 9e-4, 1.0]))
    assert found.tolist() == [-np.inf, 100, 200, 400]


def test_regret_and_optimism_by_hand() -> None:
    # The budgets are the middles of 25 parts of 10⁻⁵ … 10⁻³: 12 below 10⁻⁴, that itself, 12 above.
    # Evaluated: one θ from 10⁻⁴ on, claimed 250, truly 150; and one that predictions less for more.
    predicted = np.array([250.0, 240.0]), np.array([1e-4, 2e-4])
    found = TINY.measured(predicted, (np.array([150.0, 190.0]), SECONDS[1:]))
    assert len(TINY.budgets) == 25
    assert found["regret_points"] == pytest.approx((12 * 100.0 + 13 * (200 - 150)) / 25)
    assert found["optimism_points"] == pytest.approx(100.0)
    assert found["unserved"] == pytest.approx(12 / 25)


def test_hypervolume_is_that_of_the_true_values_of_what_is_claimed_to_be_best() -> None:
    """The second predictions beat the first in both and are truly worse: only they count.

    Up to 10⁻³, the front dominates 100 points for two decades and 100 more for one.
    """
    predicted = np.array([100.0, 300.0]), np.array([2e-4, 1e-4])
    found = TINY.measured(predicted, (np.array([400.0, 100.0]), SECONDS[[0, 1]]))
    assert found["hypervolume"] == pytest.approx(100.0 / 300.0)


def test_nothing_within_budget_is_all_regret() -> None:
    found = TINY.measured(*((np.array([900.0]), np.array([1.0])),) * 2)
    assert found["regret_points"] == pytest.approx((12 * 100.0 + 13 * 200.0) / 25)
    assert np.isnan(found["optimism_points"])
    assert found["unserved"] == 1.0


def without_times(record: dict) -> dict:
    return {key: value for key, value in record.items() if not key.endswith("cpu_seconds")}


def test_a_run_is_decided_by_its_name() -> None:
    first, again = (play(Run("two_regimes", "tpe", 20, 3, 1000)) for _ in range(2))
    other = play(Run("two_regimes", "tpe", 20, 3, 1001))
    assert without_times(first) == without_times(again)
    assert without_times(first) != without_times(other)


def test_all_samplers_begin_with_the_same_games() -> None:
    begun = []
    for sampler in ("random", "knowledge-gradient"):
        contest = Contest(surface("saturating"), 1002, 8)
        for _ in range(9):
            contest.trial(sampler, 3)
        begun.append([trial.values for trial in contest.study.trials])
    assert begun[0][:8] == begun[1][:8]
    assert begun[0][8] != begun[1][8]


@pytest.mark.parametrize("name", YARDSTICKS)
def test_yardsticks_propose_what_their_seed_decides(name: str) -> None:
    pytest.importorskip("smac", reason="needs smac and botorch, which nothing else needs")
    pytest.importorskip("botorch", reason="needs smac and botorch, which nothing else needs")
    begun = []
    for seed in (1003, 1003, 1004):
        contest = Contest(surface("saturating"), seed, 8)
        for _ in range(9):
            contest.trial(name, 3)
        begun.append(contest.points[-1].tolist())
    assert begun[0] == begun[1] != begun[2]
    assert all(0.0 <= x <= 1.0 for x in begun[0])
