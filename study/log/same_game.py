"""Compares a replayed game with the stored game: integers and texts must be identical."""

from collections.abc import Collection
from math import isclose
from typing import Any

from thetafront.agents.agent import FailedGame, Game, Outcome
from thetafront.agents.external.report import ReportedGame, is_time
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.seeds import shortened

MEASURED = "seconds"
"""The field that differs whenever a game is played again."""
REPORTED = "reported"
ROUNDING = 1e-12
"""Allowed relative difference of floats: in linear algebra, the last bits depend on the machine."""


def difference(stored: Outcome, played: Outcome, unknown: Collection[str] = frozenset()) -> str:
    """Return how a stored game differs from the replayed one; empty if it does not.

    A game that failed must fail again, but the reason may be worded differently. Times are not
    compared, since they differ whenever a game is played. A reported field is a time if its name
    says so (:func:`agents.external.report.is_time`). ``unknown`` has other fields to leave out,
    such as :func:`timed_fields`.
    """
    if isinstance(stored, FailedGame) or isinstance(played, FailedGame):
        was, now = how_it_ended(stored), how_it_ended(played)
        return "" if type(stored) is type(played) else f"{was}, but {now} when played again"
    mine, fresh = game_figures(stored), game_figures(played)
    for name in {**fresh, **mine}:
        is_left_out = name in unknown or is_time(name)
        if not is_left_out and not is_same(mine.get(name), fresh.get(name)):
            return (
                f"{name} {shortened(mine.get(name))}, "
                f"but {shortened(fresh.get(name))} when played again"
            )
    return ""


def timed_fields(experiment: Experiment) -> frozenset[str]:
    """Return the reported fields that are times by the units of an experiment's costs."""
    return frozenset(f"{REPORTED}_{each.counted}" for each in experiment.costs if each.is_timed)


def how_it_ended(game: Outcome) -> str:
    """Say that a game has ended, or how it failed."""
    return f"failed ({game.error})" if isinstance(game, FailedGame) else "ended"


def game_figures(game: Game) -> dict[str, Any]:
    """Return the values of a game's fields by name, without reported fields that are empty."""
    row = game.to_row()
    fields = row.pop(REPORTED) if isinstance(game, ReportedGame) else {}
    known = {name: value for name, value in fields.items() if value not in {None, ""}}
    return row | {f"reported_{name}": value for name, value in known.items()}


def is_same(stored: Any, played: Any) -> bool:
    """Return whether two values are the same, apart from rounding."""
    if isinstance(stored, float) and isinstance(played, float):
        return isclose(stored, played, rel_tol=ROUNDING)
    if isinstance(stored, str) != isinstance(played, str):  # one is a cell of a CSV table
        return str(stored) == str(played)
    return type(stored) is type(played) and bool(stored == played)
