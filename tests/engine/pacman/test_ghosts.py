"""How ghosts move: by hand, and by the frequency of their choices."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from tests.engine.pacman.positions import CHAMBER, CORRIDOR, as_meant, put, put_food, put_pacman
from thetafront.engine.pacman import Action, Ghost, Layout, World

N, E, S, W, STOP = Action

UNHURRIED = [Ghost(6, 2, E, 0), *(Ghost(x, 2, W, 0) for x in (5, 4, 3, 2, 1))]
SCARED = [Ghost(5.5, 2, E, 39), Ghost(6, 2, E, 38), Ghost(5.5, 2, W, 37), Ghost(5, 2, W, 36)]


@pytest.mark.parametrize(("timer", "track"), [(0, UNHURRIED), (40, SCARED)])
def test_ghosts_turn_back_only_in_dead_ends(timer: int, track: list[Ghost]) -> None:
    world = World.start(CORRIDOR, seed=3)
    put_pacman(world, 1, 1)  # in the bay below
    put_food(world, (6, 2))
    put(world, 0, 5, 2, E, timer)
    for ghost in track:
        world.step(STOP)
        assert world.ghosts == (ghost,)


def test_a_restarted_ghost_has_no_direction_to_keep() -> None:
    """From a home in the middle of a corridor it goes either way, where it came from too."""
    layout = Layout.parse("%%%%%%%\n%  G  %\n%P%%%%%\n%.%%%%%\n%%%%%%%", "middle")
    counts: Counter[Action | None] = Counter()
    for seed in range(2000):
        world = World.start(layout, seed)
        assert world.ghosts == (Ghost(3, 3, None, 0),)
        put(world, 0, 1, 2.5, S, timer=12)
        assert world.step(STOP) == 199
        counts[world.ghosts[0].direction] += 1
    assert set(counts) == {E, W}
    assert stats.binomtest(counts[E], 2000, 0.5).pvalue > 1e-3


def test_scared_for_forty_moves_of_half_a_cell() -> None:
    rows = ["%" * 25, "%" + " " * 22 + "G%", "%P" + "%" * 23, "%o" + "%" * 23, "%.%" + "%" * 22]
    layout = Layout.parse("\n".join([*rows, "%" * 25]), "long")
    world = as_meant(lambda seed: World.start(layout, seed), S, to=(1, 2))
    for timer in range(39, 0, -1):
        assert world.ghosts == (Ghost(22.5 - (39 - timer) / 2, 4, W, timer),)
        world.step(STOP)
    assert world.ghosts == (Ghost(3, 4, W, 0),)
    world.step(STOP)
    assert world.ghosts == (Ghost(2, 4, W, 0),)


def test_a_scare_that_ends_between_cells_ends_in_the_one_to_the_east_or_north() -> None:
    hall = Layout.parse("%%%%%%\n%P  G%\n%.%% %\n%%%% %\n%%%%%%", "hall")
    for before, after in (
        ((2, 3, E), Ghost(3, 3, E, 0)),
        ((3, 3, W), Ghost(3, 3, W, 0)),
        ((4, 1, N), Ghost(4, 2, N, 0)),
        ((4, 3, S), Ghost(4, 3, S, 0)),
        ((3.5, 3, E), Ghost(4, 3, E, 0)),  # in a cell by its last move: there it stays
        ((3.5, 3, W), Ghost(3, 3, W, 0)),
    ):
        world = World.start(hall, seed=0)
        put(world, 0, *before, timer=1)
        world.step(STOP)
        assert world.ghosts == (after,)


def test_random_ghosts_go_each_way_but_back() -> None:
    """In the middle of a chamber, coming from the south: north, east or west, a third each."""
    counts: Counter[Action | None] = Counter()
    starts: Counter[Action | None] = Counter()
    for seed in range(3000):
        world = World.start(CHAMBER, seed)
        put(world, 0, 6, 2, N)
        world.step(STOP)
        counts[world.ghosts[0].direction] += 1
        world = World.start(CHAMBER, seed)
        world.step(STOP)
        starts[world.ghosts[0].direction] += 1
    assert set(counts) == {N, E, W}
    assert set(starts) == {N, E, S, W}
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3
    assert stats.chisquare(list(starts.values())).pvalue > 1e-3


def test_directional_ghosts_mostly_come_closer_and_flee_when_scared() -> None:
    """Pacman is in the west: west is closest; north, east and south are equally far."""
    for timer, expected in (
        (0, {W: 0.8 + 0.05, N: 0.05, E: 0.05, S: 0.05}),
        (40, {W: 0.05, **dict.fromkeys((N, E, S), 0.8 / 3 + 0.05)}),
    ):
        counts: Counter[Action | None] = Counter()
        for seed in range(4000):
            world = World.start(CHAMBER, seed, ghosts="directional")
            put_pacman(world, 1, 2)
            put(world, 0, 6, 2, None, timer)
            world.step(STOP)
            counts[world.ghosts[0].direction] += 1
        observed = [counts[direction] for direction in expected]
        assert stats.chisquare(observed, 4000 * np.array([*expected.values()])).pvalue > 1e-3
