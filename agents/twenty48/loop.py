"""The game loop of 2048, one for all agents.

The class of an agent's settings selects the kernel that decides: see :mod:`agents.policy_dispatch`.
"""

import numpy as np
import numpy.typing as npt

from thetafront.agents.policy_dispatch import Settings, dispatch_on_settings, find_kernel
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.rng import SPAWN, stream
from thetafront.engine.twenty48.board import afterstate, spawn
from thetafront.engine.twenty48.rule import BuiltRule

DecisionTuple2048 = tuple[Integer, npt.NDArray[np.float64], Integer]
"""What a deciding kernel returns: the action (-1 if none is legal), the values of the actions, and
the number of actions inside playouts. Values have the shape (4,). They are the expected points from
the board on, or NaN for an action without a value."""


def decide(
    settings: Settings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Decide on one board, by the kernel for the class of ``settings``.

    Both kernels and Python code may call this function. ``stream`` is the random stream of this
    decision, and ``rule`` says how tiles merge (:mod:`engine.twenty48.rule`).
    """
    decision: DecisionTuple2048 = find_kernel(settings)(settings, board, stream, rule)
    return decision


dispatch_on_settings(decide)


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
    """Play by :func:`decide` until the game is over or has ``max_moves`` moves in total.

    ``board``, ``score``, ``n_moves`` and ``n_playout_moves`` describe the game so far. Their new
    values are returned, and the new ``n_moves`` is below ``max_moves`` if and only if the game is
    over. ``seed`` determines every random number. ``purpose`` selects the streams of decisions, see
    :mod:`engine.rng`.
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
