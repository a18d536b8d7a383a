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
from threadpoolctl import threadpool_info

from tests.study.samplers.toy import (
    DEGENERATE,
    MIXED,
    OBJECTIVES,
    TOY_OBJECTIVES,
    UNIT,
    ask,
    mixed_study,
    ordinary,
    true_hypervolume,
    truth,
)
from thetafront.study.samplers.candidates import is_among, perturb
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.nehvi import NoisyEHVISampler
from thetafront.study.samplers.observations import Objectives
from thetafront.study.scale import Scale

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning")


def study_of(seed: int = 0, n: int = 12, n_startup_trials: int = 1) -> optuna.Study:
    sampler = NoisyEHVISampler(seed, OBJECTIVES, n_startup_trials)
    return mixed_study(sampler, ordinary(np.random.default_rng(1), n))


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_studies(name: str) -> None:
    trials = DEGENERATE[name](np.random.default_rng(2))
    ask(mixed_study(NoisyEHVISampler(0, OBJECTIVES, 1), trials))


def test_all_parameters_are_proposed_together_but_those_of_one_value() -> None:
    (trial,) = ask(study_of(), 1)
    assert set(trial.relative_params) == set(MIXED) - {"single"}


def test_the_first_trials_are_random() -> None:
    assert not ask(study_of(n=7, n_startup_trials=8), 1)[0].relative_params
    assert ask(study_of(n=8, n_startup_trials=8), 1)[0].relative_params


def test_a_study_of_one_objective_is_refused() -> None:
    study = optuna.create_study(sampler=NoisyEHVISampler())
    with pytest.raises(ValueError, match=r"must have two objectives \(got 1\)"):
        study.ask(UNIT)


def test_the_seed_and_the_data_decide() -> None:
    first, again, other = ask(study_of(), 4), ask(study_of(), 4), ask(study_of(seed=1), 4)
    assert [trial.params for trial in first] == [trial.params for trial in again]
    assert [trial.params for trial in first] != [trial.params for trial in other]
    assert ask(study_of(n=11), 1)[0].params != first[0].params


def test_random_draws_are_decided_by_the_seed_too() -> None:
    def params(seed: int) -> dict[str, object]:
        return mixed_study(NoisyEHVISampler(seed), []).ask(MIXED).params

    assert params(3) == params(3)
    assert params(3) != params(4)


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


def test_trials_that_were_enqueued_keep_their_params() -> None:
    study = study_of()
    fixed = {"choice": "b", "step": 15, "log": 0.5, "single": 4, "x": 0.125}
    study.enqueue_trial(fixed)
    study.enqueue_trial({"step": 10})
    assert study.ask(MIXED).params == fixed
    assert study.ask(MIXED).params["step"] == 10


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


def test_a_parameter_added_later_is_drawn_at_random() -> None:
    study = study_of()
    trial = study.ask({**MIXED, "new": FloatDistribution(0.0, 1.0)})
    assert "new" not in trial.relative_params
    assert 0.0 <= trial.params["new"] <= 1.0


def test_perturbed_points_stand_for_values_and_change_their_choices() -> None:
    cube = UnitCube(MIXED)
    rng = np.random.default_rng(5)
    start = cube.snap(rng.random((1, cube.n_coordinates)))
    near = perturb(cube, np.repeat(start, 2000, axis=0), np.array(0.01), rng)
    np.testing.assert_array_equal(cube.snap(near), near)
    choices = near[:, cube.columns["choice"]]
    assert set(choices.argmax(axis=1)) == {0, 1, 2}
    np.testing.assert_array_equal(choices.sum(axis=1), 1.0)


def test_which_points_are_among_others() -> None:
    points, others = np.array([[0.1, 0.2], [0.1, 0.3], [1.0, 1.0]]), np.array([[0.1, 0.3]])
    np.testing.assert_array_equal(is_among(points, others + 1e-12), [False, True, False])


def test_it_finds_a_noisy_front() -> None:
    """Of 1.1 · 1.1 − 1/3 at most, forty random trials get two fifths."""
    seeds = range(3)
    ours = [
        true_hypervolume(NoisyEHVISampler(seed, TOY_OBJECTIVES), seed, 16, 40) for seed in seeds
    ]
    by_chance = [true_hypervolume(RandomSampler(), seed, 40, 40) for seed in seeds]
    assert np.mean(ours) > np.mean(by_chance) + 0.4


def test_threads_that_ask_at_once_leave_the_number_of_threads_as_it_was() -> None:
    """The limit on linear algebra's threads is the process's own, so they take turns at it."""

    def threads() -> list[int]:
        return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    before = threads()
    study = optuna.create_study(
        directions=["minimize", "minimize"], sampler=NoisyEHVISampler(0, TOY_OBJECTIVES)
    )

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        return truth({name: trial.suggest_float(name, 0.0, 1.0) for name in UNIT})

    study.optimize(objective, n_trials=12, n_jobs=2)
    assert threads() == before


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
