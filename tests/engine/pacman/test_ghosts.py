"""How ghosts move: by hand, and by the frequency of their choices."""

from collections import Counter

import numpy as np
from scipy import stats

from tests.engine.pacman.positions import (
    CHAMBER,
    CORRIDOR,
    STOP,
    E,
    N,
    S,
    W,
    as_meant,
    put,
    put_food,
    put_pacman,
)
from thetafront.engine.pacman import Action, Ghost, Layout, World


def test_ghosts_turn_back_only_in_dead_ends() -> None:
    world = World.start(CORRIDOR, seed=3)
    put_pacman(world, 1, 1)  # in the bay below
    put_food(world, (6, 2))
    put(world, 0, 5, 2, E)
    track = []
    for _ in range(6):
        world.step(STOP)
        track.append(world.ghosts[0])
    assert track == [Ghost(6, 2, E, 0), *(Ghost(x, 2, W, 0) for x in (5, 4, 3, 2, 1))]


def test_scared_ghosts_turn_back_only_in_dead_ends() -> None:
    world = World.start(CORRIDOR, seed=3)
    put(world, 0, 5, 2, E, timer=40)
    track = []
    for _ in range(4):
        world.step(STOP)
        track.append(world.ghosts[0])
    assert track == [
        Ghost(5.5, 2, E, 39),
        Ghost(6, 2, E, 38),
        Ghost(5.5, 2, W, 37),
        Ghost(5, 2, W, 36),
    ]


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
    layout = Layout.parse(
        "%" * 25
        + "\n%"
        + " " * 22
        + "G%\n"
        + "%P"
        + "%" * 23
        + "\n%o"
        + "%" * 23
        + "\n%.%"
        + "%" * 22
        + "\n"
        + "%" * 25,
        "long",
    )
    world = as_meant(lambda seed: World.start(layout, seed), S, to=(1, 2))
    assert world.ghosts == (Ghost(22.5, 4, W, 39),)
    for timer in range(38, 0, -1):
        world.step(STOP)
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


def test_a_ghost_whose_scare_ends_on_pacman_is_no_longer_scared() -> None:
    hall = Layout.parse("%%%%%%\n%.  G%\n%%%P%%\n%%%%%%", "hall")
    world = World.start(hall, seed=0)
    put_pacman(world, 3, 2)
    put(world, 0, 2, 2, E, timer=1)
    assert world.step(STOP) == -501
    assert world.ghosts == (Ghost(3, 2, E, 0),)
    world = World.start(hall, seed=0)
    put_pacman(world, 3, 2)
    put(world, 0, 2, 2, E, timer=2)  # half a cell away, and scared
    assert world.step(STOP) == 199


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


def test_pacman_does_not_shift_the_draws_of_ghosts() -> None:
    for seed in range(20):
        still, restless = (World.start(CHAMBER, seed) for _ in range(2))
        actions = np.random.default_rng(seed).integers(4, size=25)
        for action in actions.tolist():
            still.step(STOP)
            restless.step(action)
            if restless.is_over:  # no ghost moves after the last food
                break
            assert restless.ghosts == still.ghosts
        assert restless.pacman != still.pacman or restless.n_food < still.n_food


def test_no_ghost_shifts_the_draws_of_another() -> None:
    """The first is scared, so it has a choice on every other turn; the second is not affected."""
    layout = Layout.parse(
        "%%%%%%%%%\n%   %   %\n% G % G %\n%   %   %\n%%%%%%%%%\n%P     .%\n%%%%%%%%%", "two"
    )
    for seed in range(50):
        calm, scared = (World.start(layout, seed) for _ in range(2))
        put(scared, 0, 2, 4, None, timer=40)
        for _ in range(10):
            calm.step(STOP)
            scared.step(STOP)
            assert scared.ghosts[1] == calm.ghosts[1]
        assert scared.ghosts[0] != calm.ghosts[0]
