"""Samplers by name, and the random numbers of each trial."""

import importlib.util

import optuna
import pytest

from thetafront.study.errors import InputError
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.samplers import SAMPLERS, check_sampler, make_sampler
from thetafront.study.samplers.nehvi import NoisyEHVISampler
from thetafront.study.samplers.observations import Objectives
from thetafront.study.scale import Scale

SPACE = EXPERIMENTS["mcmdp"].space
WITHOUT_TORCH = sorted(set(SAMPLERS) - {"gp"})
OBJECTIVES = Objectives(scales=(Scale.LINEAR, Scale.LOG))


def proposals(sampler: str, seed: int, n_trials: int, restart_at: int | None = None) -> list[dict]:
    """Params of a study on a toy objective, with the storage reopened at one trial."""
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(
        study_name="s", storage=storage, directions=["maximize", "minimize"]
    )
    for number in range(n_trials):
        if number == restart_at:
            study = optuna.load_study(study_name="s", storage=storage)
        study.sampler = make_sampler(sampler, seed, number, 8, OBJECTIVES)
        trial = study.ask(SPACE.distributions())
        study.tell(trial, (sum(SPACE.to_unit(trial.params)), trial.params["theta1"]))
    return [trial.params for trial in study.trials]


@pytest.mark.parametrize("sampler", WITHOUT_TORCH)
def test_a_resumed_study_continues_as_an_unbroken_one(sampler: str) -> None:
    whole = proposals(sampler, seed=3, n_trials=12)
    assert proposals(sampler, seed=2, n_trials=3) != whole[:3]
    assert proposals(sampler, seed=3, n_trials=12, restart_at=9) == whole
    assert len({tuple(params.values()) for params in whole}) == 12, "no point is proposed twice"


def test_any_sampler_of_optuna_is_made_by_its_class() -> None:
    found = proposals("optuna.samplers.NSGAIIISampler", seed=1, n_trials=3)
    assert found == proposals("optuna.samplers.NSGAIIISampler", seed=1, n_trials=3)
    assert found != proposals("optuna.samplers.NSGAIIISampler", seed=2, n_trials=3)
    sampler = make_sampler("optuna.samplers.NSGAIIISampler", 0, 0, 8, OBJECTIVES)
    assert isinstance(sampler, optuna.samplers.NSGAIIISampler)


def test_a_model_sampler_of_a_user_gets_the_study_s_objectives() -> None:
    sampler = make_sampler("thetafront.study.samplers.nehvi.NoisyEHVISampler", 0, 0, 8, OBJECTIVES)
    assert isinstance(sampler, NoisyEHVISampler)
    assert sampler.objectives is OBJECTIVES


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("magic", "must be one of knowledge-gradient, nehvi, tpe, nsga2, random, gp, or a"),
        ("nowhere.Sampler", "cannot be imported: No module named 'nowhere'"),
        ("optuna.samplers.Nothing", "cannot be imported: .* has no attribute 'Nothing'"),
        ("optuna.study.Study", "must be a class derived from BaseSampler"),
        ("optuna.samplers.GridSampler", "cannot be created: .*'search_space'"),
        (".Sampler", "cannot be imported"),
        ("..", "cannot be imported"),
    ],
)
def test_what_is_no_sampler_is_refused(name: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"sampler .*{said}"):
        make_sampler(name, 0, 0, 8, OBJECTIVES)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("optuna.samplers.CmaEsSampler", "multi-objective"),
        ("optuna.samplers.BruteForceSampler", "FloatDistribution.step must be given"),
    ],
)
def test_a_sampler_that_cannot_search_the_space_is_refused_before_anything_is_written(
    name: str, said: str
) -> None:
    with pytest.raises(InputError, match=f"sampler '{name}' cannot search .*{said}"):
        check_sampler(name, EXPERIMENTS["dice"].space)


@pytest.mark.parametrize("name", [*WITHOUT_TORCH, "optuna.samplers.NSGAIIISampler"])
def test_a_sampler_that_can_search_the_space_passes(name: str) -> None:
    check_sampler(name, EXPERIMENTS["dice"].space)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_what_needs_a_library_says_so() -> None:
    said = r"needs torch, which is not installed \(pip install 'thetafront\[gp"
    with pytest.raises(InputError, match=said):
        make_sampler("gp", 0, 0, 8, OBJECTIVES)
