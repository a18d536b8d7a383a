"""A few games in lockstep on packed boards, for the end of a batch.

A step on bit-planes costs the same for one game as for 512. For a few dozen games, it is cheaper to
hold one packed board in each lane of a vector (SWAR, SIMD within a register). A step is then bit
arithmetic on whole boards, without branches, tables or calls, and LLVM vectorizes the loop over
lanes. As on planes, an illegal action leaves a board unchanged, and boards that were turned for a
slide are not turned back.
"""

import numpy as np
import numpy.typing as npt

from thetafront.engine.jit import inlined, kernel
from thetafront.engine.rng import GOLDEN, below, mix, substream
from thetafront.engine.twenty48.board import (
    EVERY_CELL,
    all_or_none,
    empty_cells,
    is_four,
    is_terminal,
    slide_left,
    turn,
)
from thetafront.engine.twenty48.rule import BuiltRule

MAX_LANES = 64
VECTOR = 8  # the number of lanes in use is rounded up to a multiple of 8, so that no loop is scalar
STEPS_BETWEEN_CHECKS = 8


@inlined
def random_empty_cell(empty: np.uint64, word: np.uint64) -> np.uint64:
    """Mark one of at most 15 empty cells, chosen by the low 32 bits of ``word``.

    In the product of the marks and 0x1111…, every nibble has the number of marks up to this nibble,
    and the highest nibble has the total. Marked cell number n (from 0) is the first cell with a
    number above n. Even and odd nibbles are compared with n separately, as bytes.
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
def random_step(board: np.uint64, word: np.uint64, rule: BuiltRule) -> tuple[np.uint64, np.uint64]:
    """Try one random action; return the new board (still turned), and 1 if a 4 spawned, else 0.

    Bit 63 of ``word`` says whether to transpose the board, and bit 0 whether to mirror it. Bits 0
    to 31 choose the cell, and bits 32 to 62 the tile. Bit 0 is used twice, which shifts the choice
    of the cell by 2⁻³² of its range.
    """
    turned = turn(board, word >> np.uint64(63), word & np.uint64(1))
    after = slide_left(turned, rule)
    moved = np.uint64(after != turned)
    cell = random_empty_cell(empty_cells(after), word)
    four = is_four(word) & moved
    return after | ((cell & all_or_none(moved)) << four), four


@kernel
def finish(
    boards: npt.NDArray[np.uint64],
    n_fours: npt.NDArray[np.int64],
    unfinished: npt.NDArray[np.int64],
    seed: np.uint64,
    rule: BuiltRule,
) -> None:
    """Play the ``unfinished`` boards, at most MAX_LANES, to the end; add their 4s to ``n_fours``.

    Board i draws one word per step from ``substream(seed, i)``.
    """
    n_active = len(unfinished)
    which = np.empty(MAX_LANES, np.int64)
    # One flat array, since LLVM would have to test whether separate arrays overlap.
    lanes = np.zeros(3 * MAX_LANES, np.uint64)
    board, counter, fours = (
        lanes[:MAX_LANES],
        lanes[MAX_LANES : 2 * MAX_LANES],
        lanes[2 * MAX_LANES :],
    )
    for lane in range(n_active):
        which[lane] = unfinished[lane]
        board[lane] = boards[which[lane]]
        counter[lane] = substream(seed, np.uint64(which[lane]))
    while n_active > 0:
        width = (n_active + VECTOR - 1) // VECTOR * VECTOR
        for _ in range(STEPS_BETWEEN_CHECKS):
            for lane in range(width):
                counter[lane] += GOLDEN
                board[lane], four = random_step(board[lane], mix(counter[lane]), rule)
                fours[lane] += four
        lane = 0
        while lane < n_active:
            if not is_terminal(board[lane]):
                lane += 1
                continue
            boards[which[lane]] = board[lane]
            n_fours[which[lane]] += np.int64(fours[lane])
            # The game in the last lane moves to this lane, and is checked next.
            n_active -= 1
            which[lane] = which[n_active]
            board[lane] = board[n_active]
            counter[lane] = counter[n_active]
            fours[lane] = fours[n_active]
