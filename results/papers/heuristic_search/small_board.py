"""2048 on a small board as a finite MDP, with all reachable boards enumerated.

Notation
--------
===========  =====================================================================================
h, w, n      numbers of rows and columns (1 to 4 each) and of cells of the board; n = h·w
state        a board before an action; state 0 is the *deal*, the empty board before the game
action       a legal action of 2048; the deal has one action, which spawns two tiles
R            points of an action; 0 for the deal
worth f      Σ (e − 1)·2ᵉ over a board's exponents e, see :mod:`engine.twenty48.board`
===========  =====================================================================================

Every game ends, so rewards need no discount: γ is 1, and the optimal value of the deal is the mean
score of optimal play. A state is terminal if no action is legal.

Every spawn adds 2 or 4 to the sum of all tiles, so no board occurs twice in a game. Boards are
enumerated in the order of their sums: when the boards with some sum are processed, all boards with
this sum are known. States are numbered by sum, then by packed board, so each outcome has a larger
number than its state.

The board of n cells with the largest worth has the exponents n + 1, n, …, 2. To make a tile, two
tiles of half its value must be merged, and while the second of them is made, the first takes up a
cell. With one cell fewer, the largest possible exponent is therefore lower by 1. In a single cell,
the largest tile is a spawned 4, with exponent 2. The points that can still be scored on a board are
at most the largest worth minus the worth of the board.

A small board is stored as a board of :mod:`engine.twenty48.board`, in the top left corner; all
other cells are empty. When a row of w cells slides left, the 4 − w empty cells on its right change
nothing. When the row slides right, its tiles merge correctly but end up at the right edge of all
four columns, so they are shifted back by 4 − w columns. Up and down work the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.agents.mdp.kernels import Floats, Indices
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.twenty48 import parse
from thetafront.engine.twenty48.board import (
    N_ACTIONS,
    P_FOUR,
    P_TWO,
    Action,
    afterstate,
    empty_cells,
    worth,
)
from thetafront.engine.twenty48.notation import SIZE

RIGHT, DOWN = int(Action.RIGHT), int(Action.DOWN)
DEAL = 0
"""The state before the game."""
DEALING = -1
"""Action number of the deal."""
MAX_STATES = 2_000_000

Boards = npt.NDArray[np.uint64]
Level = tuple[Indices, Indices, Floats, Indices, Boards, Floats]


def cells(n_rows: int, n_columns: int) -> np.uint64:
    """Mark each cell of a small board by bit 0 of its nibble."""
    marks = [4 * (4 * row + column) for row in range(n_rows) for column in range(n_columns)]
    return np.uint64(sum(1 << bit for bit in marks))


@kernel
def small_afterstate(
    board: np.uint64, action: Integer, n_rows: Integer, n_columns: Integer
) -> tuple[np.uint64, np.int64]:
    """Return a small board after an action, and the reward; illegal actions leave it unchanged."""
    after, reward = afterstate(board, action, None)
    if action == RIGHT:
        after >>= np.uint64(4 * (4 - n_columns))
    elif action == DOWN:
        after >>= np.uint64(16 * (4 - n_rows))
    return after, reward


@kernel
def small_spawns(
    after: np.uint64,
    cells: np.uint64,
    boards: npt.NDArray[np.uint64],
    probabilities: npt.NDArray[np.float64],
    n: Integer,
) -> Integer:
    """Write each board that a spawn can make of ``after``, and its probability, from index n on.

    The order is cell by cell in reading order, with a 2 before a 4. ``cells`` marks the cells of
    the small board. The m empty cells of the board are equally likely. Return n + 2m, the index
    after the last board.
    """
    empty = empty_cells(after) & cells
    begin = n
    while empty:
        cell = empty & (np.uint64(0) - empty)
        boards[n] = after | cell
        boards[n + 1] = after | (cell << np.uint64(1))
        n += 2
        empty ^= cell
    m = (n - begin) // 2
    for i in range(begin, n, 2):
        probabilities[i] = P_TWO / m
        probabilities[i + 1] = P_FOUR / m
    return n


@kernel
def act_and_spawn(states: Boards, n_rows: Integer, n_columns: Integer, marks: np.uint64) -> Level:
    """Take each legal action in each state, then make each spawn; ``marks`` is from :func:`cells`.

    Return three groups of arrays. Per state: its number of legal actions, 0 if it is terminal. Per
    legal action, state by state: its number, its points, and how many boards can follow. Per board
    that can follow, action by action: the board and its probability.
    """
    n_actions = np.zeros(len(states), np.int64)
    most: Integer = N_ACTIONS * len(states)
    actions, rewards, n_outcomes = (
        np.empty(most, np.int64),
        np.empty(most),
        np.empty(most, np.int64),
    )
    most *= 2 * (n_rows * n_columns - 1)
    outcomes, probabilities = np.empty(most, np.uint64), np.empty(most)
    n_taken = 0
    n_spawned: Integer = 0
    for i in range(len(states)):
        for action in range(N_ACTIONS):
            after, reward = small_afterstate(states[i], action, n_rows, n_columns)
            if after == states[i]:
                continue
            begin = n_spawned
            n_spawned = small_spawns(after, marks, outcomes, probabilities, begin)
            actions[n_taken] = action
            rewards[n_taken] = reward
            n_outcomes[n_taken] = n_spawned - begin
            n_taken += 1
            n_actions[i] += 1
    return (
        n_actions,
        actions[:n_taken].copy(),
        rewards[:n_taken].copy(),
        n_outcomes[:n_taken].copy(),
        outcomes[:n_spawned].copy(),
        probabilities[:n_spawned].copy(),
    )


def sums(boards: Boards) -> Boards:
    """Return the sum of the tiles of each board."""
    exponents = boards[:, None] >> np.arange(0, 64, 4, dtype=np.uint64) & np.uint64(15)
    return np.asarray(((np.uint64(1) << exponents) * (exponents > 0)).sum(axis=1))


def ends(counts: Sequence[Indices]) -> Indices:
    """Return the cumulative sum, with a leading 0, of counts given in parts."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])


