"""U(s), the value of a state where a search ends: from rollouts, cell weights or a board's score.

Notation
--------
===========  =====================================================================================
s            a state: the player is to move
U(s)         its value as a *leaf*: an estimate of the points that follow
d            maximum number of actions in a rollout from s
w(i)         weight of cell i in reading order; U(s) = Σ w(i) · face value of the tile in cell i
f(s)         a score that depends only on the board: see :mod:`engine.twenty48.board`
===========  =====================================================================================

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6. The source
searches 2048 with five leaf values: two rollouts, weights A and B, and the board's score. Our
readings:

- The value of a rollout is the undiscounted sum of its rewards. The maximum number of its actions
  is d, or the rest of the simulation's depth (:class:`~agents.twenty48.uct.RolloutDepth`). If this
  maximum is 0, the value of the rollout is 0.
- One-step lookahead takes the action with the largest R(s, a) + E U(s′). The source does not give
  the U in this formula. We set it to 0, so the largest reward decides, with ties broken at random.
- The text has only the first row of weights A, 15 14 13 12. We continue it as a snake: the next row
  is 8 9 10 11, and so on down to 0. Weights B are not in the text. **Ours are not the book's**: the
  weight of a cell is row + column, so weights increase towards one corner.
- The score of a board is f(s), which can be computed without the history of the game. It is the
  score of the game if every spawned 4 is counted as the result of a merge. Like every U, f(s) is
  added to the rewards on the path to s, although it contains these rewards: among the leaves of one
  search, U is Σ rewards + 4 · (number of spawned 4s) + a constant. So rewards are counted twice.
  This has the same effect as halving the exploration constant c.
- **A state without a legal action has value 0**, whatever its weights and score. So the end of the
  game costs as much as the state would be worth if it had a legal action.
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
    """How the value of a leaf is computed; see the module's docstring."""

    RANDOM = "random"
    LOOKAHEAD = "lookahead"
    WEIGHTS_A = "weights_a"
    WEIGHTS_B = "weights_b"
    SCORE = "score"

    @property
    def code(self) -> int:
        """The number of this kind of value in kernels."""
        return list(LeafValue).index(self)


RANDOM, LOOKAHEAD, SCORE = LeafValue.RANDOM.code, LeafValue.LOOKAHEAD.code, LeafValue.SCORE.code

WEIGHTS: dict[LeafValue, tuple[float, ...]] = {
    LeafValue.WEIGHTS_A: (15, 14, 13, 12, 8, 9, 10, 11, 7, 6, 5, 4, 0, 1, 2, 3),
    LeafValue.WEIGHTS_B: tuple(row + column for row in range(4) for column in range(4)),
}
"""The weights of the cells, in reading order."""


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
    """Play ``n_steps`` actions, or to the end; return the sum of rewards and number of actions.

    Actions are random; if ``greedy`` is true, they are drawn only from those with the largest
    reward. For each action, bits 63 and 0 of a random word turn the board, which then slides left.
    The board is not turned back, because both policies treat all symmetric forms of a board alike.
    Bits 0 to 31 choose the cell of the spawn, and bits 32 to 62 choose its tile. After an illegal
    action, the next word is drawn.
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
    """Return Σ weight · face value over the cells; the weights are in reading order."""
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

    ``n_steps`` is the maximum number of actions in a rollout, and ``stream`` is its random stream.
    ``code`` is :attr:`LeafValue.code`. ``weights``, shape (16,), are used only by values from
    weights.
    """
    if code in (RANDOM, LOOKAHEAD):
        value, n_moves = rollout(board, n_steps, code == LOOKAHEAD, stream)
        return float(value), n_moves
    if is_terminal(board):
        return 0.0, 0
    if code == SCORE:
        return float(worth(board)), 0
    return weighted_tiles(board, weights), 0
