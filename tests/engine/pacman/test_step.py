"""Pacman's motion, eating and touching: turns worked out by hand, and frequencies of slips."""

from collections import Counter

from scipy import stats

from tests.engine.pacman.positions import (
    CORRIDOR,
    PAIR,
    STOP,
    E,
    N,
    S,
    W,
    as_meant,
    put,
    put_pacman,
)
from thetafront.engine.pacman import Ghost, Layout, Outcome, World

# --- Pacman's motion ---


def test_actions_go_where_meant_with_80_percent_and_to_each_side_with_10() -> None:
    """Or as the game has it."""
    room = Layout.parse("%%%%%\n%   %\n% P %\n%  .%\n%%%%%", "room")
    north, east, south, west = (2, 3), (3, 2), (2, 1), (1, 2)
    for action, chosen, left, right in (
        (N, north, west, east),
        (E, east, north, south),
        (S, south, east, west),
        (W, west, south, north),
    ):
        counts: Counter[tuple[int, int]] = Counter()
        for seed in range(5000):
            world = World.start(room, seed)
            assert world.step(action) == -1
            counts[world.pacman] += 1
        assert set(counts) == {chosen, left, right}
        observed = [counts[chosen], counts[left], counts[right]]
        assert stats.chisquare(observed, [4000, 500, 500]).pvalue > 1e-3
        for p, shares in ((0.5, [0.5, 0.25, 0.25]), (0.0, [0, 0.5, 0.5]), (1.0, [1, 0, 0])):
            counts = Counter()
            for seed in range(1000):
                world = World.start(room, seed, p_chosen=p)
                world.step(action)
                counts[world.pacman] += 1
            possible = [k for k, share in enumerate(shares) if share]
            cells = [(chosen, left, right)[k] for k in possible]
            assert set(counts) == set(cells)
            observed, expected = (
                [counts[cell] for cell in cells],
                [1000 * shares[k] for k in possible],
            )
            assert stats.chisquare(observed, expected).pvalue > 1e-3 or len(cells) == 1


def test_stopping_is_certain() -> None:
    room = Layout.parse("%%%%%\n%   %\n% P %\n%  .%\n%%%%%", "room")
    for seed in range(500):
        world = World.start(room, seed)
        assert world.step(STOP) == -1
        assert world.pacman == (2, 2)


def test_a_slip_into_a_wall_stays() -> None:
    """Into a wall with one side open, nine in ten stay: blocked slips are not drawn again."""
    bay = Layout.parse("%%%%%\n%P .%\n%%%%%", "bay")
    n_moved = 0
    for seed in range(5000):
        world = World.start(bay, seed)
        assert world.step(N) == -1
        assert world.pacman in {(1, 1), (2, 1)}
        n_moved += world.pacman == (2, 1)
        into_the_end = World.start(bay, seed)
        assert into_the_end.step(W) == -1
        assert into_the_end.pacman == (1, 1)  # walls ahead and on both sides
    assert stats.binomtest(n_moved, 5000, 0.1).pvalue > 1e-3


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


def test_the_last_food_wins_even_in_a_ghost() -> None:
    """One that is not scared costs nothing any more, a scared one is still eaten."""
    for timer, points, ghost in ((0, 509, Ghost(1, 1, S, 0)), (40, 709, Ghost(6, 2, None, 0))):

        def prepared(seed: int, timer: int = timer) -> World:
            world = World.start(CORRIDOR, seed)
            put(world, 0, 1, 1, S, timer)
            return world

        world = as_meant(prepared, S, to=(1, 1))
        assert world.outcome is Outcome.WON
        assert world.score == points
        assert world.ghosts == (ghost,)


def test_a_ghost_beside_pacman_touches_him_by_its_own_move() -> None:
    world = World.start(CORRIDOR, seed=0)
    put(world, 0, 2, 2, W)
    assert world.step(STOP) == -501
    assert world.outcome is Outcome.LOST
    assert world.ghosts == (Ghost(1, 2, W, 0),)


def test_pacman_and_a_ghost_cannot_change_places() -> None:
    def prepared(seed: int) -> World:
        world = World.start(CORRIDOR, seed)
        put(world, 0, 2, 2, W)
        return world

    world = as_meant(prepared, E, to=(2, 2))
    assert world.score == -501
    assert world.ghosts == (Ghost(2, 2, W, 0),)  # it has not moved: the game was over


