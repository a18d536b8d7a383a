"""Pacman's motion, eating and touching: turns worked out by hand, and frequencies of slips."""

from collections import Counter
from typing import Any

import pytest
from scipy import stats

from tests.engine.pacman.positions import CORRIDOR, PAIR, as_meant, put, put_pacman
from thetafront.engine.pacman import Action, Ghost, Layout, Outcome, World

N, E, S, W, STOP = Action

# --- Pacman's motion ---


@pytest.mark.parametrize("p", [0.8, 0.5, 0.0, 1.0])
def test_actions_go_where_meant_and_to_each_side_as_often_as_the_game_has_it(p: float) -> None:
    room = Layout.parse("%%%%%\n%   %\n% P %\n%  .%\n%%%%%", "room")
    around, n = [(2, 3), (3, 2), (2, 1), (1, 2)], 1500  # to the north, east, south and west
    for action in (N, E, S, W):
        counts: Counter[tuple[int, int]] = Counter()
        for seed in range(n):
            world = World.start(room, seed, p_chosen=p)
            assert world.step(action) == -1
            counts[world.pacman] += 1
        aside = (1 - p) / 2
        for k, share in ((action, p), (action - 1, aside), ((action + 1) % 4, aside)):
            assert stats.binomtest(counts.pop(around[k], 0), n, share).pvalue > 1e-3
        assert not counts


# --- eating and touching ---


def test_food_and_capsules_are_eaten_once() -> None:
    layout = Layout.parse("%%%%%%\n%Po..%\n%%%%%%", "row")
    world = World.start(layout, seed=0)
    rewards = [world.step(E) for _ in range(50) if not world.is_over]
    assert sorted(set(rewards)) == [-1, 9, 509]
    assert rewards.count(9) == 1
    assert rewards[-1] == 509
    assert world.outcome is Outcome.WON
    assert world.score == sum(rewards) == 520 - len(rewards)
    assert not world.capsules.any()


HALL = Layout.parse("%%%%%%\n%.  G%\n%%%P%%\n%%%%%%", "hall")

# Where Pacman and ghosts are, as (x, y, direction, timer), his action and the cell it leads to, the
# points, the ghosts.
TURNS: dict[str, tuple[Layout, tuple[int, int], list[Any], Action, tuple[int, int], int, Any]] = {
    "a ghost beside Pacman touches him by its own move": (
        CORRIDOR, (1, 2), [(2, 2, W, 0)], STOP, (1, 2), -501, [Ghost(1, 2, W, 0)],
    ),
    "half a cell touches": (
        CORRIDOR, (1, 2), [(2, 2, W, 29)], STOP, (1, 2), 199, [Ghost(6, 2, None, 0)],
    ),
    "a whole cell does not": (
        CORRIDOR, (1, 2), [(2.5, 2, W, 30)], STOP, (1, 2), -1, [Ghost(2, 2, W, 29)],
    ),
    # Both are half a cell away after Pacman's move; both restart and move in the same turn.
    "two scared ghosts are eaten at once": (
        PAIR, (4, 3), [(3.5, 3, E, 9), (4.5, 3, W, 1)], STOP, (4, 3), 399,
        [Ghost(2, 3, E, 0), Ghost(6, 3, W, 0)],
    ),
    "each ghost that touches him by his move costs 500, and does not move": (
        PAIR, (4, 3), [(4, 3, E, 0), (4, 3, W, 0)], STOP, (4, 3), -1001,
        [Ghost(4, 3, E, 0), Ghost(4, 3, W, 0)],
    ),
    "a second ghost that moves to him costs nothing": (
        PAIR, (4, 3), [(3, 3, E, 0), (5, 3, W, 0)], STOP, (4, 3), -501,
        [Ghost(4, 3, E, 0), Ghost(5, 3, W, 0)],
    ),
    "a scared ghost is eaten before one that is not": (
        PAIR, (4, 3), [(4, 3, E, 5), (4, 3, W, 0)], STOP, (4, 3), 200 - 501,
        [Ghost(1, 3, None, 0), Ghost(4, 3, W, 0)],
    ),
    "a scared ghost is eaten after one that is not": (
        PAIR, (4, 3), [(4, 3, E, 0), (4, 3, W, 5)], STOP, (4, 3), 200 - 501,
        [Ghost(4, 3, E, 0), Ghost(7, 3, None, 0)],
    ),
    "one eaten at its start, where Pacman is, leaves before it is tested": (
        PAIR, (7, 3), [(1, 3, None, 0), (6.5, 3, E, 9)], STOP, (7, 3), 199,
        [Ghost(2, 3, E, 0), Ghost(6, 3, W, 0)],
    ),
    "one eaten after its own move stays there": (
        PAIR, (7, 3), [(1, 3, None, 0), (6, 3, E, 9)], STOP, (7, 3), 199,
        [Ghost(2, 3, E, 0), Ghost(7, 3, None, 0)],
    ),
    "one whose scare ends on Pacman is no longer scared": (
        HALL, (3, 2), [(2, 2, E, 1)], STOP, (3, 2), -501, [Ghost(3, 2, E, 0)],
    ),
    "half a cell away it still is": (
        HALL, (3, 2), [(2, 2, E, 2)], STOP, (3, 2), 199, [Ghost(4, 2, None, 0)],
    ),
    "Pacman and a ghost cannot change places": (
        CORRIDOR, (1, 2), [(2, 2, W, 0)], E, (2, 2), -501, [Ghost(2, 2, W, 0)],
    ),
    "the last food wins in a ghost that is not scared": (
        CORRIDOR, (1, 2), [(1, 1, S, 0)], S, (1, 1), 509, [Ghost(1, 1, S, 0)],
    ),
    "the last food wins, and a scared ghost is still eaten": (
        CORRIDOR, (1, 2), [(1, 1, S, 40)], S, (1, 1), 709, [Ghost(6, 2, None, 0)],
    ),
    "a capsule saves from the ghost in its cell, which moves from home, not scared": (
        PAIR, (6, 1), [(7, 1, E, 0), (7, 3, None, 0)], E, (7, 1), 199,
        [Ghost(2, 3, E, 0), Ghost(6.5, 3, W, 39)],
    ),
    "a second capsule resets the timers": (
        PAIR, (6, 1), [(2.5, 3, E, 1), (6, 3, W, 7)], E, (7, 1), -1,
        [Ghost(3, 3, E, 39), Ghost(5.5, 3, W, 39)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TURNS)
def test_pacman_touches_ghosts(case: str) -> None:
    layout, pacman, ghosts, action, to, points, after = TURNS[case]

    def prepared(seed: int) -> World:
        world = World.start(layout, seed)
        put_pacman(world, *pacman)
        for i, ghost in enumerate(ghosts):
            put(world, i, *ghost)
        return world

    world = as_meant(prepared, action, to)
    assert world.score == points
    assert list(world.ghosts) == after
    assert (world.outcome is Outcome.LOST) == (points < -1)
    assert (world.outcome is Outcome.WON) == (points > 500)


def test_a_ghost_that_was_eaten_beside_pacman_is_tested_first_on_the_next_turn() -> None:
    world = World.start(PAIR, seed=0)
    put_pacman(world, 7, 3)
    put(world, 1, 6, 3, E, timer=9)
    assert [world.step(STOP), world.step(STOP)] == [199, -501]
