"""Value iteration: the optimal values of a finite MDP, by sweeps of Bellman backups.

A *sweep* replaces U(s) by BU(s) (:mod:`agents.mdp.kernels`) for all states, in the order of their
numbers. The *residual* of a sweep is its largest |BU(s) − U(s)|, as in the book below. A
*synchronous* sweep backs up all states from the values before the sweep. In a *Gauss-Seidel* sweep,
each backup uses the results of earlier backups in the same sweep, which usually saves sweeps.

If γ < 1 and the last sweep has the residual δ, U is within δ·γ/(1 − γ) of the optimal values in
every state, for both kinds of sweep. If γ = 1, U converges to the optimal values under two
conditions: some policy reaches a terminal state from every state, and every policy that does not
do so has unbounded cost. Even then, a small residual does not prove that U is near the optimal
values.

A terminal state has value 0, even if another initial value is given. The reward for ending belongs
to the last action.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §7.5
(``ValueIteration``) and §7.6 (``GaussSeidelValueIteration``). The book fixes the number of sweeps;
here a small residual also ends the sweeps.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Indices, Tables, best_action, greedy
from thetafront.agents.parameters import check_parameters, flag, integer, real
from thetafront.engine.jit import Integer, kernel

# Sweeps over so many outcomes take well under a second, so Ctrl-C is answered in time.
OUTCOMES_PER_CHUNK = 50_000_000


@kernel
def sweep(tables: Tables, values: Floats, after: Floats) -> float:
    """Back up each state once, write the results to ``after``, and return the residual.

    If ``after`` is ``values`` itself, this is a Gauss-Seidel sweep.
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
    """Sweep in place until the residual is at most ``tolerance``, without allocating anything.

    ``values`` has the initial values; those of a similar MDP are a good choice. Synchronous sweeps
    use ``scratch``, shape (n_states,). Return the number of sweeps, at most ``max_sweeps``, and the
    residual of the last sweep. The residual is infinite if there was no sweep.
    """
    n_sweeps: Integer = 0
    residual = math.inf
    after = values if gauss_seidel else scratch
    while n_sweeps < max_sweeps and not residual <= tolerance:
        residual = sweep(tables, values, after)
        if not gauss_seidel:
            # A loop compiles in a fraction of the time that a slice takes.
            for state in range(len(values)):
                values[state] = scratch[state]
        n_sweeps += 1
    return n_sweeps, residual


@dataclass(frozen=True, eq=False)
class ValueIterationSolution:
    """U and the greedy policy, shape (n_states,) each; the policy has -1 in terminal states.

    ``residual`` is that of the last sweep; ``converged`` says whether it is within the tolerance.
    """

    values: Floats
    policy: Indices
    n_sweeps: int
    residual: float
    converged: bool


@dataclass(frozen=True)
class ValueIteration:
    """Solves a finite MDP for all its states.

    Sweeps are Gauss-Seidel sweeps if ``gauss_seidel`` is true, else synchronous. They end when the
    residual is at most ``tolerance`` ≥ 0, or after ``max_sweeps`` ≥ 1 sweeps. ValueError if a
    number is out of range.

    Examples
    --------
    >>> mdp = FiniteMDP([0, 1], [1.0], [0, 1], [0], [1.0], discount=0.5)  # 1 point a step, forever
    >>> solution = ValueIteration(tolerance=1e-3).solve(mdp)
    >>> solution.values.round(2).tolist(), solution.n_sweeps
    ([2.0], 11)
    """

    tolerance: float = real(1e-9, 0)
    max_sweeps: int = integer(100_000, 1)
    gauss_seidel: bool = flag(True)

    def __post_init__(self) -> None:
        check_parameters(self)

    def solve(
        self, mdp: FiniteMDP, initial_values: npt.ArrayLike | None = None
    ) -> ValueIterationSolution:
        """Sweep until the residual is small enough or the maximum number of sweeps is reached.

        ``initial_values`` are 0 by default. ValueError unless there is one finite number per state.
        """
        if initial_values is None:
            values = np.zeros(mdp.n_states)
        else:
            given = mdp.checked_values(initial_values, "initial_values")
            values = np.where(mdp.terminal, 0.0, given)
        tables = mdp.tables
        scratch = np.empty_like(values)
        sweeps_per_chunk = max(1, OUTCOMES_PER_CHUNK // max(1, mdp.n_outcomes))
        n_sweeps, residual = 0, math.inf
        while n_sweeps < self.max_sweeps and not residual <= self.tolerance:
            n_more, residual = sweep_until(
                tables,
                values,
                scratch,
                self.tolerance,
                min(sweeps_per_chunk, self.max_sweeps - n_sweeps),
                self.gauss_seidel,
            )
            n_sweeps += int(n_more)
        _, policy = greedy(tables, values)
        converged = bool(residual <= self.tolerance)
        return ValueIterationSolution(values, policy, n_sweeps, float(residual), converged)
