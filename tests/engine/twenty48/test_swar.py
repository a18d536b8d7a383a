"""The last few games of a batch against plain Python with the same random words."""

import numpy as np
import pytest

from tests.oracles import twenty48 as oracle
from thetafront.engine.twenty48 import Rule, initial
from thetafront.engine.twenty48.swar import MAX_LANES, finish


def oracle_finish(board: int, stream: int, rule: Rule = Rule.COMMON) -> tuple[int, int]:
    """Play one game in plain Python; return its end board and the number of 4s spawned.

    A board is turned by each word, slides left and is not turned back.
    """
    faces = oracle.from_packed(board)
    words = oracle.words(stream)
    n_fours = 0
    while oracle.legal_actions(faces):
        word = next(words)
        faces = oracle.turned(faces, word)
        after, _ = oracle.slide(faces, oracle.LEFT, rule)
        if after != faces:
            faces = oracle.spawn(after, word)
            n_fours += oracle.chosen_tile(word) == 4
    return oracle.to_packed(faces), n_fours


@pytest.mark.parametrize("rule", Rule)
def test_ends_are_those_of_the_oracle(rule: Rule) -> None:
    """Steps after the end may still turn a board, so boards are compared up to symmetry."""
    for n in (1, 7, MAX_LANES):
        boards = np.array([initial(seed) for seed in range(100)], np.uint64)
        n_fours = np.full(100, 2)
        which = np.arange(n) + 3
        finish(boards, n_fours, which, np.uint64(9), rule.built)
        for i in range(100):
            if i in which:
                end, fours = oracle_finish(initial(i), oracle.substream(9, i), rule)
                assert oracle.smallest(int(boards[i])) == oracle.smallest(end)
                assert n_fours[i] == 2 + fours
            else:
                assert (int(boards[i]), n_fours[i]) == (initial(i), 2)


def test_32768_tiles_do_not_merge_and_finished_boards_stay() -> None:
    over = 0x1212_2121_1212_2121
    boards = np.array([0xFF, over], np.uint64)
    n_fours = np.zeros(2, np.int64)
    finish(boards, n_fours, np.arange(2), np.uint64(1), None)
    end, fours = oracle_finish(0xFF, oracle.substream(1, 0))
    assert oracle.smallest(int(boards[0])) == oracle.smallest(end)
    assert n_fours[0] == fours
    assert oracle.smallest(int(boards[1])) == oracle.smallest(over)
    assert n_fours[1] == 0
