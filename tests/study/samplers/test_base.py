"""What our samplers have in common: degenerate studies, seeds, what is left to chance."""

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from threadpoolctl import threadpool_info, threadpool_limits

from tests.study.samplers.toy import (
    DEGENERATE,
    MIXED,
    OBJECTIVES,
    TOY_OBJECTIVES,
    UNIT,
    ask,
    mixed_study,
    ordinary,
    truth,
)
from thetafront.study.samplers.base import ModelSampler
from thetafront.study.samplers.candidates import is_among, perturb
from thetafront.study.samplers.encoding import UnitCube
from thetafront.study.samplers.knowledge_gradient import KnowledgeGradientSampler
from thetafront.study.samplers.nehvi import NoisyEHVISampler

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning", "error::UserWarning")
EITHER = pytest.mark.parametrize("kind", [KnowledgeGradientSampler, NoisyEHVISampler])


def study_of(
    kind: type[ModelSampler], seed: int = 0, n: int = 12, n_startup_trials: int = 1
) -> optuna.Study:
    sampler = kind(seed, OBJECTIVES, n_startup_trials)
    return mixed_study(sampler, ordinary(np.random.default_rng(1), n))


@EITHER
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_studies(name: str, kind: type[ModelSampler]) -> None:
    trials = DEGENERATE[name](np.random.default_rng(2))
    ask(mixed_study(kind(0, OBJECTIVES, 1), trials))


@EITHER
def test_the_seed_and_the_data_decide(kind: type[ModelSampler]) -> None:
    first, again, other = (ask(study_of(kind, seed), 3) for seed in (0, 0, 1))
    assert [trial.params for trial in first] == [trial.params for trial in again]
    assert [trial.params for trial in first] != [trial.params for trial in other]
    assert ask(study_of(kind, n=11), 1)[0].params != first[0].params
    assert set(first[0].relative_params) == set(MIXED) - {"single"}


def test_the_first_trials_are_random_by_the_seed() -> None:
    assert not ask(study_of(NoisyEHVISampler, n=7, n_startup_trials=8), 1)[0].relative_params
    assert ask(study_of(NoisyEHVISampler, n=8, n_startup_trials=8), 1)[0].relative_params
    one, again, other = (
        mixed_study(NoisyEHVISampler(seed), []).ask(MIXED).params for seed in (3, 3, 4)
    )
    assert one == again != other


def test_a_study_of_one_objective_is_refused() -> None:
    study = optuna.create_study(sampler=NoisyEHVISampler())
    with pytest.raises(ValueError, match=r"must have two objectives \(got 1\)"):
        study.ask(UNIT)


def test_trials_that_were_enqueued_keep_their_params_and_new_ones_are_drawn() -> None:
    study = study_of(NoisyEHVISampler)
    fixed = {"choice": "b", "step": 15, "log": 0.5, "single": 4, "x": 0.125}
    study.enqueue_trial(fixed)
    study.enqueue_trial({"step": 10})
    assert study.ask(MIXED).params == fixed
    assert study.ask(MIXED).params["step"] == 10
    trial = study.ask({**MIXED, "new": FloatDistribution(0.0, 1.0)})
    assert "new" not in trial.relative_params
    assert 0.0 <= trial.params["new"] <= 1.0


def test_threads_that_ask_at_once_leave_the_number_of_threads_as_it_was() -> None:
    """The limit on linear algebra's threads is the process's own, so they take turns at it."""

    def threads() -> list[int]:
        return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]

    study = optuna.create_study(
        directions=["minimize", "minimize"], sampler=NoisyEHVISampler(0, TOY_OBJECTIVES)
    )

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        return truth({name: trial.suggest_float(name, 0.0, 1.0) for name in UNIT})

    with threadpool_limits(2):  # tests have one, and the sampler takes one
        before = threads()
        study.optimize(objective, n_trials=12, n_jobs=2)
        assert threads() == before


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
