"""Samplers compared on simulated studies whose truth is known, at equal numbers of games.

A real study cannot tell how good a sampler is: the best observed mean is partly luck, and nobody
knows the true front. Here a surface (:mod:`.surfaces`) replaces the agent: it knows the
true mean score and time of every θ, and plays games as noisy as real ones. A sampler runs a whole
study on it (:mod:`.contest`), and its recommendation is compared with the truth (:mod:`.measures`).

The published figures are of seeds 0 to 19. **Development uses seeds from 1,000 on: nothing is ever
tuned on the seeds that are reported.**
"""

import importlib.util

from optuna.samplers import BaseSampler

from thetafront import InputError
from thetafront.study import samplers
from thetafront.study.samplers.observations import Objectives

YARDSTICKS = {"surrogate": "sklearn", "botorch": "botorch"}
"""Samplers of the benchmarks alone, and the library that each needs."""
ORDER = ("knowledge-gradient", "nehvi", "surrogate", "tpe", "nsga2", "random", "gp", "botorch")
"""All samplers, in tables and figures."""


def make_sampler(
    name: str, study_seed: int, trial_number: int, n_design: int, objectives: Objectives
) -> BaseSampler:
    """Make the sampler for one trial, a yardstick or one of the package's."""
    check_sampler(name)
    if name not in YARDSTICKS:
        return samplers.make_sampler(name, study_seed, trial_number, n_design, objectives)
    seed, start = samplers.trial_seed(study_seed, trial_number), samplers.startup(n_design)
    if name == "surrogate":
        from results.benchmarks.samplers.surrogate import SurrogateSampler

        return SurrogateSampler(seed, objectives, start)
    from results.benchmarks.samplers.botorch import BoTorchSampler

    return BoTorchSampler(seed, objectives, start)


def check_sampler(name: str) -> str:
    """Return the name of a sampler; InputError if it does not exist or cannot run."""
    if name not in ORDER:
        raise InputError(f"sampler must be one of {', '.join(ORDER)} (got {name!r})")
    if name not in YARDSTICKS:
        samplers.make_sampler(name, 0, 0, 1, Objectives())
    elif importlib.util.find_spec(YARDSTICKS[name]) is None:
        raise InputError(f"sampler {name!r} needs {YARDSTICKS[name]}")
    return name


def installed_samplers() -> list[str]:
    """Return the samplers that can run here."""
    found = {each for each, library in YARDSTICKS.items() if importlib.util.find_spec(library)}
    return [each for each in ORDER if each in found | set(samplers.installed_samplers())]