def test_half_a_cell_touches_and_a_whole_one_does_not() -> None:
    world = World.start(CORRIDOR, seed=0)
    put(world, 0, 2.5, 2, W, timer=30)
    assert world.step(STOP) == -1
    assert world.ghosts == (Ghost(2, 2, W, 29),)  # a cell away
    assert world.step(STOP) == 199  # half a cell
    assert world.ghosts == (Ghost(6, 2, None, 0),)
    assert not world.is_over


def test_two_scared_ghosts_are_eaten_at_once() -> None:
    """Both are half a cell away after Pacman's move; both restart and move in the same turn."""
    world = World.start(PAIR, seed=0)
    put_pacman(world, 4, 3)
    put(world, 0, 3.5, 3, E, timer=9)
    put(world, 1, 4.5, 3, W, timer=1)
    assert world.step(STOP) == 399
    assert world.ghosts == (Ghost(2, 3, E, 0), Ghost(6, 3, W, 0))


def test_each_ghost_that_pacman_touches_by_his_move_costs_500() -> None:
    world = World.start(PAIR, seed=0)
    put_pacman(world, 4, 3)
    put(world, 0, 4, 3, E)
    put(world, 1, 4, 3, W)
    assert world.step(STOP) == -1001
    assert world.outcome is Outcome.LOST
    assert world.ghosts == (Ghost(4, 3, E, 0), Ghost(4, 3, W, 0))  # they have not moved


def test_a_second_ghost_that_moves_to_him_costs_nothing() -> None:
    world = World.start(PAIR, seed=0)
    put_pacman(world, 4, 3)
    put(world, 0, 3, 3, E)
    put(world, 1, 5, 3, W)
    assert world.step(STOP) == -501
    assert world.ghosts == (Ghost(4, 3, E, 0), Ghost(5, 3, W, 0))


def test_a_scared_ghost_is_eaten_beside_one_that_is_not() -> None:
    """In either order: the game is lost, and the points count."""
    for timers in ((5, 0), (0, 5)):
        world = World.start(PAIR, seed=0)
        put_pacman(world, 4, 3)
        put(world, 0, 4, 3, E, timers[0])
        put(world, 1, 4, 3, W, timers[1])
        assert world.step(STOP) == 200 - 501
        assert world.outcome is Outcome.LOST


def test_after_a_ghosts_move_only_that_one_is_tested() -> None:
    """A ghost eaten at its start is on Pacman again, not scared, and leaves before it is tested."""
    world = World.start(PAIR, seed=0)
    put_pacman(world, 7, 3)
    put(world, 1, 6.5, 3, E, timer=9)
    assert world.step(STOP) == 199
    assert world.ghosts == (Ghost(2, 3, E, 0), Ghost(6, 3, W, 0))
    # Eaten after its own move it stays there, and Pacman is tested first on the next turn.
    world = World.start(PAIR, seed=0)
    put_pacman(world, 7, 3)
    put(world, 1, 6, 3, E, timer=9)
    assert world.step(STOP) == 199
    assert world.ghosts[1] == Ghost(7, 3, None, 0)
    assert world.step(STOP) == -501


def test_a_capsule_saves_from_the_ghost_in_its_cell() -> None:
    def prepared(seed: int) -> World:
        world = World.start(PAIR, seed)
        put_pacman(world, 6, 1)
        put(world, 0, 7, 1, E)
        return world

    world = as_meant(prepared, E, to=(7, 1))
    assert world.score == 199
    assert world.ghosts[0] == Ghost(2, 3, E, 0)  # eaten, so not scared, and moved from home
    assert world.ghosts[1] == Ghost(6.5, 3, W, 39)


def test_a_second_capsule_resets_the_timers() -> None:
    def prepared(seed: int) -> World:
        world = World.start(PAIR, seed)
        put_pacman(world, 6, 1)
        put(world, 0, 2.5, 3, E, timer=1)  # without it, its scare would end now
        put(world, 1, 6, 3, W, timer=7)
        return world

    world = as_meant(prepared, E, to=(7, 1))
    assert world.ghosts == (Ghost(3, 3, E, 39), Ghost(5.5, 3, W, 39))
