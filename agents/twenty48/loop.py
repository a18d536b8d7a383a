"""The one game loop of 2048: whoever decides, a game goes on in the same way.

Who decides is chosen by the class of an agent's settings: see :mod:`agents.policy_dispatch`.
"""

import numpy as np
import numpy.typing as npt

from agents.policy_dispatch import Settings, choose_by_settings, decision_of
from engine.jit import Integer, kernel
from engine.rng import SPAWN, stream
from engine.twenty48.board import afterstate, spawn
from engine.twenty48.rule import BuiltRule

Choice = tuple[Integer, npt.NDArray[np.float64], Integer]
"""What a kernel that decides returns.

action : int
    The choice; -1 if no action is legal.
values : float64, shape (4,)
    Each action's value, in points from the board on; NaN where there is none.
n_playout_moves : int
    Actions taken in playouts.
"""


def decide(settings: Settings, board: np.uint64, stream: np.uint64, rule: BuiltRule) -> Choice:
    """Decide on one board, by the kernel of the settings' class. Kernels may call it, and so may Python.

    Parameters
    ----------
    settings : NamedTuple
        Of a class that some kernel decides by.
    board : uint64
        The state.
    stream : uint64
        Random stream of this decision.
    rule : None or bool
        How tiles merge, see :mod:`engine.twenty48.rule`.

    Returns
    -------
    action, values, n_playout_moves
        See :data:`Choice`.
    """
    choice: Choice = decision_of(settings)(settings, board, stream, rule)
    return choice


choose_by_settings(decide)


@kernel
def play_on(
    settings: Settings,
    purpose: np.uint64,
    board: np.uint64,
    score: Integer,
    n_moves: int,
    n_playout_moves: Integer,
    seed: np.uint64,
    max_moves: int,
    rule: BuiltRule,
) -> tuple[np.uint64, Integer, int, Integer]:
    """Play by :func:`decide` until the end, or until ``max_moves`` moves are made in all.

    Parameters
    ----------
    settings : NamedTuple
        Who plays: of a class that some kernel decides by.
    purpose : uint64
        What the random numbers of a decision are for, see :mod:`engine.rng`.
    board, score, n_moves, n_playout_moves
        The game so far: the state, points won, actions taken, and those taken in playouts.
    seed : uint64
        Names every random number of the game.
    max_moves : int
        Where to stop.
    rule : None or bool
        How tiles merge, see :mod:`engine.twenty48.rule`.

    Returns
    -------
    board, score, n_moves, n_playout_moves
        Likewise, now. ``n_moves`` is below ``max_moves`` if and only if the game is over.
    """
    while n_moves < max_moves:
        number = np.uint64(n_moves)
        action, _, n_random = decide(settings, board, stream(seed, purpose, number), rule)
        if action < 0:
            break
        after, reward = afterstate(board, action, rule)
        score += reward
        n_playout_moves += n_random
        board = spawn(after, stream(seed, SPAWN, number))
        n_moves += 1
    return board, score, n_moves, n_playout_moves
