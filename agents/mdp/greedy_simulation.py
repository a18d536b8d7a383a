"""A simulation that is played greedily by an upper bound, which it lowers: what heuristic searches share.

Notation
--------
That of :mod:`agents.mdp.kernels`, and

===========  =======================================================================================
U            values, an upper bound of the optimal ones to begin with
d            depth: actions of a simulation, at most
*solved*     where a simulation ends: a terminal state, or one that a search need not look at any more
===========  =======================================================================================

Each state on the way is backed up before its action is chosen, greedily by U as it is then, and its outcome is drawn.

Source: Kochenderfer, Wheeler, Wray, *Algorithms for Decision Making* (2022), §9.7 and §9.8 (``simulate!``). In
§9.7 no state is solved, and greedy play goes on in a terminal state; here it ends there.
"""

import numpy as np
import numpy.typing as npt

from agents.mdp.kernels import Tables, draw_outcome, lower
from engine.jit import Integer, inlined

# Between two calls of a kernel, well under a second apart unless envelopes are huge, an interrupt is answered.
BACKUPS_PER_CHUNK = 200_000

MOST_SIMULATIONS = 1_000_000_000
LARGEST_DEPTH = 1_000_000


@inlined
def simulate(
    tables: Tables,
    values: npt.NDArray[np.float64],
    start: Integer,
    solved: npt.NDArray[np.bool_],
    path: npt.NDArray[np.int64],
    stream: np.uint64,
) -> Integer:
    """Play from a state until one is solved, or d actions are taken.

    Parameters
    ----------
    tables : Tables
        The MDP.
    values : float64, shape (n_states,)
        U, which is lowered.
    start : int
        Where to begin.
    solved : bool, shape (n_states,)
        Where to end; all terminal states are.
    path : int64, shape (d,)
        Begins afterwards with the states in which an action was taken.
    stream : uint64
        The outcomes are drawn from it.

    Returns
    -------
    int
        Actions taken, which are the backups made.
    """
    state = start
    n = 0
    while n < len(path) and not solved[state]:
        path[n] = state
        n += 1
        action = lower(tables, values, state)
        state, stream = draw_outcome(tables, action, stream)
    return n
