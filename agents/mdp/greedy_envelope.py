"""The greedy envelope: the states that greedy play may reach, and whether their values fit together.

Notation
--------
That of :mod:`agents.mdp.kernels`, and

==============  ====================================================================================
U               an upper bound of the optimal values V*
δ               the residual that is put up with
envelope of s   s and all states that greedy play from it may reach; those already solved are left out
==============  ====================================================================================

If no state of an envelope has a residual above δ, greedy play from s earns at least U(s) − δ·N, where N is the
expected number of its actions, an action after k others counted γᵏ: at most 1/(1 − γ). As U(s) ≥ V*(s), neither
U(s) nor greedy play is further than that from the optimum. Without discount, N is finite if greedy play ends.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.8 (``expand``); Bonet, Geffner,
*Labeled RTDP: Improving the Convergence of Real-Time Dynamic Programming*, ICAPS 2003, Algorithm 3
(``CheckSolved``). The residual is that of :mod:`agents.mdp.kernels`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.mdp.kernels import Tables, backup
from engine.jit import Integer, kernel


class Workspace(NamedTuple):
    """What :func:`expand` works on, made once for many envelopes.

    Attributes
    ----------
    envelope : int64, shape (n_states,)
        The states of the envelope, in the order in which they were looked at.
    waiting : int64, shape (n_states,)
        States still to be looked at, the next one last.
    met : int64, shape (n_states,)
        Number of the envelope in which a state was met last; envelopes are counted from 1 on.
    """

    envelope: npt.NDArray[np.int64]
    waiting: npt.NDArray[np.int64]
    met: npt.NDArray[np.int64]


def new_workspace(n_states: int) -> Workspace:
    """Make a workspace in which no state has been met."""
    return Workspace(
        np.empty(n_states, np.int64), np.empty(n_states, np.int64), np.zeros(n_states, np.int64)
    )


@kernel
def expand(
    tables: Tables,
    values: npt.NDArray[np.float64],
    state: Integer,
    delta: float,
    solved: npt.NDArray[np.bool_],
    work: Workspace,
    number: Integer,
) -> tuple[Integer, float]:
    """Go through the envelope of a state, depth first, not beyond states whose residual is above δ.

    Parameters
    ----------
    tables : Tables
        The MDP.
    values : float64, shape (n_states,)
        U; left as it is.
    state : int
        Where the envelope begins, a state that is not solved.
    delta : float
        δ.
    solved : bool, shape (n_states,)
        States to leave out; all terminal ones are.
    work : Workspace
        ``work.envelope`` begins with the states that were looked at.
    number : int
        A number that no envelope before had in this workspace, 1 or more.

    Returns
    -------
    n : int
        How many states were looked at, each by one backup.
    residual : float
        The largest of their residuals. If it is δ or less, they are the whole envelope.
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
    tables: Tables,
    values: npt.NDArray[np.float64],
    state: int,
    terminal: npt.NDArray[np.bool_],
) -> tuple[int, float]:
    """Return the number of states of a whole envelope, and their largest residual."""
    work = new_workspace(len(values))
    n, residual = expand(tables, values, state, np.inf, terminal, work, 1)
    return int(n), float(residual)
