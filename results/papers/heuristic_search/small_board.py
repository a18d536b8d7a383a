"""2048 on a small board as a finite MDP, with all reachable boards enumerated.

Notation
--------
===========  =====================================================================================
h, w, n      rows, columns and cells of the board, n = h·w
state        a board, the player to move; state 0 is the *deal*, the empty board before the game
action       a legal action of 2048; the deal has one action, which spawns two tiles
R            points of an action; 0 for the deal
worth f      Σ (e − 1)·2ᵉ over a board's exponents e, see :mod:`engine.twenty48.board`
===========  =====================================================================================

Every game ends, so rewards need no discount: γ is 1 by default, and the optimal value of the deal
is the mean score of optimal play. A state is terminal if no action is legal or, with a largest tile
given, if that tile is on the board.

Every action adds 2 or 4 to the sum of all tiles. So no board occurs twice in a game, and boards are
enumerated by their sum: when those of one sum are processed, all of them are known. States are
numbered by sum, then by packed board, and each outcome has a larger number than its state.

The board of n cells with the largest worth has the exponents n + 1, n, …, 2: a tile needs two of
half its value, the second of which has one cell less, and the smallest tile may be a spawned 4. The
points that remain from a board on are at most that worth minus its own.

Source: the rules of :mod:`engine.twenty48.board`, for small boards in :mod:`engine.twenty48.small`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.finite_mdp import FiniteMDP, check_discount
from thetafront.agents.mdp.kernels import Floats, Indices
from thetafront.agents.parameters import IntegerRange
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.twenty48 import parse, tile, unpack
from thetafront.engine.twenty48.board import N_ACTIONS, largest_exponent, worth
from thetafront.engine.twenty48.notation import SIZE
from thetafront.engine.twenty48.small import cells, small_afterstate, small_spawns

DEAL = 0
"""The state before the game."""

DEALING = -1
"""Action number of the deal."""

LARGEST_EXPONENT = 15

Boards = npt.NDArray[np.uint64]
Level = tuple[Indices, Indices, Floats, Indices, Boards, Floats]


@kernel
def act_and_spawn(
    states: Boards, n_rows: Integer, n_columns: Integer, marks: np.uint64, end_exponent: Integer
) -> Level:
    """Take every legal action in every state, and spawn every tile.

    ``marks`` are the cells of the board. A board with ``end_exponent`` is terminal.

    Returns
    -------
    n_actions : int64, shape (n_states,)
        Number of legal actions of each state; 0 if it is terminal.
    actions, rewards, n_outcomes : shape (sum of n_actions,)
        These actions state by state, their points, and the number of boards after each.
    outcomes, probabilities : shape (sum of n_outcomes,)
        These boards action by action, uint64, and their probabilities.
    """
    n_states = len(states)
    most_actions = N_ACTIONS * n_states
    most_outcomes = most_actions * 2 * (n_rows * n_columns - 1)
    n_actions = np.zeros(n_states, np.int64)
    actions = np.empty(most_actions, np.int64)
    rewards = np.empty(most_actions)
    n_outcomes = np.empty(most_actions, np.int64)
    outcomes = np.empty(most_outcomes, np.uint64)
    probabilities = np.empty(most_outcomes)
    n_taken = 0
    n_spawned: Integer = 0
    for i in range(n_states):
        if largest_exponent(states[i]) >= end_exponent:
            continue
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


@kernel
def sums(boards: Boards) -> Indices:
    """Return the sum of the tiles of each board."""
    result = np.zeros(len(boards), np.int64)
    for i in range(len(boards)):
        for cell in range(16):
            exponent = (boards[i] >> np.uint64(4 * cell)) & np.uint64(15)
            if exponent:
                result[i] += np.int64(1) << np.int64(exponent)
    return result


@kernel
def worths(boards: Boards) -> Indices:
    """Return the worth of each board."""
    result = np.empty(len(boards), np.int64)
    for i in range(len(boards)):
        result[i] = worth(boards[i])
    return result


def gather(known: dict[int, list[Boards]], outcomes: Boards) -> None:
    """Add boards to the known ones of each sum; duplicates are allowed."""
    boards = np.unique(outcomes)
    totals = sums(boards)
    for total in np.unique(totals).tolist():
        known.setdefault(total, []).append(boards[totals == total])


def ends(counts: Sequence[Indices]) -> Indices:
    """Return the cumulative sum, with a leading 0, of counts given in parts."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])


