"""Objectives: goals, which are maximized or minimized, and costs, which are minimized.

A goal is made of an estimator (statistics) and a format (text). This package imports the modules
directly in `study`, and base classes of `agents`.
"""

from thetafront.study.experiments.objectives.costs import (
    BACKUPS,
    PLAYOUT_MOVES,
    SECONDS,
    SOLVING_SECONDS,
    SWEEPS,
    Cost,
    cpu_seconds,
    reported,
)
from thetafront.study.experiments.objectives.formats import format_seconds
from thetafront.study.experiments.objectives.goals import (
    EXACT_SCORE,
    SCORE,
    WIN_RATE,
    Goal,
    exact,
    match,
    mean,
    rate,
)

__all__ = [
    "BACKUPS",
    "EXACT_SCORE",
    "PLAYOUT_MOVES",
    "SCORE",
    "SECONDS",
    "SOLVING_SECONDS",
    "SWEEPS",
    "WIN_RATE",
    "Cost",
    "Goal",
    "cpu_seconds",
    "exact",
    "format_seconds",
    "match",
    "mean",
    "rate",
    "reported",
]
