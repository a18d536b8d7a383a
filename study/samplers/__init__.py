"""Samplers by name: who proposes the next θ.

A sampler is made anew for each trial, its random numbers named by (study seed, trial number). So a
resumed study goes on with fresh ones instead of repeating those it began with; what a sampler must
remember it reads from the study.

Ours are `nehvi` (:mod:`study.samplers.nehvi`) and `surrogate` (:mod:`study.samplers.surrogate`), and
`botorch` (:mod:`study.samplers.botorch`) is a yardstick; the others are optuna's.
"""

import importlib.util
import warnings
from collections.abc import Callable

import optuna
from optuna.samplers import BaseSampler, GPSampler, NSGAIISampler, RandomSampler, TPESampler

from study.errors import InputError
from study.samplers.observations import Objectives

__all__ = ["DEFAULT_SAMPLER", "SAMPLERS", "check_sampler", "installed_samplers", "make_sampler"]

DEFAULT_SAMPLER = "nehvi"


def nehvi(seed: int, n_design: int, objectives: Objectives) -> BaseSampler:
    """Noisy expected hypervolume improvement, told how noisy each trial is."""
    from study.samplers.nehvi import NoisyEHVISampler

    return NoisyEHVISampler(seed, objectives, n_startup_trials=max(1, n_design // 2))


def surrogate(seed: int, n_design: int, objectives: Objectives) -> BaseSampler:
    """Neural networks, and an evolutionary algorithm over what they predict: the paper's plan."""
    from study.samplers.surrogate import SurrogateSampler

    return SurrogateSampler(seed, objectives, n_startup_trials=max(1, n_design // 2))


def botorch(seed: int, n_design: int, objectives: Objectives) -> BaseSampler:
    """BoTorch's qLogNEHVI with known noise, which needs botorch."""
    needs("botorch")
    from study.samplers.botorch import BoTorchSampler

    return BoTorchSampler(seed, objectives, n_startup_trials=max(1, n_design // 2))


def tpe(seed: int, n_design: int, objectives: Objectives) -> BaseSampler:
    """Tree-structured Parzen estimators; trials in flight count as bad (constant liar).

    It may begin once half of the design is finished: with several workers the first proposals are
    asked for before the last design points are in, and would be drawn at random otherwise.
    """
    return TPESampler(
        seed=seed, n_startup_trials=max(1, n_design // 2), multivariate=True, constant_liar=True
    )


def nsga2(seed: int, n_design: int, objectives: Objectives) -> BaseSampler:
    """NSGA-II with generations of the design's size."""
    return NSGAIISampler(seed=seed, population_size=max(4, n_design))


def gp(seed: int, n_design: int, objectives: Objectives) -> BaseSampler:
    """Optuna's Gaussian process sampler, which needs torch."""
    needs("gp")
    return GPSampler(seed=seed, n_startup_trials=max(1, n_design // 2))


def random(seed: int, n_design: int, objectives: Objectives) -> BaseSampler:
    """Independent uniform draws."""
    return RandomSampler(seed=seed)


LIBRARIES = {"gp": "torch", "botorch": "botorch"}


def needs(sampler: str) -> None:
    """Refuse a sampler whose library is not there."""
    library = LIBRARIES[sampler]
    if importlib.util.find_spec(library) is None:
        raise InputError(
            f"sampler: {sampler!r} given, but it needs {library}, which is not installed (pip install "
            f"{library}); nehvi, surrogate, tpe, nsga2 and random do without"
        )


SAMPLERS: dict[str, Callable[[int, int, Objectives], BaseSampler]] = {
    "nehvi": nehvi,
    "surrogate": surrogate,
    "tpe": tpe,
    "nsga2": nsga2,
    "random": random,
    "gp": gp,
    "botorch": botorch,
}


def installed_samplers() -> list[str]:
    """Return the samplers that can run here."""
    return [
        name
        for name in SAMPLERS
        if name not in LIBRARIES or importlib.util.find_spec(LIBRARIES[name]) is not None
    ]


def make_sampler(
    name: str, study_seed: int, trial_number: int, n_design: int, objectives: Objectives
) -> BaseSampler:
    """Make the sampler for one trial.

    Parameters
    ----------
    name : str
        One of :data:`SAMPLERS`.
    study_seed, trial_number : int
        Together they name the sampler's random numbers.
    n_design : int
        Size of the initial design, for samplers that want to know when to begin.
    objectives : Objectives
        Scales, reference point and noise, for samplers that model them.

    Raises
    ------
    InputError
        If there is no such sampler, or it lacks a library.
    """
    if name not in SAMPLERS:
        raise InputError(f"sampler: {name!r} given, one of {', '.join(SAMPLERS)} allowed")
    # Distinct for all trials of one study; numpy mixes it well.
    seed = (study_seed * 1_000_000 + trial_number) % 2**32
    with warnings.catch_warnings():
        # `multivariate` and `constant_liar` are what we want, and optuna calls them experimental.
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return SAMPLERS[name](seed, n_design, objectives)


def check_sampler(name: str) -> None:
    """Refuse, before anything is written, a sampler that does not exist or cannot run."""
    make_sampler(name, 0, 0, 1, Objectives())
