"""Runs, and their recommendations by the truth."""

import numpy as np
import pytest

from results.benchmarks.samplers import contest
from results.benchmarks.samplers.contest import Run, play
from results.benchmarks.samplers.measures import (
    Predictions,
    at_budgets,
    hypervolume_share,
)
from results.benchmarks.samplers.surfaces import surface
from results.benchmarks.samplers.truth import Truth, true_front

# Two decades, a point at each end and in the middle.
SCORES, SECONDS = np.array([100.0, 200.0, 400.0]), np.array([1e-5, 1e-4, 1e-3])
TINY = Truth(np.zeros((3, 1)), SCORES, SECONDS, 100.0 + 2 * 200.0 + 400.0)


@pytest.mark.parametrize("name", ["recorded", "saturating", "two_regimes"])
def test_who_knows_the_true_front_has_all_its_hypervolume_and_no_regret(name: str) -> None:
    truth = true_front(name)
    predictions = Predictions(truth.scores, truth.seconds, truth.scores, truth.seconds)
    assert hypervolume_share(predictions, truth, surface(name).reference) == pytest.approx(1.0)
    assert at_budgets(predictions, truth) == pytest.approx((0.0, 0.0, 0.0))


def test_the_best_true_score_within_budgets_by_hand() -> None:
    assert TINY.best_within(np.array([0.9e-5, 1e-5, 9e-4, 1.0])).tolist() == [
        -np.inf,
        100,
        200,
        400,
    ]


def test_regret_and_optimism_by_hand() -> None:
    # The budgets are the middles of 25 parts of 10⁻⁵ … 10⁻³: 12 below 10⁻⁴, that itself, 12 above.
    # Evaluated: one θ from 10⁻⁴ on, claimed 250, truly 150; and one that predictions less for more.
    predictions = Predictions(
        np.array([250.0, 240.0]), np.array([1e-4, 2e-4]), np.array([150.0, 190.0]), SECONDS[1:]
    )
    regret, optimism, unserved = at_budgets(predictions, TINY)
    assert len(TINY.budgets) == 25
    assert regret == pytest.approx((12 * 100.0 + 13 * (200 - 150)) / 25)
    assert optimism == pytest.approx(100.0)
    assert unserved == pytest.approx(12 / 25)


def test_hypervolume_is_that_of_the_true_values_of_what_is_claimed_to_be_best() -> None:
    # The second predictions to beat the first in both and is truly worse: only it counts.
    predictions = Predictions(
        np.array([100.0, 300.0]), np.array([2e-4, 1e-4]), np.array([400.0, 100.0]), SECONDS[[0, 1]]
    )
    share = hypervolume_share(predictions, TINY, (0.0, 1e-2))
    assert share == pytest.approx(100.0 * 2 / 900.0)


def test_nothing_within_budget_is_all_regret() -> None:
    predictions = Predictions(*(np.array([x]) for x in (900.0, 1.0, 900.0, 1.0)))
    regret, optimism, unserved = at_budgets(predictions, TINY)
    assert regret == pytest.approx((12 * 100.0 + 13 * 200.0) / 25)
    assert np.isnan(optimism)
    assert unserved == 1.0


def without_times(record: dict) -> dict:
    return {key: value for key, value in record.items() if not key.endswith("cpu_seconds")}


def test_a_run_is_decided_by_its_name() -> None:
    first, again = (play(Run("two_regimes", "tpe", 20, 3, 1000)) for _ in range(2))
    other = play(Run("two_regimes", "tpe", 20, 3, 1001))
    assert without_times(first) == without_times(again)
    assert without_times(first) != without_times(other)
    assert first["course"][-1] == [60, first["hypervolume_by_posterior"]]
    assert [n_games for n_games, _ in first["course"]] == [48, 60]


def test_all_samplers_begin_with_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    def remember(self, number: int):
        begun.append([trial.values for trial in self.study.trials[:16]])
        return original(self, number)

    original = contest.Contest.by_posterior
    monkeypatch.setattr(contest.Contest, "by_posterior", remember)
    for sampler in ("random", "nehvi"):
        play(Run("saturating", sampler, 17, 3, 1002))
    assert begun[0] == begun[-1]
