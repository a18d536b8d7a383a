"""The board of 2048 as one ``uint64``, and its rules as bit tricks on whole boards.

=================  =============================================================================
board              16 nibbles; cell (row, column) is nibble 4·row + column; nibble 0 is top left
exponent e         the value of a nibble: 0 is an empty cell, e ≥ 1 is the tile of face value 2ᵉ
afterstate         the board after the slide, before the spawn
reward             sum of the face values of the tiles that one action creates by merging
worth f(board)     Σ (e − 1)·2ᵉ over the tiles: the reward for building the board from 2s only
=================  =============================================================================

A nibble holds 15 at most, so **two 32768 tiles do not merge**: they count as different. A spawned 4
comes without the reward for merging two 2s, which is 4. For any part of a game, Σ reward is thus
f(end) − f(start) − 4 · (number of 4s spawned), and kernels need not add up rewards.

Rules: Ripstein (2023), *2048 AI: Monte Carlo-Powered Markov Decision Process*, §1. As in the
original game, a tile merges at most once per action, and merging begins at the edge that the tiles
slide to. :mod:`engine.twenty48.rule` has another rule for merging; kernels that slide tiles take
the rule as an argument. Kernels do not check arguments: in Python, use
:mod:`engine.twenty48.rules`.
"""

from enum import IntEnum

import numpy as np

from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.rng import START, below, next_word, substream
from thetafront.engine.twenty48.rule import BuiltRule


class Action(IntEnum):
    """The four actions; bit ``action`` of :func:`legal_actions` is set if ``action`` is legal."""

    UP = 0
    RIGHT = 1
    DOWN = 2
    LEFT = 3


N_ACTIONS = len(Action)

EVERY_CELL = np.uint64(0x1111111111111111)  # bit 0 of each of the sixteen nibbles
FIRST_COLUMN = np.uint64(0x0001000100010001)
NOT_LAST_COLUMN = np.uint64(0x0FFF0FFF0FFF0FFF)  # all four bits of columns 0, 1 and 2
FIRST_THREE_COLUMNS = np.uint64(0x0111011101110111)  # bit 0 of each nibble of columns 0, 1 and 2
FIRST_THREE_ROWS = np.uint64(0x0000111111111111)

P_TWO = 0.9
P_FOUR = 0.1

# A spawned tile is a 4 if 31 random bits are below this threshold.
ONE_TENTH = np.uint64(round(P_FOUR * 2**31))


@inlined
def empty_cells(board: np.uint64) -> np.uint64:
    """Mark each empty cell by bit 0 of its nibble."""
    occupied = board | (board >> np.uint64(2))
    occupied = occupied | (occupied >> np.uint64(1))
    return ~occupied & EVERY_CELL


@inlined
def mergeable_cells(board: np.uint64) -> np.uint64:
    """Mark each cell with a tile that can merge with an equal one: any tile but a 32768."""
    pairs = board & (board >> np.uint64(2))
    full = pairs & (pairs >> np.uint64(1))
    return ~(empty_cells(board) | full) & EVERY_CELL


