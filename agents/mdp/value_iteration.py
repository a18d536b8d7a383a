"""Value iteration: the optimal values of a finite MDP, by sweeps of Bellman's backup.

Notation
--------
That of :mod:`agents.mdp.kernels`, but for the residual, which is the book's here, and

===========  =======================================================================================
U            values, whatever they begin with
sweep        BU(s) in the place of U(s), for all states in the order of their numbers
residual     of a sweep: the largest |BU(s) − U(s)| on its way
V*           the optimal values
===========  =======================================================================================

A *synchronous* sweep backs all states up from the values before it. In a *Gauss-Seidel* sweep each backup sees those
before it at once, and fewer sweeps are needed as a rule.

After a synchronous sweep of residual δ and with γ < 1, |U − V*| ≤ δ·γ/(1 − γ) in every state, and by Gauss-Seidel
no more. With γ = 1 the sweeps come to V* where the process ends under a policy and costs without end elsewhere; a
small residual bounds nothing there.

The value of a terminal state is 0, whatever the values begin with: what an end is worth is the reward of the action
that leads to it.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.5 (``ValueIteration``) and §7.6
(``GaussSeidelValueIteration``). The book makes a number of sweeps; here a small residual ends them, too.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.mdp.finite_mdp import FiniteMDP
from agents.mdp.kernels import Floats, Tables, best_action, greedy
from agents.parameters import check_count
from engine.jit import Integer, kernel

# Between two calls of a kernel, well under a second apart, an interrupt is answered.
OUTCOMES_PER_CHUNK = 50_000_000


@kernel
def sweep(tables: Tables, values: Floats, after: Floats) -> float:
    """Back up all states once.

    Parameters
    ----------
    tables : Tables
        The MDP.
    values : float64, shape (n_states,)
        U.
    after : float64, shape (n_states,)
        Set to BU. It may be ``values`` itself: a sweep by Gauss-Seidel.

    Returns
    -------
    float
        The residual.
    """
    residual = 0.0
    for state in range(len(values)):
        value, _ = best_action(tables, values, state)
        residual = max(residual, abs(value - values[state]))
        after[state] = value
    return residual


@kernel
def sweep_until(
    tables: Tables,
    values: Floats,
    scratch: Floats,
    tolerance: float,
    max_sweeps: Integer,
    gauss_seidel: bool,
) -> tuple[Integer, float]:
    """Sweep until the residual is small, or enough sweeps are made. It allocates nothing.

    Parameters
    ----------
    tables : Tables
        The MDP.
    values : float64, shape (n_states,)
        U, which is replaced. Those of a process that is nearly the same are a good beginning.
    scratch : float64, shape (n_states,)
        Room for a synchronous sweep; by Gauss-Seidel left as it is.
    tolerance : float
        A residual of no more than this is small.
    max_sweeps : int
        No more sweeps than these.
    gauss_seidel : bool
        Which kind of sweep.

    Returns
    -------
    n_sweeps : int
        Sweeps made.
    residual : float
        That of the last one; infinite if none is made.
    """
    n_sweeps: Integer = 0
    residual = math.inf
    after = values if gauss_seidel else scratch
    while n_sweeps < max_sweeps and not residual <= tolerance:
        residual = sweep(tables, values, after)
        if not gauss_seidel:
            # A loop, not a slice: it compiles in a fraction of the time.
            for state in range(len(values)):
                values[state] = scratch[state]
        n_sweeps += 1
    return n_sweeps, residual


@dataclass(frozen=True, eq=False)
class Solved:
    """What value iteration came to.

    Attributes
    ----------
    values : float64, shape (n_states,)
        U after the last sweep.
    policy : int64, shape (n_states,)
        Greedy action numbers by these values, -1 in terminal states.
    n_sweeps : int
        Sweeps made.
    residual : float
        That of the last sweep.
    converged : bool
        Whether it is within the tolerance.
    """

    values: npt.NDArray[np.float64]
    policy: npt.NDArray[np.int64]
    n_sweeps: int
    residual: float
    converged: bool


@dataclass(frozen=True)
class ValueIteration:
    """Solves a finite MDP in all its states.

    Parameters
    ----------
    tolerance : float
        The residual that ends the sweeps, 0 or more and finite.
    max_sweeps : int
        How many there are at most, 1 or more.
    gauss_seidel : bool
        Whether a backup sees those of its own sweep.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> mdp = FiniteMDP.from_description({"here": {"stay": (1.0, {"here": 1.0})}}, discount=0.5)
    >>> solved = ValueIteration(tolerance=1e-3).solve(mdp)
    >>> solved.values.round(2).tolist(), solved.n_sweeps
    ([2.0], 11)
    """

    tolerance: float = 1e-9
    max_sweeps: int = 100_000
    gauss_seidel: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < math.inf:
            raise ValueError(
                f"tolerance: {self.tolerance} given, a finite number of 0 or more allowed"
            )
        check_count("max_sweeps", self.max_sweeps, 1)

    def solve(self, mdp: FiniteMDP, initial_values: npt.ArrayLike | None = None) -> Solved:
        """Sweep.

        Parameters
        ----------
        mdp : FiniteMDP
            The process.
        initial_values : array_like of float, shape (n_states,), optional
            What U begins with, in states that are not terminal; 0 if not given.

        Raises
        ------
        ValueError
            If the initial values are not one finite number for each state.
        """
        if initial_values is None:
            values = np.zeros(mdp.n_states)
        else:
            given = mdp.values_of(initial_values, "initial_values")
            values = np.where(mdp.terminal, 0.0, given)
        tables = mdp.tables
        scratch = np.empty_like(values)
        at_once = max(1, OUTCOMES_PER_CHUNK // max(1, mdp.n_outcomes))
        n_sweeps, residual = 0, math.inf
        while n_sweeps < self.max_sweeps and not residual <= self.tolerance:
            n_more, residual = sweep_until(
                tables,
                values,
                scratch,
                float(self.tolerance),
                min(at_once, self.max_sweeps - n_sweeps),
                bool(self.gauss_seidel),
            )
            n_sweeps += int(n_more)
        _, policy = greedy(tables, values)
        return Solved(values, policy, n_sweeps, float(residual), bool(residual <= self.tolerance))
