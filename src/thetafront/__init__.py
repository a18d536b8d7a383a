"""Tune programs for score against cost, and get the Pareto front.

>>> import thetafront
>>> study = thetafront.sweep("mcmdp", budget="2m")
>>> print(study.front)

The names in ``__all__`` are public, and so are the modules of ``thetafront.agents`` and
``thetafront.engine``, and ``thetafront.study.estimate``, which computes the intervals of all
tables. All other modules may change with any version. Names are imported on first use, so importing
this package is fast: the command line starts quickly, and workers stay small.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thetafront.agents.agent import Game, GameError
    from thetafront.agents.external.program import Program
    from thetafront.study.api import Pick, Study, agent, load_experiment, open_study, play, sweep
    from thetafront.study.errors import InputError, RunError
    from thetafront.study.experiments.definition import Experiment
    from thetafront.study.experiments.dimension import CategoricalParameter, NumericParameter
    from thetafront.study.experiments.objectives.costs import cpu_seconds, reported
    from thetafront.study.experiments.objectives.goals import exact, match, mean, rate
    from thetafront.study.experiments.space import Space
    from thetafront.study.log.manifest import provenance

__all__ = [
    "CategoricalParameter",
    "Experiment",
    "Game",
    "GameError",
    "InputError",
    "NumericParameter",
    "Pick",
    "Program",
    "RunError",
    "Space",
    "Study",
    "agent",
    "cpu_seconds",
    "exact",
    "load_experiment",
    "match",
    "mean",
    "open_study",
    "play",
    "provenance",
    "rate",
    "reported",
    "sweep",
]
HOMES = {
    "thetafront.agents.agent": ("Game", "GameError"),
    "thetafront.agents.external.program": ("Program",),
    "thetafront.study.api": (
        "Pick",
        "Study",
        "agent",
        "load_experiment",
        "open_study",
        "play",
        "sweep",
    ),
    "thetafront.study.errors": ("InputError", "RunError"),
    "thetafront.study.experiments.definition": ("Experiment",),
    "thetafront.study.experiments.objectives.costs": ("cpu_seconds", "reported"),
    "thetafront.study.experiments.objectives.goals": ("exact", "match", "mean", "rate"),
    "thetafront.study.experiments.dimension": ("CategoricalParameter", "NumericParameter"),
    "thetafront.study.experiments.space": ("Space",),
    "thetafront.study.log.manifest": ("provenance",),
}


def __getattr__(name: str) -> Any:
    """Import a public name."""
    for home, names in HOMES.items():
        if name in names:
            with warnings.catch_warnings():
                # In a notebook without widgets; optuna's dependency, of whose bars we use none.
                warnings.filterwarnings("ignore", "IProgress not found")
                return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, for completion."""
    return sorted({*globals(), *__all__})
