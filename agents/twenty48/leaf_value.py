"""U(s), what a state is worth where a search ends: rollouts, weights on the cells, the board's score.

Notation
--------
===========  =======================================================================================
s            a state: the player to move
U(s)         its value as a *leaf*: what a tree search takes for all that is yet to come
d            depth that remains below s: a rollout takes so many actions, or fewer if its game ends
w(i)         weight of cell i, in reading order; U(s) = Σ w(i) · face value of the tile in cell i
f(s)         worth of the board: its score, see :mod:`engine.twenty48.board`
===========  =======================================================================================

Source: Kochenderfer, Wheeler, Wray (2022), *Algorithms for Decision Making*, §9.6, where 2048 is searched with
five such values: two rollouts, evaluation functions with the weights A and B, and the board's score. Readings
of ours:

- A rollout's value is the sum of its rewards, undiscounted, over the depth that remains; at d = 0 it is 0.
- One-step lookahead takes the action of largest R(s, a) + E U(s′), with U = 0 as there is nothing to say
  otherwise: the largest reward; among equals, each with the same probability.
- Of the weights A the source's text keeps only a row, 15 14 13 12, in a corner; we continue it as a snake,
  8 9 10 11 below it, and so on down to 0. The weights B are lost. **Ours are not the book's**: a gradient
  towards one corner, row + column.
- The score of a board is f(s), which needs no history: the score of its game, but that each spawned 4 counts
  as though it had been merged. It is added to the rewards on the way to s, as every U is, although they are
  in it: among leaves of one search U is Σ rewards + 4 · (number of 4s) + a constant. So rewards count twice,
  which is as though c were half as large.
- **A state without an action is worth 0**, whatever weights and score say: nothing can be won from it. So a
  lost game costs what a live one is worth.
"""

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from engine.jit import Integer, inlined, kernel
from engine.rng import next_word
from engine.twenty48.board import empty_cells, is_four, is_terminal, slide_left, turn, worth
from engine.twenty48.swar import random_empty_cell


class LeafValue(StrEnum):
    """How a leaf is valued. See the module for what the names mean."""

    RANDOM = "random"
    LOOKAHEAD = "lookahead"
    WEIGHTS_A = "weights_a"
    WEIGHTS_B = "weights_b"
    SCORE = "score"

    @property
    def code(self) -> int:
        """The kind of value as kernels take it: weights of any name are one kind."""
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
"""The weights that have names, each cell's in reading order."""


@inlined
def better_axis(board: np.uint64, coin: np.uint64) -> np.uint64:
    """Say along which axis the next action wins more: 0 for left and right, 1 for up and down.

    Actions along one axis win the same: they merge the same number of tiles from each run of equal ones. Where
    the axes are equal too, ``coin`` decides, 0 or 1.
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
    """Play on for some actions, or to the end of the game.

    A word's bits 63 and 0 turn the board, which then slides left and is never turned back: both policies are as
    symmetric as the board. Bits 0 to 31 choose the cell of the spawn, bits 32 to 62 its tile. An illegal action
    is drawn again.

    Parameters
    ----------
    board : uint64
        The state.
    n_steps : int
        How many actions to take.
    greedy : bool
        Whether only actions of largest reward are drawn from, rather than all legal ones.
    stream : uint64
        The random stream.

    Returns
    -------
    value : int
        Sum of the rewards.
    n_moves : int
        Actions taken: ``n_steps``, or fewer if the game ended.
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
    """Return Σ weight · face value over the sixteen cells, in reading order."""
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
    """Value a leaf.

    Parameters
    ----------
    board : uint64
        The state.
    n_steps : int
        The depth that remains: how long a rollout may be.
    code : int
        :attr:`LeafValue.code`.
    weights : float64, shape (16,)
        Weights of the cells in reading order; read by weighted values alone.
    stream : uint64
        Random stream of a rollout.

    Returns
    -------
    value : float
        U(s), 0 where no action is legal.
    n_moves : int
        Actions taken in a rollout.
    """
    if code in ROLLOUTS:
        value, n_moves = rollout(board, n_steps, code == ROLLOUT_LOOKAHEAD, stream)
        return float(value), n_moves
    if is_terminal(board):
        return 0.0, 0
    if code == WEIGHTED:
        return weighted_tiles(board, weights), 0
    return float(worth(board)), 0
