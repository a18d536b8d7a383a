"""Studies: design, search, validation, report.

Importing this package imports nothing heavy: the command line starts fast, and workers stay small.
What scripts and notebooks use is imported when it is asked for. Its rooms are layers; each imports
only those below it (pyproject.toml).
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.agent import Game, GameError
    from agents.outside.program import Program
    from study.api import Pick, Study, load_experiment, open_study, sweep
    from study.errors import InputError, RunError
    from study.experiments.definition import Experiment
    from study.experiments.objectives import cpu_seconds, exact, match, mean, rate, reported
    from study.experiments.space import CategoricalParameter, NumericParameter, Space

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
    "cpu_seconds",
    "exact",
    "load_experiment",
    "match",
    "mean",
    "open_study",
    "rate",
    "reported",
    "sweep",
]
HOMES = {
    "agents.agent": ("Game", "GameError"),
    "agents.outside.program": ("Program",),
    "study.api": ("Pick", "Study", "load_experiment", "open_study", "sweep"),
    "study.errors": ("InputError", "RunError"),
    "study.experiments.definition": ("Experiment",),
    "study.experiments.objectives": ("cpu_seconds", "exact", "match", "mean", "rate", "reported"),
    "study.experiments.space": ("CategoricalParameter", "NumericParameter", "Space"),
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
    """Name what is public, for completion."""
    return sorted({*globals(), *__all__})
