"""The greedy envelope: the states that greedy play can reach, and the residuals of their values.

The envelope of s is s and all states that greedy play can reach from it, without solved states. U
is an upper bound of the optimal values V*, and δ the largest residual that is accepted.

If no residual in the envelope exceeds δ, greedy play from s earns at least U(s) − δ·N. N is its
expected number of actions, the action after k others counted γᵏ, so N ≤ 1/(1 − γ). Since
U(s) ≥ V*(s), both U(s) and greedy play are within δ·N of the optimum. Without discount, N is finite
only if greedy play ends.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.8 (``expand``);
Bonet, Geffner, *Labeled RTDP: Improving the Convergence of Real-Time Dynamic Programming*, ICAPS
2003, Algorithm 3 (``CheckSolved``). The residual is the one of :mod:`agents.mdp.kernels`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.kernels import Floats, Indices, Tables, backup
from thetafront.engine.jit import Integer, kernel

Flags = npt.NDArray[np.bool_]


class Workspace(NamedTuple):
    """Arrays for :func:`expand`, shape (n_states,), allocated once for many envelopes."""

    envelope: Indices  # its states, in the order of their backups
    waiting: Indices  # a stack of states still to be expanded
    met: Indices  # number, from 1, of the last envelope that met each state


def new_workspace(n_states: int) -> Workspace:
    """Return a workspace in which no state has been met."""
    return Workspace(
        np.empty(n_states, np.int64), np.empty(n_states, np.int64), np.zeros(n_states, np.int64)
    )


@kernel
def expand(
    tables: Tables,
    values: Floats,
    state: Integer,
    delta: float,
    solved: Flags,
    work: Workspace,
    number: Integer,
) -> tuple[Integer, float]:
    """Walk through the envelope of a state depth first; do not go past residuals above δ.

    ``solved`` includes all terminal states. ``number``, 1 or more, is new to this workspace. Return
    how many states ``work.envelope`` received, each backed up once, and their largest residual. If
    that is δ or less, the envelope is complete.
    """
    envelope, waiting, met = work.envelope, work.waiting, work.met
    waiting[0] = state
    met[state] = number
    n_waiting = 1
    n = 0
    largest = 0.0
    while n_waiting:
        n_waiting -= 1
        state = waiting[n_waiting]
        envelope[n] = state
        n += 1
        value, action = backup(tables, values, state)
        residual = values[state] - value
        largest = max(largest, residual)
        if residual > delta:
            continue
        for i in range(tables.first_outcome[action], tables.first_outcome[action + 1]):
            child = tables.outcome[i]
            if not solved[child] and met[child] != number:
                met[child] = number
                waiting[n_waiting] = child
                n_waiting += 1
    return n, largest


def envelope_residual(
    tables: Tables, values: Floats, state: int, terminal: Flags
) -> tuple[int, float]:
    """Return the size of the complete envelope, and its largest residual."""
    work = new_workspace(len(values))
    n, residual = expand(tables, values, state, np.inf, terminal, work, 1)
    return int(n), float(residual)
