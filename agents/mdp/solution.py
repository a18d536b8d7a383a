"""What a search of a finite MDP found."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.agent import check_seed
from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.greedy_envelope import envelope_residual
from agents.mdp.kernels import greedy


@dataclass(frozen=True, eq=False)
class Solution:
    """Values, and what to do by them.

    Attributes
    ----------
    start : int
        The state that was searched from.
    values : float64, shape (n_states,)
        U: an upper bound of the optimal values, if the search began with one. States that the search never came
        to have the bound that they began with.
    policy : int64, shape (n_states,)
        Greedy action numbers by these values, -1 in terminal states. Good where the values are: in the envelope.
    n_backups : int
        Bellman backups made by the search, those that only look at a residual too.
    n_envelope : int
        States that greedy play from the start may reach, the start too, terminal ones not.
    residual : float
        The largest residual among these, see :mod:`agents.mdp.greedy_envelope` for what it promises.
    """

    start: int
    values: npt.NDArray[np.float64]
    policy: npt.NDArray[np.int64]
    n_backups: int
    n_envelope: int
    residual: float

    @property
    def value(self) -> float:
        """U of the start."""
        return float(self.values[self.start])

    @property
    def action(self) -> int:
        """The number of the greedy action of the start."""
        return int(self.policy[self.start])


def check_search(mdp: FiniteMDP, start: int, seed: int) -> None:
    """Refuse, by ValueError, a start that is no state or has no action, or a seed that is none."""
    mdp.check_state(start, "start")
    if not mdp.actions(start):
        raise ValueError(f"start: {start} given, which is terminal; there is nothing to decide")
    check_seed(seed)


def solution_of(
    mdp: FiniteMDP, start: int, values: npt.NDArray[np.float64], n_backups: int
) -> Solution:
    """Read greedy play off values: one backup of each state, and one more of each in the envelope."""
    tables = mdp.tables
    n_envelope, residual = envelope_residual(tables, values, start, mdp.terminal)
    _, policy = greedy(tables, values)
    return Solution(start, values, policy, n_backups, n_envelope, residual)
