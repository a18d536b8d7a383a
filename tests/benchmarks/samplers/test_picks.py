"""Picks of simulated studies: the machine that drifts, a table by hand, and one small study."""

import numpy as np
import pandas as pd
import pytest

from results.benchmarks.samplers import recommendations
from results.benchmarks.samplers.picks import pick_sections
from results.benchmarks.samplers.recommendations import DRIFT, GAMES_OF_MEMORY, Machine


def test_the_machine_drifts_as_it_should() -> None:
    """Deviation 5%; after 840 games 0.7/e of the variance is remembered; within 15%."""
    logs = np.log(Machine(np.random.default_rng(0)).factors(200_000))
    assert logs.std() == pytest.approx(DRIFT, rel=0.15)
    apart = int(GAMES_OF_MEMORY)
    correlation = np.corrcoef(logs[:-apart], logs[apart:])[0, 1]
    assert correlation == pytest.approx(0.7 / np.e, abs=0.1)


def test_answers_are_summarized() -> None:
    common = {"surface": "s", "sampler": "x", "n_validation": 100}
    rows = [
        {"way": "a", "asked": "budget", "seed": 0, "served": True, "error": 30.0, "regret": 100.0},
        {"way": "a", "asked": "budget", "seed": 1, "served": False, "regret": 500.0},
        {"way": "a", "asked": "point", "seed": 0, "served": True, "error": 3.0, "covered": True},
        {"way": "a", "asked": "point", "seed": 0, "served": True, "error": -4.0, "covered": False},
        {"way": "a", "asked": "front", "seed": 0, "p": 0.75, "on": True},
        {"way": "a", "asked": "front", "seed": 0, "p": 0.25, "on": False},
    ]
    rows[0] |= {"covered": True, "exceeded": False}
    bounds = [(True, 1.0, 2000.0, 900.0), (False, 0.5, 3000.0, 2100.0)]
    names = ("covered", "share", "half_width", "regret")
    certified = {"way": "certificate", "asked": "certificate", "seed": 0}
    rows += [certified | dict(zip(names, each, strict=True)) for each in bounds]
    lacking = dict.fromkeys(("cost_covered", "decades"), np.nan)
    frame = pd.DataFrame([{**lacking, **common, **row} for row in rows])
    claims, picks, for_target, chances, certificates = pick_sections(frame)
    assert claims.rows == [("a", "2", "4", "-0", "0.500", "")]
    assert picks.rows == [("a", "2", "300", "200", "+30", "1.000", "0.000", "0.50")]
    assert not for_target.rows
    assert chances.rows == [("a", "2", "0.500", "0.500", "0.750", "1.000")]
    assert certificates.rows == [("certificate", "2", "0.500", "0.750", "2,500", "1,500")]


@pytest.mark.slow
def test_a_study_of_random_trials_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recommendations, "VALIDATION_GAMES", (100,))
    answers = pd.DataFrame(recommendations.measured("saturating", "random", 80, 9, 1000))
    assert answers[answers["asked"] == "point"].groupby("way").size().between(2, 12).all()
    budgets = answers[answers["asked"] == "budget"]
    assert set(budgets["way"]) == {"halves", "validated", "anywhere", "played"}
    assert (budgets.groupby("way").size() == 25).all()
    served = budgets[budgets["served"].astype(bool)]
    assert served["covered"].astype(float).mean() > 0.7
    assert served["exceeded"].astype(float).mean() < 0.3
    assert answers["p"].dropna().between(0.0, 1.0).all()