@inlined
def count_cells(marks: np.uint64) -> np.uint64:
    """Count the marked cells, 0 to 16."""
    pairs = (marks + (marks >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (pairs * np.uint64(0x0101010101010101)) >> np.uint64(56)


@inlined
def transpose(board: np.uint64) -> np.uint64:
    """Swap rows and columns."""
    swap = (board ^ (board >> np.uint64(12))) & np.uint64(0x0000F0F00000F0F0)
    board = board ^ swap ^ (swap << np.uint64(12))
    swap = (board ^ (board >> np.uint64(24))) & np.uint64(0x00000000FF00FF00)
    return board ^ swap ^ (swap << np.uint64(24))


@inlined
def mirror(board: np.uint64) -> np.uint64:
    """Reverse each row."""
    pairs = np.uint64(0x00FF00FF00FF00FF)
    board = ((board & pairs) << np.uint64(8)) | ((board >> np.uint64(8)) & pairs)
    cells = np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((board & cells) << np.uint64(4)) | ((board >> np.uint64(4)) & cells)


@inlined
def where(mask: np.uint64, yes: np.uint64, no: np.uint64) -> np.uint64:
    """Choose bit by bit: ``yes`` where ``mask`` is set, else ``no``."""
    return no ^ ((no ^ yes) & mask)


@inlined
def all_or_none(flag: np.uint64) -> np.uint64:
    """Spread a flag, 0 or 1, over all 64 bits."""
    return np.uint64(0) - flag


@inlined
def close_gap(board: np.uint64, gap: np.uint64, column: np.uint64) -> np.uint64:
    """In the rows marked in ``gap``, move all cells right of ``column`` one cell to the left.

    A row is marked by the lowest of its 16 bits.
    """
    moved = (gap << np.uint64(16)) - (gap << (np.uint64(4) * column))
    return (board & ~moved) | (((board >> np.uint64(4)) & NOT_LAST_COLUMN) & moved)


@inlined
def equal_neighbours(board: np.uint64) -> np.uint64:
    """Mark each cell whose tile can merge with its right neighbour."""
    difference = board ^ ((board >> np.uint64(4)) & NOT_LAST_COLUMN)
    return empty_cells(difference) & mergeable_cells(board)


@inlined
def merge(board: np.uint64, first: np.uint64, second: np.uint64, third: np.uint64) -> np.uint64:
    """Merge tiles in marked rows (see :func:`close_gap`), then close the gaps.

    Columns 0 and 1 merge in the rows of ``first``, columns 1 and 2 in those of ``second``, and
    columns 2 and 3 in those of ``third``. No row may be in both ``first`` and ``second``, or in
    both ``second`` and ``third``.
    """
    board = board + (first | (second << np.uint64(4)) | (third << np.uint64(8)))
    board = board & ~((third << np.uint64(16)) - (third << np.uint64(12)))
    board = close_gap(board, second, np.uint64(2))
    return close_gap(board, first, np.uint64(1))


@inlined
def merge_left(board: np.uint64) -> np.uint64:
    """Merge rows without gaps by the common rule."""
    equal = equal_neighbours(board)
    first = equal & FIRST_COLUMN
    second = (equal >> np.uint64(4)) & FIRST_COLUMN & ~first
    third = (equal >> np.uint64(8)) & FIRST_COLUMN & ~second
    return merge(board, first, second, third)


@inlined
def cascade_left(board: np.uint64) -> np.uint64:
    """Merge rows without gaps by the rule ``cascade``, one tile after the other."""
    none = np.uint64(0)
    once = equal_neighbours(board) & FIRST_COLUMN
    board = merge(board, once, none, none)

    equal = equal_neighbours(board)
    twice = equal & once
    second = (equal >> np.uint64(4)) & FIRST_COLUMN & ~once
    board = merge(board, twice, second, none)

    # The position of the last tile depends on how many tiles have merged before it in its row.
    equal = equal_neighbours(board)
    one_merge = (once & ~twice) | second
    third = (equal >> np.uint64(8)) & FIRST_COLUMN & ~(once | second)
    second = (equal >> np.uint64(4)) & one_merge
    return merge(board, equal & twice, second, third)


@inlined
def slide_left(board: np.uint64, rule: BuiltRule) -> np.uint64:
    """Slide all four rows to the left and merge. For other directions, turn the board first."""
    empty = empty_cells(board)
    board = close_gap(board, (empty >> np.uint64(8)) & FIRST_COLUMN, np.uint64(2))
    board = close_gap(board, (empty >> np.uint64(4)) & FIRST_COLUMN, np.uint64(1))
    board = close_gap(board, empty & FIRST_COLUMN, np.uint64(0))
    if rule is None:
        return merge_left(board)
    return cascade_left(board)


@inlined
def turn(board: np.uint64, transposed: np.uint64, mirrored: np.uint64) -> np.uint64:
    """Transpose the board if ``transposed`` is 1, then mirror it if ``mirrored`` is 1."""
    board = where(all_or_none(transposed), transpose(board), board)
    return where(all_or_none(mirrored), mirror(board), board)


@inlined
def turned_for(board: np.uint64, transposed: np.uint64, action: Integer) -> np.uint64:
    """Turn a board (given with its transpose) so that the action becomes a slide to the left.

    Actions 0 to 3 are up, right, down, left: see :class:`Action`.
    """
    if action == 0:
        return transposed
    if action == 1:
        return mirror(board)
    if action == 2:
        return mirror(transposed)
    return board


@inlined
def turned_back(board: np.uint64, action: Integer) -> np.uint64:
    """Undo :func:`turned_for`."""
    if action == 0:
        return transpose(board)
    if action == 1:
        return mirror(board)
    if action == 2:
        return transpose(mirror(board))
    return board


@inlined
def slide(board: np.uint64, action: Integer, rule: BuiltRule) -> np.uint64:
    """Return the afterstate of ``action``, which is the board itself if the action is illegal."""
    turned = turned_for(board, transpose(board), action)
    return turned_back(slide_left(turned, rule), action)


@kernel
def worth(board: np.uint64) -> np.int64:
    """Return f(board) = Σ (e − 1)·2ᵉ."""
    total = np.uint64(0)
    for cell in range(16):
        exponent = (board >> (np.uint64(4) * np.uint64(cell))) & np.uint64(15)
        # For an empty cell, this value is −1 · 2⁰; the mask below makes it 0.
        value = (exponent - np.uint64(1)) << exponent
        total += value & (np.uint64(0) - np.uint64(exponent != np.uint64(0)))
    return np.int64(total)


@kernel
def afterstate(board: np.uint64, action: Integer, rule: BuiltRule) -> tuple[np.uint64, np.int64]:
    """Return the afterstate (the board itself if the action is illegal) and the reward."""
    after = slide(board, action, rule)
    return after, worth(after) - worth(board)


@kernel
def legal_actions(board: np.uint64) -> int:
    """Return four bits: bit ``action`` is set if ``action`` is legal, under either rule."""
    # A tile can move to an empty neighbouring cell. Two equal neighbours can merge by a slide in
    # either direction along their line.
    empty = empty_cells(board)
    full = empty ^ EVERY_CELL
    mergeable = mergeable_cells(board)
    left = FIRST_THREE_COLUMNS & empty & (full >> np.uint64(4))
    right = FIRST_THREE_COLUMNS & full & (empty >> np.uint64(4))
    up = empty & (full >> np.uint64(16))
    down = FIRST_THREE_ROWS & full & (empty >> np.uint64(16))
    beside = FIRST_THREE_COLUMNS & mergeable & empty_cells(board ^ (board >> np.uint64(4)))
    below_ = FIRST_THREE_ROWS & mergeable & empty_cells(board ^ (board >> np.uint64(16)))
    legal = 0
    legal |= int((up | below_) != np.uint64(0)) << Action.UP
    legal |= int((right | beside) != np.uint64(0)) << Action.RIGHT
    legal |= int((down | below_) != np.uint64(0)) << Action.DOWN
    legal |= int((left | beside) != np.uint64(0)) << Action.LEFT
    return legal


@kernel
def is_terminal(board: np.uint64) -> bool:
    """Return whether no action is legal. The empty board is terminal: it has no tile to move."""
    if empty_cells(board) != np.uint64(0):
        # On a board with empty cells, some tile can slide, unless the board has no tile.
        return bool(board == np.uint64(0))
    beside = empty_cells(board ^ (board >> np.uint64(4))) & FIRST_THREE_COLUMNS
    below_ = empty_cells(board ^ (board >> np.uint64(16))) & FIRST_THREE_ROWS
    return bool(((beside | below_) & mergeable_cells(board)) == np.uint64(0))


@kernel
def n_empty(board: np.uint64) -> np.int64:
    """Count the empty cells, 0 to 16."""
    return np.int64(count_cells(empty_cells(board)))


@kernel
def largest_exponent(board: np.uint64) -> np.int64:
    """Return the exponent of the largest tile; 0 for the empty board."""
    largest = np.int64(0)
    for cell in range(16):
        exponent = (board >> (np.uint64(4) * np.uint64(cell))) & np.uint64(15)
        largest = max(largest, np.int64(exponent))
    return largest


@inlined
def is_four(word: np.uint64) -> np.uint64:
    """Return 1 (spawn a 4) with probability 0.1, else 0, by bits 32 to 62 of a random word.

    The result is the sign bit of a difference; vector code computes it faster than a comparison.
    """
    bits = (word >> np.uint64(32)) & np.uint64(0x7FFFFFFF)
    return (bits - ONE_TENTH) >> np.uint64(63)


@inlined
def spawn_from_word(board: np.uint64, word: np.uint64) -> np.uint64:
    """Put a tile on an empty cell; a random word chooses the tile and the cell."""
    empty = empty_cells(board)
    skipped = below(word, count_cells(empty))
    for _ in range(skipped):
        empty = empty & (empty - np.uint64(1))
    cell = empty & (np.uint64(0) - empty)
    return board | (cell << is_four(word))


@kernel
def spawn(board: np.uint64, stream: np.uint64) -> np.uint64:
    """Put a 2 (90%) or a 4 (10%) on a random empty cell, drawn by the first word of a stream.

    All empty cells are equally likely. A full board is returned unchanged.
    """
    word, _ = next_word(stream)
    return spawn_from_word(board, word)


@kernel
def initial(stream: np.uint64) -> np.uint64:
    """Return a start board with two tiles, drawn from a stream."""
    start = substream(stream, START)
    first, start = next_word(start)
    second, start = next_word(start)
    return spawn_from_word(spawn_from_word(np.uint64(0), first), second)