@dataclass(frozen=True)
class Small2048:
    """2048 on a small board, enumerated on first use.

    Parameters
    ----------
    n_rows, n_columns : int
        h and w, 1 to 4 each, with at least two cells in all.
    largest_tile : int, optional
        A face value from 8 to 32768: the game ends when this tile appears. By default it ends when
        no action is legal.
    discount : float
        γ, in (0, 1].
    most_states : int
        Maximum number of states.

    Raises
    ------
    ValueError
        If a number is out of range or, on first use, if there are more states.

    Examples
    --------
    >>> game = Small2048(2, 2)
    >>> game.mdp.n_states, game.faces(game.state([[2, 0], [0, 2]]))
    (663, [[2, 0], [0, 2]])
    """

    n_rows: int
    n_columns: int
    largest_tile: int | None = None
    discount: float = 1.0
    most_states: int = 2_000_000

    def __post_init__(self) -> None:
        IntegerRange(1, SIZE).check("n_rows", self.n_rows)
        IntegerRange(1, SIZE).check("n_columns", self.n_columns)
        IntegerRange(1).check("most_states", self.most_states)
        if self.n_cells < 2:
            raise ValueError(
                "n_columns: 1 given with 1 row, 2 or more allowed: a game begins with two tiles"
            )
        if self.largest_tile not in (None, *(tile(e) for e in range(3, LARGEST_EXPONENT + 1))):
            raise ValueError(
                f"largest_tile: {self.largest_tile} given, a power of two from 8 to 32768 allowed"
            )
        check_discount(self.discount)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return self.n_rows * self.n_columns

    @property
    def end_exponent(self) -> int:
        """The exponent that ends a game; without one, an exponent that no board has."""
        return self.largest_tile.bit_length() - 1 if self.largest_tile else LARGEST_EXPONENT + 1

    @property
    def mdp(self) -> FiniteMDP:
        """The MDP; :attr:`boards` and :attr:`actions` name its states and actions."""
        return self.enumerated[0]

    @property
    def boards(self) -> Boards:
        """Packed board of each state, in the top left cells of the engine's; shape (n_states,)."""
        return self.enumerated[1]

    @property
    def actions(self) -> Indices:
        """Each action as :class:`~engine.twenty48.Action` or DEALING, shape (n_actions,)."""
        return self.enumerated[2]

    @cached_property
    def enumerated(self) -> tuple[FiniteMDP, Boards, Indices]:
        """The MDP, its boards and its actions."""
        levels = [np.zeros(1, np.uint64)]
        parts = [self.deal()]
        known: dict[int, list[Boards]] = {}
        gather(known, parts[0][4])
        n_states = 1
        while known:
            states = np.unique(np.concatenate(known.pop(min(known))))
            n_states += len(states)
            if n_states > self.most_states:
                raise ValueError(
                    f"most_states: {self.most_states:,} given, but a {self.n_rows} x "
                    f"{self.n_columns} board with largest_tile {self.largest_tile} has more; a "
                    "smaller largest_tile leaves fewer"
                )
            marks = cells(self.n_rows, self.n_columns)
            part = act_and_spawn(states, self.n_rows, self.n_columns, marks, self.end_exponent)
            levels.append(states)
            parts.append(part)
            gather(known, part[4])
        boards = np.concatenate(levels)
        n_actions, actions, rewards, n_outcomes, outcomes, probabilities = zip(*parts, strict=True)
        in_order = np.argsort(boards)
        found = np.searchsorted(boards, np.concatenate(outcomes), sorter=in_order)
        mdp = FiniteMDP(
            first_action=ends(n_actions),
            reward=np.concatenate(rewards),
            first_outcome=ends(n_outcomes),
            outcome=in_order[found],
            probability=np.concatenate(probabilities),
            discount=self.discount,
        )
        return mdp, boards, np.concatenate(actions)

    def deal(self) -> Level:
        """Return the action of the deal, two spawns, in the form of :func:`act_and_spawn`."""
        marks = cells(self.n_rows, self.n_columns)
        m = self.n_cells
        first, p_first = np.empty(2 * m, np.uint64), np.empty(2 * m)
        small_spawns(np.uint64(0), marks, first, p_first, 0)
        second, p_second = np.empty((2 * m, 2 * m - 2), np.uint64), np.empty((2 * m, 2 * m - 2))
        for i in range(2 * m):
            small_spawns(first[i], marks, second[i], p_second[i], 0)
        starts, which = np.unique(second, return_inverse=True)
        p_starts = np.bincount(which.ravel(), (p_first[:, None] * p_second).ravel())
        one = np.ones(1, np.int64)
        return one, DEALING * one, np.zeros(1), len(starts) * one, starts, p_starts.astype(float)

    def upper_bound(self) -> Floats:
        """Return an upper bound of each optimal value by the worth of the board, shape (n_states,).

        It ignores what can follow, so it is higher than :func:`agents.mdp.bounds.upper_bound`.
        """
        most = min(self.end_exponent, LARGEST_EXPONENT)
        exponents = [min(exponent, most) for exponent in range(self.n_cells + 1, 1, -1)]
        largest = sum(exponent << (4 * cell) for cell, exponent in enumerate(exponents))
        remaining = worth(np.uint64(largest)) - worths(self.boards)
        return np.where(self.mdp.terminal, 0.0, remaining)

    def state(self, faces: Sequence[Sequence[int]]) -> int:
        """Return the number of a board's state.

        Parameters
        ----------
        faces : sequence of int, shape (n_rows, n_columns)
            Face values, 0 for an empty cell.

        Raises
        ------
        ValueError
            If the shape is different, a face is no tile, or the board is not reachable.
        """
        grid = np.asarray(faces)
        if grid.shape != (self.n_rows, self.n_columns):
            raise ValueError(
                f"faces: shape {grid.shape} given, {(self.n_rows, self.n_columns)} expected"
            )
        padded = np.zeros((SIZE, SIZE), np.int64)
        padded[: self.n_rows, : self.n_columns] = grid
        board = parse(" ".join(map(str, padded.ravel().tolist())))
        at = np.flatnonzero(self.boards == np.uint64(board))
        if not len(at):
            raise ValueError(f"faces: {grid.tolist()} given, which no game reaches")
        return int(at[0])

    def faces(self, state: int) -> list[list[int]]:
        """Return the face values of a state's board row by row, 0 for an empty cell."""
        self.mdp.check_state(state)
        exponents = unpack(int(self.boards[state]))[: self.n_rows, : self.n_columns]
        return [[tile(e) for e in row] for row in exponents.tolist()]
