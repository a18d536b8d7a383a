"""The rules of 2048 for callers in Python: plain integers, checked and passed to kernels.

Boards and random streams are ``int`` below 2⁶⁴; :func:`engine.twenty48.notation.pack` makes boards.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thetafront.engine import rng
from thetafront.engine.twenty48 import board as kernels
from thetafront.engine.twenty48 import playout
from thetafront.engine.twenty48.board import Action
from thetafront.engine.twenty48.rule import Rule


def word(name: str, value: int) -> np.uint64:
    """Return ``value`` as 64 bits for a kernel; ValueError if it does not fit."""
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{name} must be between 0 and 2**64 - 1 (got {value})")
    return np.uint64(value)


def afterstate(board: int, action: int, rule: Rule = Rule.COMMON) -> tuple[int, int]:
    """Slide and merge; return the board before the spawn, and the points.

    If the action is illegal, the board is returned unchanged. ValueError for an unknown action.
    """
    after, reward = kernels.afterstate(word("board", board), int(Action(action)), rule.built)
    return int(after), int(reward)


def legal_actions(board: int) -> tuple[Action, ...]:
    """Return the actions that move or merge a tile, in ascending order."""
    legal = kernels.legal_actions(word("board", board))
    return tuple(action for action in Action if legal >> action & 1)


def is_terminal(board: int) -> bool:
    """Return whether no action is legal. The empty board is terminal: it has no tile to move."""
    return bool(kernels.is_terminal(word("board", board)))


def n_empty(board: int) -> int:
    """Count the empty cells, 0 to 16."""
    return int(kernels.n_empty(word("board", board)))


def largest_exponent(board: int) -> int:
    """Return the exponent of the largest tile; 0 for the empty board."""
    return int(kernels.largest_exponent(word("board", board)))


def worth(board: int) -> int:
    """Return Σ (e − 1)·2ᵉ: the reward for building this board from 2s only."""
    return int(kernels.worth(word("board", board)))


def spawn(board: int, stream: int) -> int:
    """Put a 2 (90%) or a 4 (10%) on a random empty cell; a full board is returned unchanged."""
    return int(kernels.spawn(word("board", board), word("stream", stream)))


def stream(seed: int, purpose: int, index: int) -> int:
    """Return the stream of a game's seed for a purpose and an index: see :mod:`engine.rng`."""
    words = word("seed", seed), word("purpose", purpose), word("index", index)
    return int(rng.named_stream(*words))


def initial(stream: int) -> int:
    """Return a board with the two tiles a game starts with."""
    return int(kernels.initial(word("stream", stream)))


def playouts(
    boards: Sequence[int], counts: Sequence[int], seed: int, rule: Rule = Rule.COMMON
) -> tuple[npt.NDArray[np.int64], int]:
    """Play ``counts[i]`` random games from board i to the end; equal arguments give equal games.

    Returns
    -------
    scores : int64, shape (sum of counts,)
        Points gained in each playout; the playouts of the first board come first.
    n_moves : int
        Moves of all playouts together.

    Raises
    ------
    ValueError
        If boards and counts differ in length, a count is negative, or a board is empty.
    """
    if len(boards) != len(counts):
        raise ValueError(f"counts must have one entry per board, {len(boards)} (got {len(counts)})")
    if any(count < 0 for count in counts):
        raise ValueError(f"counts must be 0 or more (got {min(counts)})")
    if not all(boards):
        raise ValueError("boards must have at least one tile (got an empty board)")
    words = np.array([word("board", int(board)) for board in boards], np.uint64)
    scores, n_moves = playout.playouts(
        words, np.array(counts, np.int64), word("seed", seed), rule.built
    )
    return scores, int(n_moves.sum())
