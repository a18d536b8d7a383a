"""U(s), the value of a state where a search ends: rollouts, cell weights or the board's score.

Notation
--------
===========  =====================================================================================
s            a state: the player is to move
U(s)         its value as a *leaf*: the estimate of all that follows
d            maximum number of actions in a rollout from s
w(i)         weight of cell i in reading order; U(s) = Σ w(i) · face value of the tile in cell i
f(s)         worth of the board, used as its score: see :mod:`engine.twenty48.board`
===========  =====================================================================================

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6. The source
searches 2048 with five leaf values: two rollouts, weights A and B, and the board's score. Our
readings:

- The value of a rollout is the sum of its rewards, undiscounted, over the depth that remains or
  over d actions, as :class:`~agents.twenty48.uct.RolloutDepth` says. It is 0 for a depth of 0.
- One-step lookahead takes the action with the largest R(s, a) + E U(s′). The source does not give
  this U. We set U = 0, so the largest reward decides, with ties broken at random.
- The text has one row of weights A, 15 14 13 12, in a corner. We continue it as a snake: 8 9 10 11
  below it, and so on down to 0. Weights B are not in the text. **Ours are not the book's**: they
  are row + column, so they increase towards one corner.
- The score of a board is f(s), which needs no history: it is the score of the game with every
  spawned 4 counted as if it had been merged. Like every U, f(s) is added to the rewards on the path
  to s, although it contains these rewards: among the leaves of one search, U is Σ rewards + 4 ·
  (number of 4s) + a constant. So rewards count twice, as if c were half as large.
- **A state without a legal action has value 0**, whatever its weights and score. So losing the game
  costs the value of a state with a legal action.
"""

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.rng import next_word
from thetafront.engine.twenty48.board import (
    empty_cells,
    is_four,
    is_terminal,
    slide_left,
    turn,
    worth,
)
from thetafront.engine.twenty48.swar import random_empty_cell


class LeafValue(StrEnum):
    """How a leaf is valued; see the module's docstring."""

    RANDOM = "random"
    LOOKAHEAD = "lookahead"
    WEIGHTS_A = "weights_a"
    WEIGHTS_B = "weights_b"
    SCORE = "score"

    @property
    def code(self) -> int:
        """The number of this kind of value in kernels; both sets of weights are one kind."""
        return {
            LeafValue.RANDOM: ROLLOUT_RANDOM,
            LeafValue.LOOKAHEAD: ROLLOUT_LOOKAHEAD,
            LeafValue.SCORE: SCORE,
        }.get(self, WEIGHTED)


ROLLOUT_RANDOM, ROLLOUT_LOOKAHEAD, WEIGHTED, SCORE = range(4)
ROLLOUTS = (ROLLOUT_RANDOM, ROLLOUT_LOOKAHEAD)

WEIGHTS: dict[LeafValue, tuple[float, ...]] = {
    LeafValue.WEIGHTS_A: (15, 14, 13, 12, 8, 9, 10, 11, 7, 6, 5, 4, 0, 1, 2, 3),
    LeafValue.WEIGHTS_B: tuple(row + column for row in range(4) for column in range(4)),
}
"""Named weights of the cells, in reading order."""


@inlined
def better_axis(board: np.uint64, coin: np.uint64) -> np.uint64:
    """Return the axis with the larger reward: 0 for left and right, 1 for up and down.

    Both actions of an axis have the same reward, because they merge the same number of tiles in
    each run of equal tiles. If both axes have the same reward, ``coin`` (0 or 1) decides.
    """
    along_rows = worth(slide_left(board, None))
    along_columns = worth(slide_left(turn(board, np.uint64(1), np.uint64(0)), None))
    if along_rows == along_columns:
        return coin
    return np.uint64(along_columns > along_rows)


@kernel
def rollout(
    board: np.uint64, n_steps: Integer, greedy: bool, stream: np.uint64
) -> tuple[np.int64, Integer]:
    """Play on for ``n_steps`` actions, or to the end; return sum of rewards and number of actions.

    If ``greedy``, actions are drawn only from those with the largest reward. Bits 63 and 0 of a
    random word turn the board, which then slides left. It is not turned back, since both policies
    have the symmetries of the board. Bits 0 to 31 choose the cell of the spawn, bits 32 to 62 its
    tile. After an illegal action the next word is drawn.
    """
    fours = np.uint64(0)
    n_moves: Integer = 0
    start = worth(board)
    while n_moves < n_steps:
        word, stream = next_word(stream)
        axis = word >> np.uint64(63)
        if greedy:
            axis = better_axis(board, axis)
        turned = turn(board, axis, word & np.uint64(1))
        after = slide_left(turned, None)
        if after == turned:
            if is_terminal(board):
                break
            continue
        four = is_four(word)
        board = after | (random_empty_cell(empty_cells(after), word) << four)
        fours += four
        n_moves += 1
    return worth(board) - start - np.int64(np.uint64(4) * fours), n_moves


@kernel
def weighted_tiles(board: np.uint64, weights: npt.NDArray[np.float64]) -> float:
    """Return Σ weight · face value over the cells in reading order."""
    total = 0.0
    for cell in range(16):
        exponent = (board >> (np.uint64(4) * np.uint64(cell))) & np.uint64(15)
        face = (np.uint64(1) << exponent) & ~np.uint64(1)  # 0 for an empty cell
        total += weights[cell] * np.float64(np.int64(face))
    return total


@kernel
def leaf_value(
    board: np.uint64,
    n_steps: Integer,
    code: int,
    weights: npt.NDArray[np.float64],
    stream: np.uint64,
) -> tuple[float, Integer]:
    """Return U(s), and the number of actions in a rollout.

    ``n_steps`` is d, ``code`` is :attr:`LeafValue.code`, and ``stream`` the random stream of a
    rollout. Only weighted values read ``weights``, float64 of shape (16,), in reading order.
    """
    if code in ROLLOUTS:
        value, n_moves = rollout(board, n_steps, code == ROLLOUT_LOOKAHEAD, stream)
        return float(value), n_moves
    if is_terminal(board):
        return 0.0, 0
    if code == WEIGHTED:
        return weighted_tiles(board, weights), 0
    return float(worth(board)), 0
