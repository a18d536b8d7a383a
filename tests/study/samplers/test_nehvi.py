"""Noisy expected hypervolume improvement: degenerate studies, and a problem to solve."""

from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import RandomSampler

from tests.study.samplers.toy import (
    TOY_OBJECTIVES,
    UNIT,
    true_hypervolume,
    truth,
)
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.nehvi import NoisyEHVISampler
from thetafront.study.samplers.observations import Objectives
from thetafront.study.scale import Scale

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning")


def test_trials_in_flight_keep_others_away() -> None:
    """Little is left of an expected gain that a trial in flight may bring."""
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=RandomSampler(seed=0))
    for _ in range(16):
        trial = study.ask(UNIT)
        study.tell(trial, truth(trial.params))
    study.sampler = NoisyEHVISampler(0, TOY_OBJECTIVES)
    points = UnitCube(UNIT).encode([study.ask(UNIT).params for _ in range(4)])
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)[np.triu_indices(4, 1)]
    assert distances.min() > 0.05


def test_a_space_that_is_exhausted_is_tried_again_where_it_matters() -> None:
    space = {"n": IntDistribution(0, 3), "c": CategoricalDistribution("ab")}
    study = optuna.create_study(
        directions=["maximize", "minimize"], sampler=NoisyEHVISampler(1, n_startup_trials=3)
    )
    for _ in range(16):
        trial = study.ask(space)
        n, worse = trial.params["n"], trial.params["c"] == "a"
        study.tell(trial, (n - 2 * worse, n * n))
    asked = [(trial.params["n"], trial.params["c"]) for trial in study.trials]
    again = [c for _, c in asked[10:]]
    assert {("b", n) for n in range(4)} == {(c, n) for n, c in asked if c == "b"}
    assert set(again) == {"b"}, "what is certainly dominated is not tried once more"
    assert len(set(asked[10:])) > 1


def test_it_finds_a_noisy_front() -> None:
    """Of 1.1 · 1.1 − 1/3 at most, forty random trials get two fifths."""
    seeds = range(3)
    ours = [
        true_hypervolume(NoisyEHVISampler(seed, TOY_OBJECTIVES), seed, 16, 40) for seed in seeds
    ]
    by_chance = [true_hypervolume(RandomSampler(), seed, 40, 40) for seed in seeds]
    assert np.mean(ours) > np.mean(by_chance) + 0.4


CATEGORICAL: dict[str, BaseDistribution] = {
    "choice": CategoricalDistribution(("a", "b", "c", "d", "e")),
    "effort": FloatDistribution(1.0, 1000.0, log=True),
    "other": FloatDistribution(0.0, 1.0),
}
WORTH = {"a": 0.0, "b": 4.0, "c": 1.0, "d": 2.0, "e": 0.5}


def worth(params: dict[str, Any]) -> tuple[float, float]:
    """A score that grows with effort, but depends most on the choice; effort is the cost."""
    score = WORTH[params["choice"]] + np.log10(params["effort"]) - (params["other"] - 0.3) ** 2
    return score, params["effort"]


def test_the_better_choice_is_found_and_kept() -> None:
    """Of five choices chance would take each for a fifth; here b is best at any cost."""
    proposed = []
    for seed in range(3):
        objectives = Objectives(
            scales=(Scale.LINEAR, Scale.LOG),
            reference_point=(0.0, 1000.0),
            noise=lambda trials: np.tile([0.5**2, np.nan], (len(trials), 1)),
        )
        rng = np.random.default_rng(seed)
        study = optuna.create_study(
            directions=["maximize", "minimize"], sampler=RandomSampler(seed=seed)
        )
        for number in range(28):
            if number == 10:
                study.sampler = NoisyEHVISampler(seed, objectives)
            trial = study.ask(CATEGORICAL)
            assert trial.params["choice"] in WORTH
            score, cost = worth(trial.params)
            study.tell(trial, (score + 0.5 * rng.standard_normal(), cost))
            if number >= 10:
                assert trial.relative_params == trial.params, "optuna rejected the proposal"
                proposed.append(trial.params["choice"])
    assert proposed.count("b") > 0.6 * len(proposed)
