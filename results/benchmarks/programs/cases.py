"""The programs of the contest, and the methods that tune them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
OURS = "thetafront"
PICK = "pick"  # what thetafront's pick answers after the same run, which may be a θ never played
RIVALS = ("tpe", "nsga2", "gp")
METHODS = (OURS, PICK, *RIVALS)
LABELS = {
    OURS: "thetafront",
    PICK: "its pick",
    "tpe": "Optuna TPE",
    "nsga2": "Optuna NSGA-II",
    "gp": "Optuna GP",
}

Theta = dict[str, float | int | str]


@dataclass(frozen=True)
class Case:
    """A program of the contest.

    Attributes
    ----------
    definition : str
        The file, in this folder.
    budgets : tuple of float
        Budgets of the cost for which each method recommends a θ, in the cost's own unit.
    unit : str
        How budgets are written.
    per_unit : float
        How much of the cost's own unit that is.
    digits : int
        Decimals of scores in tables.
    replicates : int
        Games of a trial, for all methods.
    n_games : int
        Fresh games of a recommended θ.
    repair : callable
        Makes a θ that breaks a constraint one that does not, for Optuna.
    """

    definition: str
    budgets: tuple[float, ...]
    unit: str
    per_unit: float
    digits: int = 3
    replicates: int = 4
    n_games: int = 200
    repair: Callable[[Theta], Theta] = field(default=lambda theta: theta)


def with_allowed_lp(theta: Theta) -> Theta:
    """Return the same with an lp that lc leaves room for."""
    return {**theta, "lp": min(int(theta["lp"]), 4 - int(theta["lc"]))}


CASES = {
    "chess": Case(
        "chess/chess.toml",
        (0.0003, 0.0004, 0.0006, 0.0009, 0.0013, 0.0019, 0.003),
        "ms",
        1e-3,
        replicates=10,
    ),
    "xz": Case(
        "xz/xz.toml",
        (0.05, 0.06, 0.08, 0.11, 0.15, 0.2, 0.3),
        "ms",
        1e-3,
        digits=0,
        replicates=1,
        n_games=10,
        repair=with_allowed_lp,
    ),
    "tree": Case("tree/tree.py", (3e3, 5e3, 8e3, 13e3, 20e3, 30e3, 50e3), "kB", 1e3),
    "mlp": Case("mlp/mlp.py", (0.006, 0.009, 0.014, 0.022, 0.035, 0.06, 0.1), "ms", 1e-3),
    "flaky": Case(
        "flaky/flaky.toml", (0.0004, 0.0008, 0.0015, 0.003, 0.006, 0.012, 0.022), "ms", 1e-3
    ),
}