def deal(marks: np.uint64, m: int) -> Level:
    """Return the deal's action (two spawns on m cells) in the form of :func:`act_and_spawn`."""
    first, p_first = np.empty(2 * m, np.uint64), np.empty(2 * m)
    small_spawns(np.uint64(0), marks, first, p_first, 0)
    second, p_second = np.empty((2 * m, 2 * m - 2), np.uint64), np.empty((2 * m, 2 * m - 2))
    for i in range(2 * m):
        small_spawns(first[i], marks, second[i], p_second[i], 0)
    starts, which = np.unique(second, return_inverse=True)
    p_starts = np.bincount(which.ravel(), (p_first[:, None] * p_second).ravel())
    one = np.ones(1, np.int64)
    return one, DEALING * one, np.zeros(1), len(starts) * one, starts, p_starts.astype(float)


@dataclass(frozen=True, eq=False)
class Small2048:
    """2048 on a small board; use :func:`small_2048`."""

    n_rows: int
    n_columns: int
    mdp: FiniteMDP
    boards: Boards  # packed, one per state
    actions: Indices  # numbers of engine.twenty48.Action, or DEALING

    def upper_bound(self) -> Floats:
        """Return an upper bound of each optimal value, shape (n_states,), from the boards' worth.

        It ignores which boards can follow, so it is higher than the bound of best luck (the score
        of a player who also chooses the spawns).
        """
        exponents = range(self.n_rows * self.n_columns + 1, 1, -1)
        largest = sum(exponent << (4 * cell) for cell, exponent in enumerate(exponents))
        worths = np.array([worth(board) for board in self.boards])
        return np.where(self.mdp.terminal, 0.0, worth(np.uint64(largest)) - worths)

    def state(self, faces: Sequence[Sequence[int]]) -> int:
        """Return the state of a board; ``faces`` are the values of its tiles, 0 for an empty cell.

        ValueError if the board is not reachable.
        """
        padded = np.zeros((SIZE, SIZE), np.int64)
        padded[: self.n_rows, : self.n_columns] = faces
        at = np.flatnonzero(self.boards == np.uint64(parse(" ".join(map(str, padded.ravel())))))
        if not len(at):
            raise ValueError(f"faces: no game reaches {faces}")
        return int(at[0])


@cache
def small_2048(n_rows: int, n_columns: int) -> Small2048:
    """Enumerate 2048 on a board of 1 to 4 rows and columns, with at least two cells in all.

    ValueError if there are more than 2,000,000 states.

    Examples
    --------
    >>> game = small_2048(2, 2)
    >>> game.mdp.n_states, game.state([[2, 0], [0, 0]]) in range(663)
    (663, True)
    """
    marks = cells(n_rows, n_columns)
    levels, parts = [np.zeros(1, np.uint64)], [deal(marks, n_rows * n_columns)]
    known: dict[int, list[Boards]] = {}  # by sum; duplicates are allowed
    while True:
        found = np.unique(parts[-1][4])
        totals = sums(found)
        for total in np.unique(totals).tolist():
            known.setdefault(total, []).append(found[totals == total])
        if not known:
            break
        levels.append(np.unique(np.concatenate(known.pop(min(known)))))
        if sum(map(len, levels)) > MAX_STATES:
            raise ValueError(f"{n_rows} × {n_columns}: more than {MAX_STATES:,} states")
        parts.append(act_and_spawn(levels[-1], n_rows, n_columns, marks))
    boards = np.concatenate(levels)
    n_actions, actions, rewards, n_outcomes, outcomes, probabilities = zip(*parts, strict=True)
    in_order = np.argsort(boards)
    places = np.searchsorted(boards, np.concatenate(outcomes), sorter=in_order)
    mdp = FiniteMDP(
        first_action=ends(n_actions),
        reward=np.concatenate(rewards),
        first_outcome=ends(n_outcomes),
        outcome=in_order[places],
        probability=np.concatenate(probabilities),
        discount=1.0,
    )
    return Small2048(n_rows, n_columns, mdp, boards, np.concatenate(actions))
