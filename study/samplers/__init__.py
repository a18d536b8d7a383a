"""Samplers by name: they propose the next θ, most of them with a model of the objectives.

Each trial has a new sampler, with random numbers derived from the study's seed and the trial's
number. So a resumed study continues with fresh random numbers instead of repeating its first ones.
A sampler keeps nothing between trials; it reads earlier trials from the study.

`knowledge-gradient` (:mod:`study.samplers.knowledge_gradient`) and `nehvi`
(:mod:`study.samplers.nehvi`) are part of this package; all other samplers are Optuna's.

This folder may import `experiments` and the modules directly in `study`.
"""

import importlib
import importlib.util
import inspect
import warnings
from typing import Any

import optuna
from optuna.samplers import BaseSampler, RandomSampler

from thetafront.study.errors import InputError
from thetafront.study.experiments.space import Space
from thetafront.study.samplers.base import ModelSampler, RejectionSampler
from thetafront.study.samplers.observations import Objectives

DEFAULT_SAMPLER = "knowledge-gradient"
EXACT_SAMPLER = "nehvi"  # for exact scores: the recommended front then consists of trials


SAMPLERS = {
    "knowledge-gradient": f"{__name__}.knowledge_gradient.KnowledgeGradientSampler",
    "nehvi": f"{__name__}.nehvi.NoisyEHVISampler",
    "tpe": "optuna.samplers.TPESampler",
    "nsga2": "optuna.samplers.NSGAIISampler",
    "random": "optuna.samplers.RandomSampler",
    "gp": "optuna.samplers.GPSampler",
}
LIBRARIES = {"gp": "torch"}


def is_installed(sampler: str) -> bool:
    """Return whether the library that a sampler needs can be imported."""
    return sampler not in LIBRARIES or importlib.util.find_spec(LIBRARIES[sampler]) is not None


def installed_samplers() -> list[str]:
    """Return the samplers that can run here."""
    return [name for name in SAMPLERS if is_installed(name)]


def sampler_of_class(
    name: str, seed: int, n_design: int, objectives: Objectives, **settings: Any
) -> BaseSampler:
    """Create a sampler from the name of its class, such as ``optuna.samplers.GPSampler``.

    The class gets its ``settings``, a seed and ``n_startup_trials`` if it has these arguments, and
    the objectives if it is a :class:`ModelSampler`. InputError if there is no such class, or if it
    needs other arguments.
    """
    module, _, class_name = name.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), class_name)
    except Exception as error:  # foreign code may raise anything
        raise InputError(f"sampler {name!r} cannot be imported: {error}") from None
    if not (isinstance(kind, type) and issubclass(kind, BaseSampler)):
        raise InputError(f"sampler must be a class derived from BaseSampler (got {name!r})")
    # With several workers, the first proposals are requested while the last points of the design
    # are still being played. If all of the design had to be complete, they would be random.
    offered: dict[str, Any] = {"seed": seed, "n_startup_trials": max(1, n_design // 2)}
    if issubclass(kind, ModelSampler):
        offered["objectives"] = objectives
    taken = inspect.signature(kind).parameters
    try:
        return kind(**settings, **{each: offered[each] for each in offered if each in taken})
    except Exception as error:  # foreign code, too
        raise InputError(f"sampler {name!r} cannot be created: {error}") from None


def make_sampler(
    name: str,
    study_seed: int,
    trial_number: int,
    n_design: int,
    objectives: Objectives,
    space: Space | None = None,
) -> BaseSampler:
    """Make the sampler for one trial.

    InputError if there is no such sampler, its library is not installed, or it cannot be created.

    Parameters
    ----------
    name : str
        One of :data:`SAMPLERS`, or the name of a class with Optuna's interface, such as
        ``optuna.samplers.GPSampler``.
    study_seed, trial_number : int
        The two numbers that determine the sampler's random numbers.
    n_design : int
        Size of the initial design; a model begins to propose θ after half of that many trials.
    objectives : Objectives
        Scales, reference point and noise of the objectives, for samplers with a model.
    space : Space, optional
        Says which θ are feasible and which parameters are active; by default, all are.
    """
    if name not in SAMPLERS and "." not in name:
        raise InputError(
            f"sampler must be one of {', '.join(SAMPLERS)}, or a class such as "
            f"optuna.samplers.GPSampler (got {name!r})"
        )
    if not is_installed(name):
        others = ", ".join(each for each in SAMPLERS if each not in LIBRARIES)
        raise InputError(
            f"sampler {name!r} needs {LIBRARIES[name]}, which is not installed (pip install "
            f"'thetafront[{name}]'); {others} do not need it"
        )
    # Different for all trials. From similar seeds, too, numpy makes unrelated random numbers.
    seed = (study_seed * 1_000_000 + trial_number) % 2**32
    settings: dict[str, dict[str, Any]] = {
        # Tree-structured Parzen estimators; trials in flight count as bad (constant liar).
        "tpe": {"multivariate": True, "constant_liar": True},
        "nsga2": {"population_size": max(4, n_design)},
    }
    with warnings.catch_warnings():
        # optuna warns that `multivariate` and `constant_liar` are experimental; we use them anyway.
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        kind, given = SAMPLERS.get(name, name), settings.get(name, {})
        sampler = sampler_of_class(kind, seed, n_design, objectives, **given)
    if space is None or space.is_box:
        return sampler
    if isinstance(sampler, ModelSampler):
        sampler.space = space
        return sampler
    return RejectionSampler(sampler, space, seed)


def check_sampler(name: str, space: Space) -> None:
    """Raise InputError for a sampler that does not exist or cannot search a space.

    Some classes of samplers work only with one objective, with steps, or with certain kinds of
    parameters, and raise an error only when they propose a θ. So a sampler that is not in
    :data:`SAMPLERS` is asked for one θ, after two random trials. ``name`` is as for
    :func:`make_sampler`, which raises the same error.
    """
    sampler = make_sampler(name, 0, 2, 1, Objectives(), space)
    if name in SAMPLERS:
        return
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=RandomSampler(seed=0))
    distributions = space.distributions()
    for number in range(2):
        study.tell(study.ask(distributions), (float(number), 1.0 + number))
    study.sampler = sampler
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the sweep's own calls will warn again
            study.ask(distributions)
    except Exception as error:  # foreign code may raise anything
        raise InputError(f"sampler {name!r} cannot search this space: {error}") from None
