"""What RTDP and labelled RTDP share: a greedy simulation, and the solution that they return.

A simulation of depth d backs up each state that it visits, takes the greedy action, and draws its
outcome, until d actions are taken or a state is *solved*: terminal, or with a final value. U is an
upper bound of the optimal values, lowered as the search goes on.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7 and §9.8
(``simulate!``). In §9.7 no state is solved and a simulation passes through terminal states; here it
ends in them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from results.papers.heuristic_search.bounds import initial_values
from results.papers.heuristic_search.greedy_envelope import Flags, envelope_residual
from thetafront.agents.agent import check_seed
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Indices, Tables, draw_outcome, greedy, lower
from thetafront.engine.jit import Integer, inlined

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
    n_touched : int
        States that were backed up at least once.
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
    n_touched: int
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


class RunningSearch(ABC):
    """A search that can be looked at between its simulations: :meth:`advance` until it is done.

    Attributes
    ----------
    values : float64, shape (n_states,)
        U, lowered in place.
    n_backups, n_done : int
        Backups and simulations so far.
    """

    def __init__(
        self,
        mdp: FiniteMDP,
        start: int,
        upper_bound: npt.ArrayLike | None,
        depth: int,
        seed: int,
    ) -> None:
        check_search(mdp, start, seed)
        self.mdp = mdp
        self.tables = mdp.tables
        self.start = start
        self.seed = np.uint64(seed)
        self.values = initial_values(mdp, upper_bound)
        self.touched = np.zeros(mdp.n_states, np.bool_)
        self.path = np.empty(depth, np.int64)
        self.n_backups: Integer = 0
        self.n_done: Integer = 0

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """Whether the search has ended."""

    @abstractmethod
    def advance(self, n_backups: int) -> None:
        """Go on until at least so many more backups are made, or the search is done."""

    def finish(self) -> None:
        """Go on to the end."""
        while not self.is_done:
            self.advance(BACKUPS_PER_CHUNK)

    @property
    def n_touched(self) -> int:
        """States that were backed up at least once."""
        return int(self.touched.sum())

    def solution(self) -> SearchSolution:
        """Derive the greedy policy and the envelope's residual from the values so far."""
        tables, values = self.tables, self.values
        n_envelope, residual = envelope_residual(tables, values, self.start, self.mdp.terminal)
        _, policy = greedy(tables, values)
        return SearchSolution(
            self.start, values, policy, int(self.n_backups), self.n_touched, n_envelope, residual
        )


@inlined
def simulate(
    tables: Tables,
    values: Floats,
    start: Integer,
    solved: Flags,
    path: Indices,
    touched: Flags,
    stream: np.uint64,
) -> Integer:
    """Play greedily until a state is solved or d actions are taken; lower ``values``.

    ``path``, shape (d,), receives the states in which an action was taken; ``touched`` marks them.
    Return their number, which is also that of backups.
    """
    state = start
    n = 0
    while n < len(path) and not solved[state]:
        path[n] = state
        touched[state] = True
        n += 1
        action = lower(tables, values, state)
        state, stream = draw_outcome(tables, action, stream)
    return n
