"""What RTDP and labelled RTDP share: a greedy simulation, and the solution that they return.

A simulation of depth d backs up each state that it visits, takes the greedy action, and draws its
outcome, until d actions are taken or a state is *solved*: terminal, or with a final value. U is an
upper bound of the optimal values, lowered as the search goes on.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7 and §9.8
(``simulate!``). In §9.7 no state is solved and a simulation passes through terminal states; here it
ends in them.
"""

from dataclasses import dataclass

import numpy as np

from agents.agent import check_seed
from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.greedy_envelope import Flags, envelope_residual
from agents.mdp.kernels import Floats, Indices, Tables, draw_outcome, greedy, lower
from engine.jit import Integer, inlined

# A kernel call of this many backups takes well under a second, so Ctrl-C is answered in time. One
# huge envelope may take longer.
BACKUPS_PER_CHUNK = 200_000

MAX_SIMULATIONS = 1_000_000_000
MAX_DEPTH = 1_000_000


@dataclass(frozen=True, eq=False)
class SearchSolution:
    """Values around a start state, and the greedy policy.

    Attributes
    ----------
    values : float64, shape (n_states,)
        U, an upper bound of the optimal values if the search began with one. A state that the
        search never visited keeps its initial bound.
    policy : int64, shape (n_states,)
        Greedy action numbers, -1 in terminal states. Trust it inside the envelope only.
    n_backups : int
        Bellman backups of the search, including those that only compute a residual.
    n_envelope : int
        Size of the greedy envelope of the start: the non-terminal states that greedy play reaches.
    residual : float
        The largest residual in that envelope; :mod:`agents.mdp.greedy_envelope` says what it
        proves.
    """

    start: int
    values: Floats
    policy: Indices
    n_backups: int
    n_envelope: int
    residual: float

    @property
    def value(self) -> float:
        """U of the start."""
        return float(self.values[self.start])

    @property
    def action(self) -> int:
        """The number of the greedy action in the start."""
        return int(self.policy[self.start])


def check_search(mdp: FiniteMDP, start: int, seed: int) -> None:
    """Raise ValueError for a start that is no state or is terminal, or for a bad seed."""
    mdp.check_state(start, "start")
    if not mdp.actions(start):
        raise ValueError(f"start: {start} given, a terminal state; a state with an action expected")
    check_seed(seed)


def solution_of(mdp: FiniteMDP, start: int, values: Floats, n_backups: int) -> SearchSolution:
    """Derive the greedy policy and the envelope's residual from values."""
    tables = mdp.tables
    n_envelope, residual = envelope_residual(tables, values, start, mdp.terminal)
    _, policy = greedy(tables, values)
    return SearchSolution(start, values, policy, n_backups, n_envelope, residual)


@inlined
def simulate(
    tables: Tables, values: Floats, start: Integer, solved: Flags, path: Indices, stream: np.uint64
) -> Integer:
    """Play greedily until a state is solved or d actions are taken; lower ``values``.

    ``path``, shape (d,), receives the states in which an action was taken. Return their number,
    which is also that of backups.
    """
    state = start
    n = 0
    while n < len(path) and not solved[state]:
        path[n] = state
        n += 1
        action = lower(tables, values, state)
        state, stream = draw_outcome(tables, action, stream)
    return n
