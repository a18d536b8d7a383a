"""Batches of random playouts, many boards in lockstep.

A playout takes uniformly random legal actions until none is legal. Its score is the sum of the
rewards on the way. The seam is one function: start boards and counts in, one score per playout out.

How it is fast: every lane of an array holds one board, and a step is straight-line bit arithmetic on
whole boards, without a branch, a table or a call, so that LLVM turns the loop over lanes into vector
instructions (eight boards an instruction with AVX-512, four with AVX2).

- A lane draws a random action each step. An illegal one leaves the board alone and spawns nothing,
  so the action taken in the end is uniform over the legal ones (rejection).
- The board is turned, slid left, and *not* turned back: random play is as symmetric as the board,
  so neither scores nor numbers of moves notice.
- The score is not added up: see ``worth`` in :mod:`engine.twenty48.board`.
- Lanes are tested for the end, and given the next playout, only every few steps; a board with no
  legal action meanwhile stays as it is.

Playout number i of a batch draws from the stream ``substream(seed, i)``, one word a step, and from
nothing else: its score depends on its board, the seed and i alone, whatever the lanes do.
"""

import numpy as np
import numpy.typing as npt

from engine.jit import inlined, kernel
from engine.rng import GOLDEN, below, mix, substream
from engine.twenty48.board import (
    EVERY_CELL,
    all_or_none,
    empty_cells,
    is_four,
    is_terminal,
    slide_left,
    turn,
    worth,
)

__all__ = ["playouts"]

N_LANES = 128
VECTOR = 8  # lanes in use are rounded up to whole vectors, so that no scalar loop remains
STEPS_BETWEEN_CHECKS = 4


@inlined
def random_empty_cell(empty: np.uint64, word: np.uint64) -> np.uint64:
    """Mark one of at most 15 empty cells, chosen by the low 32 bits of ``word``.

    Multiplying the marks by 0x1111… leaves in every nibble the number of marks up to it, in the
    highest one all of them. The cell with n marks before it is the first whose number is above n;
    even and odd nibbles are compared as bytes.
    """
    count_to = empty * EVERY_CELL
    n = below(word, count_to >> np.uint64(60))
    bytewise = np.uint64(0x0F0F0F0F0F0F0F0F)
    ones = np.uint64(0x0101010101010101)
    lift = (np.uint64(15) - n) * ones  # count + 15 − n reaches 16 where count > n
    even = (((count_to & bytewise) + lift) >> np.uint64(4)) & ones
    odd = ((((count_to >> np.uint64(4)) & bytewise) + lift) >> np.uint64(4)) & ones
    above = even | (odd << np.uint64(4))
    return above & (np.uint64(0) - above)


@inlined
def random_step(board: np.uint64, word: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Try one random action, and spawn if it was legal.

    Bits 63 and 0 of ``word`` turn the board (transpose, mirror), bits 0 to 31 choose the cell,
    bits 32 to 62 the tile. (That bit 0 does two things costs nothing: it shifts the choice of the
    cell by 2⁻³² of the range.)

    Returns
    -------
    board : uint64
        The next board, turned; the old one, turned, if the action was illegal.
    moved : uint64
        1 if the action was legal, else 0.
    four : uint64
        1 if a 4 was spawned, else 0.
    """
    turned = turn(board, word >> np.uint64(63), word & np.uint64(1))
    after = slide_left(turned)
    moved = np.uint64(after != turned)
    cell = random_empty_cell(empty_cells(after), word)
    four = is_four(word) & moved
    return after | ((cell & all_or_none(moved)) << four), moved, four


@kernel
def playouts(
    boards: npt.NDArray[np.uint64], counts: npt.NDArray[np.int64], seed: np.uint64
) -> tuple[npt.NDArray[np.int64], np.int64]:
    """Play random games to their ends.

    Parameters
    ----------
    boards : uint64, shape (n_boards,)
        Start boards, the player to move.
    counts : int64, shape (n_boards,)
        Playouts wanted from each board, 0 or more.
    seed : uint64
        The random stream of the batch.

    Returns
    -------
    scores : int64, shape (counts.sum(),)
        Sum of rewards of each playout; those of board 0 first, then of board 1, and so on.
    n_moves : int
        Legal actions taken in all playouts together.
    """
    n_playouts = counts.sum()
    ends = np.empty(n_playouts, np.uint64)  # holds a playout's start board until it has ended
    scores = np.empty(n_playouts, np.int64)
    position = 0
    for i in range(boards.shape[0]):
        start_worth = worth(boards[i])
        for _ in range(counts[i]):
            ends[position] = boards[i]
            scores[position] = -start_worth
            position += 1

    board = np.zeros(N_LANES, np.uint64)
    counter = np.zeros(N_LANES, np.uint64)
    n_fours = np.zeros(N_LANES, np.uint64)
    n_moved = np.zeros(N_LANES, np.uint64)
    last_moved = np.zeros(N_LANES, np.uint64)
    playout = np.zeros(N_LANES, np.int64)

    n_active = min(N_LANES, n_playouts)
    for lane in range(n_active):
        playout[lane] = lane
        board[lane] = ends[lane]
        counter[lane] = substream(seed, np.uint64(lane))
    following = n_active

    n_moves = np.uint64(0)
    while n_active > 0:
        width = (n_active + VECTOR - 1) // VECTOR * VECTOR
        for _ in range(STEPS_BETWEEN_CHECKS):
            for lane in range(width):
                counter[lane] += GOLDEN
                board[lane], moved, four = random_step(board[lane], mix(counter[lane]))
                n_fours[lane] += four
                n_moved[lane] += moved
                last_moved[lane] = moved
        lane = 0
        while lane < n_active:
            if last_moved[lane] != np.uint64(0) or not is_terminal(board[lane]):
                lane += 1
                continue
            done = playout[lane]
            ends[done] = board[lane]
            scores[done] -= np.int64(np.uint64(4) * n_fours[lane])
            n_moves += n_moved[lane]
            n_fours[lane] = np.uint64(0)
            n_moved[lane] = np.uint64(0)
            if following < n_playouts:
                playout[lane] = following
                board[lane] = ends[following]
                counter[lane] = substream(seed, np.uint64(following))
                following += 1
                lane += 1
            else:
                # Nothing left to start: the last lane moves here, and is looked at next.
                n_active -= 1
                playout[lane] = playout[n_active]
                board[lane] = board[n_active]
                counter[lane] = counter[n_active]
                n_fours[lane] = n_fours[n_active]
                n_moved[lane] = n_moved[n_active]
                last_moved[lane] = last_moved[n_active]
                n_fours[n_active] = np.uint64(0)
                n_moved[n_active] = np.uint64(0)

    for i in range(n_playouts):
        scores[i] += worth(ends[i])
    return scores, np.int64(n_moves)
