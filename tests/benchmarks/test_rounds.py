"""The simulated validations: their truth, equal seconds, and what is measured of them."""

import numpy as np
import pandas as pd
import pytest

from results.benchmarks.rounds import (
    DEFAULT_RULE,
    RULES,
    Simulated,
    allocation_frame,
    allocation_markdown,
    answers_of,
    ocba,
)
from thetafront.study.log.manifest import ROOT
from thetafront.study.run.allocation import Played

PUBLISHED = ROOT / "results" / "reference" / "rounds"


def test_the_games_have_the_stated_moments() -> None:
    simulated = Simulated.drawn(7)
    n = simulated.scores.shape[1]
    errors = simulated.deviation / np.sqrt(n)
    assert np.all(np.abs(simulated.scores.mean(axis=1) - simulated.mean) < 4.5 * errors)
    assert simulated.scores.std(axis=1) == pytest.approx(simulated.deviation, rel=0.03)
    assert np.all(np.diff(simulated.cost) > 0)


@pytest.mark.parametrize("rule", RULES)
def test_all_rules_stop_after_the_same_seconds(rule: str) -> None:
    simulated = Simulated.drawn(1000)
    before = np.zeros(len(simulated.cost))
    for stop, n in zip((70.0, 200.0), simulated.counts(rule, (200.0, 70.0)), strict=True):
        spent = float(n @ simulated.seconds)
        assert stop <= spent <= stop + simulated.seconds.max()
        assert np.all(n >= before)
        before = n
    assert before.min() >= 20


def test_measures_are_of_the_truth() -> None:
    """Had the games no noise, nothing would be lost and all of it known."""
    drawn = Simulated.drawn(1000)
    exact = np.tile(drawn.mean[:, None], (1, 20)) + np.tile([1.0, -1.0], 10)
    simulated = Simulated(drawn.cost, drawn.mean, drawn.deviation, drawn.seconds, exact)
    found = simulated.measured(np.full(len(drawn.cost), 20.0))
    for name in ("regret_points", "error_points", "bias_standard_errors"):
        assert found[name] == pytest.approx(0.0, abs=1e-9)
    assert found["n_covered"] == found["n_points"] == 13
    assert answers_of(np.array([1.0, 3.0, 2.0, 4.0])) == [0, 1, 1, 3]


def test_the_rule_in_use_loses_less_than_equal_shares() -> None:
    """Ten seeds, paired: regret, and width of the hypervolume's interval, after ten minutes."""
    frame = allocation_frame(range(1000, 1010), stops=(600.0,)).pivot(index="seed", columns="rule")
    for measure in ("regret_points", "interval_width"):
        assert frame[measure][DEFAULT_RULE].mean() < 0.85 * frame[measure]["equal"].mean()


def test_published_comparisons_are_made_again() -> None:
    """The text from the published table, and the first seed's rows after five minutes."""
    published = pd.read_csv(PUBLISHED / "allocation.csv")
    assert allocation_markdown(published) == (PUBLISHED / "allocation.md").read_text("utf-8")
    first = published[(published["seed"] == 0) & (published["seconds"] == 300.0)]
    made = allocation_frame(range(1), stops=(300.0,))
    pd.testing.assert_frame_equal(made, first.reset_index(drop=True), rtol=1e-9)


def test_ocba_of_one_budget_has_its_two_closed_forms() -> None:
    """Non-best nᵢ ∝ vᵢ/δᵢ²; the best √(v_b·Σ gᵢ·nᵢ²/vᵢ / g_b). Gains are shares over seconds."""
    of = Played(
        mean=np.array([16.0, 20.0, 17.0]),
        variance=np.array([4.0, 9.0, 16.0]),
        n=np.array([10.0, 10.0, 10.0]),
        seconds=np.array([0.1, 1.0, 10.0]),
        decades=np.array([0.0, 0.0, 1.0]),
    )
    games = np.array([4.0 / 4.0**2, 0.0, 16.0 / 3.0**2])
    games[1] = np.sqrt(9.0 * (0.1 * games[0] ** 2 / 4.0 + 10.0 * games[2] ** 2 / 16.0) / 1.0)
    shares = games * of.seconds / (games @ of.seconds)
    spent = of.n * of.seconds
    assert ocba(of, np.zeros((1, 3))) == pytest.approx(shares * spent.sum() / spent)
