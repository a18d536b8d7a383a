"""Batches of random playouts: a number of games from each start board, and the score of each game.

:func:`playouts` plays 512 games in lockstep on bit-planes (:mod:`engine.twenty48.lockstep`), and
the last few games on packed boards (:mod:`engine.twenty48.swar`). This module assigns games to
lanes, the 512 places on the planes. Games that are over keep their lanes until their idle steps
cost as much as an exchange. An exchange transposes all planes to boards, replaces finished games by
waiting ones, and transposes all boards back.

During a game, only the spawned 4s are counted. At the end, the score follows from this count and
the boards (``worth`` in :mod:`engine.twenty48.board`). So does the number of moves, since each move
adds 2 or 4 to the sum of all tiles.
"""

import numpy as np
import numpy.typing as npt
from numba.cpython.unsafe.numbers import trailing_zeros

from thetafront.engine.jit import inlined, kernel
from thetafront.engine.twenty48.board import is_terminal
from thetafront.engine.twenty48.lockstep import (
    ALL,
    FOURS,
    GROUP,
    LANES,
    N_FOURS_PLANES,
    NO_GAME,
    OVER,
    WORDS,
    find_over,
    new_group,
    play_steps,
)
from thetafront.engine.twenty48.rule import BuiltRule
from thetafront.engine.twenty48.swar import MAX_LANES, finish
from thetafront.engine.twenty48.transposition import cross

STEPS_BETWEEN_CHECKS = 8  # playouts are as fast with 4 as with 8
EXCHANGE_COST = 1200  # in steps of one lane; playouts are equally fast with 700 to 2,000
NOBODY = -1
FEW = MAX_LANES  # with at most this many unfinished playouts, packed boards are faster than planes


@kernel
def exchange(
    group: npt.NDArray[np.uint64],
    seats: npt.NDArray[np.int64],
    boards: npt.NDArray[np.uint64],
    n_fours: npt.NDArray[np.int64],
    n_seated: int,
) -> int:
    """Take out the games marked in OVER, and give their lanes to playouts from ``n_seated`` on.

    ``seats`` has the number of the playout in each lane, or NOBODY. ``boards`` has the start boards
    of waiting playouts. For playouts that are taken out, ``boards`` receives the last board, and
    ``n_fours`` the number of 4s. Return how many playouts have had a lane so far.
    """
    cross(group)
    for w in range(WORDS):
        over = group[OVER + w]
        while over:
            lane = np.int64(trailing_zeros(over))
            over &= over - np.uint64(1)
            seat = lane * WORDS + w
            playout = seats[seat]
            if playout != NOBODY:
                boards[playout] = group[seat]
                byte = group[FOURS + (lane & 7) * WORDS + w] >> np.uint64(lane & 56)
                n_fours[playout] = np.int64(byte & np.uint64(255))
            if n_seated < len(boards):
                seats[seat] = n_seated
                group[seat] = boards[n_seated]
                n_seated += 1
            else:
                seats[seat] = NOBODY
                group[seat] = NO_GAME
    cross(group)
    for digit in range(N_FOURS_PLANES):
        for w in range(WORDS):
            group[FOURS + digit * WORDS + w] &= ~group[OVER + w]
    return n_seated


@kernel
def play_many(
    boards: npt.NDArray[np.uint64], n_fours: npt.NDArray[np.int64], seed: np.uint64, rule: BuiltRule
) -> npt.NDArray[np.int64]:
    """Play boards on planes until few are unfinished; return the indices of the unfinished ones.

    All boards, including the unfinished ones, are changed in place. ``n_fours`` receives their
    numbers of 4s.
    """
    group = new_group(seed)
    seats = np.full(LANES, NOBODY)
    n_seated = exchange(group, seats, boards, n_fours, 0)
    n_playing = n_seated
    n_idle_steps = 0
    while True:
        play_steps(group.reshape(1, GROUP), STEPS_BETWEEN_CHECKS, rule)
        n_over = find_over(group)  # lanes without a game are never over
        if n_seated == len(boards):
            if n_playing - n_over <= FEW:
                break
            continue
        n_idle_steps += n_over * STEPS_BETWEEN_CHECKS
        if n_idle_steps > EXCHANGE_COST:
            n_playing -= n_over + n_seated
            n_seated = exchange(group, seats, boards, n_fours, n_seated)
            n_playing += n_seated
            n_idle_steps = 0

    left = seats.copy()
    group[OVER : OVER + WORDS] = ALL
    exchange(group, seats, boards, n_fours, n_seated)
    n_left = 0
    for seat in range(LANES):
        if left[seat] != NOBODY and not is_terminal(boards[left[seat]]):
            left[n_left] = left[seat]
            n_left += 1
    return left[:n_left]


@inlined
def worth_and_sum(board: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return Σ (e − 1)·2ᵉ and Σ 2ᵉ over the tiles, in a form that vectorizes over boards."""
    weighted = np.uint64(0)
    total = np.uint64(0)
    for cell in range(16):
        exponent = (board >> np.uint64(4 * cell)) & np.uint64(15)
        weighted += exponent << exponent
        total += (np.uint64(1) << exponent) & ~np.uint64(1)
    return weighted - total, total


@kernel
def playouts(
    boards: npt.NDArray[np.uint64], counts: npt.NDArray[np.int64], seed: np.uint64, rule: BuiltRule
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Play ``counts[i]`` games from board i to the end; all legal actions are equally likely.

    Return each game's sum of rewards and number of moves; the games of board 0 come first.
    """
    n_playouts = counts.sum()
    ends = np.empty(n_playouts, np.uint64)
    gained = np.empty(n_playouts, np.int64)  # −f(start board), until f(end board) is added
    n_moves = np.empty(n_playouts, np.int64)  # likewise with the sum of tiles instead of f
    playout = 0
    for i in range(len(boards)):
        start_worth, start_sum = worth_and_sum(boards[i])
        for _ in range(counts[i]):
            ends[playout] = boards[i]
            gained[playout] = -np.int64(start_worth)
            n_moves[playout] = -np.int64(start_sum)
            playout += 1

    n_fours = np.zeros(n_playouts, np.int64)
    left = play_many(ends, n_fours, seed, rule) if n_playouts > FEW else np.arange(n_playouts)
    finish(ends, n_fours, left, seed, rule)

    for playout in range(n_playouts):
        end_worth, end_sum = worth_and_sum(ends[playout])
        gained[playout] += np.int64(end_worth) - 4 * n_fours[playout]
        # A move adds a 2 or a 4 to the sum of tiles; merging does not change this sum.
        n_moves[playout] = ((n_moves[playout] + np.int64(end_sum)) >> 1) - n_fours[playout]
    return gained, n_moves
