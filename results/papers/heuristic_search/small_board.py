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


def cells(n_rows: int, n_columns: int) -> Boards:
    """Return the lowest bit of each cell of a small board, in reading order."""
    return np.array([4 * (4 * r + c) for r in range(n_rows) for c in range(n_columns)], np.uint64)


@kernel
def small_afterstates(boards: Boards, n_rows: Integer, n_columns: Integer) -> tuple[Boards, Floats]:
    """Return small boards after each action, and the rewards, both of shape (n, 4).

    Illegal actions leave a board unchanged.
    """
    afters = np.empty((len(boards), N_ACTIONS), np.uint64)
    rewards = np.empty((len(boards), N_ACTIONS))
    for i in range(len(boards)):
        for action in range(N_ACTIONS):
            after, reward = afterstate(boards[i], action, None)
            if action == RIGHT:
                after >>= np.uint64(4 * (4 - n_columns))
            elif action == DOWN:
                after >>= np.uint64(16 * (4 - n_rows))
            afters[i, action] = after
            rewards[i, action] = reward
    return afters, rewards


def spawned(afters: Boards, cells: Boards) -> tuple[Indices, Boards, Floats]:
    """Return how many boards can follow each afterstate; the boards; their probabilities.

    The order is cell by cell, with a 2 before a 4. All empty cells are equally likely.
    """
    empty = (afters[:, None] >> cells & np.uint64(15)) == 0
    n_empty = empty.sum(axis=1)
    of, at = np.nonzero(empty)
    boards = afters[of, None] | np.array([1, 2], np.uint64) << cells[at, None]
    chances = np.array([P_TWO, P_FOUR]) / n_empty[of, None]
    return 2 * n_empty, boards.ravel(), chances.ravel()


def act_and_spawn(states: Boards, n_rows: int, n_columns: int) -> Level:
    """Take each legal action in each state, then make each spawn.

    Return three groups of arrays. Per state: its number of legal actions, 0 if it is terminal. Per
    legal action, state by state: its number, its points, and how many boards can follow. Per board
    that can follow, action by action: the board and its probability.
    """
    afters, rewards = small_afterstates(states, n_rows, n_columns)
    legal = afters != states[:, None]
    following = spawned(afters[legal], cells(n_rows, n_columns))
    return legal.sum(axis=1), np.nonzero(legal)[1], rewards[legal], *following


def sums(boards: Boards) -> Boards:
    """Return the sum of the tiles of each board."""
    exponents = boards[:, None] >> np.arange(0, 64, 4, dtype=np.uint64) & np.uint64(15)
    return np.asarray(((np.uint64(1) << exponents) * (exponents > 0)).sum(axis=1))


def ends(counts: Sequence[Indices]) -> Indices:
    """Return the cumulative sum, with a leading 0, of counts given in parts."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])


def deal(cells: Boards) -> Level:
    """Return the deal's action (two spawns) in the form of :func:`act_and_spawn`."""
    _, first, p_first = spawned(np.zeros(1, np.uint64), cells)
    n, second, p_second = spawned(first, cells)
    starts, which = np.unique(second, return_inverse=True)
    p_starts = np.bincount(which, np.repeat(p_first, n) * p_second).astype(float)
    one = np.ones(1, np.int64)
    return one, DEALING * one, np.zeros(1), len(starts) * one, starts, p_starts


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
    levels, parts = [np.zeros(1, np.uint64)], [deal(cells(n_rows, n_columns))]
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
        parts.append(act_and_spawn(levels[-1], n_rows, n_columns))
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
