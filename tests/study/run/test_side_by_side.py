"""Blocks of games alone and side by side."""

from dataclasses import replace

import pytest

from thetafront.agents.agent import Game
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.side_by_side import SideBySide2048
from thetafront.study.run.side_by_side import next_together, together

ALONE = Game2048(0, 4, 1, 0.1, 0, 4, 0)
SIDE = SideBySide2048(0, 4, 1, 0.1, 0, 4, 0, first_seed=0, n_side_by_side=8)


def test_blocks_of_nineteen_by_hand() -> None:
    blocks = [together(replicate, 8) for replicate in range(38)]
    by_hand = [range(r, r + 1) for r in range(3)] + [range(3, 11)] * 8 + [range(11, 19)] * 8
    later = [range(each.start + 19, each.stop + 19) for each in by_hand]
    assert blocks == by_hand + later


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_each_replicate_is_among_those_it_is_played_with(n: int) -> None:
    for replicate in range(200):
        found = together(replicate, n)
        assert replicate in found
        assert len(found) in {1, n}
        assert all(together(each, n) == found for each in found)


def test_none_is_played_beyond_the_most() -> None:
    assert next_together(3, 8, 11, {}) == range(3, 11)
    assert next_together(3, 8, 10, {}) == range(3, 4)


def test_what_was_played_alone_before_stays_so() -> None:
    games: dict[int, Game] = {5: ALONE}
    assert next_together(3, 8, 1000, games) == range(3, 4)
    assert next_together(11, 8, 1000, games) == range(11, 19)


def test_what_a_kill_has_left_of_eight_is_played_again() -> None:
    left: dict[int, Game] = {3: SIDE, 4: replace(SIDE, seed=1)}
    assert next_together(5, 8, 1000, left) == range(3, 11)
    assert next_together(5, 8, 1000, left | {5: replace(SIDE, n_side_by_side=4)}) == range(5, 6)
