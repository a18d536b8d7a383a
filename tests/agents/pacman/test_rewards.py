"""Rewards by hand, and against plain Python over many states of games."""

import numpy as np
import pytest

from tests.engine.pacman.positions import put, running_worlds
from tests.oracles import pacman_planner as oracle
from tests.oracles.pacman import game_of
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.rewards import Distance, InZone
from thetafront.engine.pacman import Layout, World

# Two rows of cells with a wall between them that can be gone round in the west.
HAIRPIN = Layout.parse("%%%%%%%%\n%.  oGG%\n% %%%%%%\n%     P%\n%%%%%%%%", "hairpin")
UPPER, LOWER = 3, 1


def row(world: World, y: int, **parameters: object) -> list[float]:
    """R along a row from its west end."""
    decision = PacmanMDP(max_sweeps=1, layout=world.layout, **parameters).act(world)
    return decision.rewards[1:-1, y].tolist()


def with_ghosts(*x: float, timers: tuple[int, int] = (0, 0)) -> World:
    world = World.start(HAIRPIN, seed=0)
    for i, place in enumerate(x):
        put(world, i, place, UPPER, timer=timers[i])
    return world


def test_the_zones_of_two_ghosts_add_up() -> None:
    apart = with_ghosts(3, 6)
    assert row(apart, UPPER, radius=1) == [10, -300, -500, -300, -300, -500]
    assert row(apart, UPPER, radius=2) == [-200, -300, -500, -300 - 200, -300 - 200, -500]
    assert row(with_ghosts(4, 4), UPPER, radius=1) == [10, -1, -600, -1000, -600, -1]
    assert row(with_ghosts(4, 5), UPPER, radius=1) == [10, -1, -300, -800, -800, -300]


def test_steps_of_a_zone_end_at_its_radius() -> None:
    far = with_ghosts(6, 6, timers=(0, 1))
    along = [10, -50, -100, -200, -300, -500]
    assert row(far, UPPER, radius=4) == along
    assert row(far, UPPER, radius=3) == [10, -1, *along[2:]]
    assert row(far, UPPER, radius=2, capsule_reward=7.0) == [10, -1, -1, -200, -300, -500]
    assert row(far, UPPER, radius=1, capsule_reward=7.0) == [10, -1, -1, 7, -300, -500]
    assert row(far, UPPER, radius=0) == [10, -1, -1, -1, -1, -500]
    nobody = with_ghosts(2, 2, timers=(1, 1))
    assert row(nobody, UPPER, capsule_reward=7.0) == [10, -1, -1, 7, -1, -1]


def test_walls_stop_a_zone_only_by_maze_distance() -> None:
    """Two steps through the wall; around it in the west, two more for each cell from there."""
    world = with_ghosts(2, 2, timers=(0, 40))
    assert row(world, LOWER, radius=4) == [-100, -200, -100, -50, -1, -1]
    assert row(world, LOWER, radius=4, distance=Distance.MAZE) == [-100, -50, -1, -1, -1, -1]
    near = with_ghosts(1, 5, timers=(0, 0))
    assert row(near, LOWER, radius=4, distance=Distance.MAZE) == [-200, -100, -50, -1, -1, -1]


def test_food_in_a_zone_is_overwritten_or_added() -> None:
    world = with_ghosts(2, 6)
    assert row(world, UPPER, radius=1) == [-300, -500, -300, -1, -300, -500]
    added = {"in_zone": InZone.ADDED, "capsule_reward": 3.0}
    assert row(world, UPPER, radius=1, **added) == [-290, -501, -301, 3, -301, -501]
    assert row(with_ghosts(2, 5), UPPER, radius=1, **added) == [-290, -501, -301, -297, -501, -301]


def test_a_route_to_food_is_rewarded_up_to_the_food() -> None:
    """From the east end of the lower row along it, round the west, to the food."""
    world = with_ghosts(5, 6, timers=(9, 9))
    assert row(world, LOWER, route_reward=3.0) == [2, 2, 2, 2, 2, -1]
    assert row(world, UPPER, route_reward=3.0) == [13, -1, -1, -1, -1, -1]
    near = with_ghosts(2, 6, timers=(0, 9))
    maze = {"radius": 2, "distance": Distance.MAZE, "route_reward": 3.0}
    assert row(near, UPPER, **maze) == [-300, -500, -300, -200, -1, -1]
    assert row(near, UPPER, **maze, in_zone=InZone.ADDED) == [-287, -501, -301, -201, -1, -1]
    assert row(near, LOWER, **maze) == [2, 2, 2, 2, 2, -1]


@pytest.mark.parametrize("name", ["small", "medium"])
def test_a_route_is_a_shortest_path_to_the_nearest_food(name: str) -> None:
    layout = Layout.named(name)
    for world in running_worlds(layout, 20):
        plain, rewarded = (
            PacmanMDP(0.9, 2, 0, 1, route_reward=extra, layout=layout).act(world).rewards
            for extra in (0.0, 3.0)
        )
        game = game_of(world)
        steps = oracle.steps_between(game, game.pacman)
        nearest = min(steps[cell] for cell in game.food)
        on_route = {(int(x), int(y)) for x, y in np.argwhere(rewarded > plain)}
        zones = oracle.rewards(game, 2)
        assert all(zones[cell] >= -1 and 0 < steps[cell] <= nearest for cell in on_route)
        assert len({steps[cell] for cell in on_route}) == len(on_route)
        ends = [cell for cell in on_route if steps[cell] == nearest]
        assert all(cell in game.food for cell in ends)
        expected = oracle.rewards(game, 2, route=tuple(on_route), extra=3)
        assert {cell: rewarded[cell] for cell in expected} == expected
        if all(value >= -1 for cell, value in zones.items() if steps.get(cell, 99) <= nearest):
            assert len(on_route) == nearest


@pytest.mark.parametrize("timers", [(1, 40), (40, 1), (5, 5)])
def test_scared_ghosts_are_ignored(timers: tuple[int, int]) -> None:
    """Also between two cells, where only scared ghosts can be."""
    scared = with_ghosts(2, 3.5, timers=timers)
    assert row(scared, UPPER, radius=4) == [10, -1, -1, -1, -1, -1]


@pytest.mark.parametrize("name", ["small", "medium"])
def test_rewards_are_those_of_plain_python(name: str) -> None:
    layout = Layout.named(name)
    chance = np.random.default_rng(2)
    n_scared = 0
    for case, world in enumerate(running_worlds(layout, 40)):
        if case % 3:
            world.state.ghosts[case % len(world.ghosts), 3] = case % 3
        n_scared += any(ghost.timer for ghost in world.ghosts)
        radius = int(chance.integers(5))
        distance = [Distance.MANHATTAN, Distance.MAZE][case % 2]
        in_zone = [InZone.OVERWRITTEN, InZone.ADDED][case // 2 % 2]
        game = game_of(world)
        expected = oracle.rewards(
            game, radius, distance is Distance.MAZE, in_zone is InZone.ADDED, 4
        )
        agent = PacmanMDP(0.9, radius, 0, 1, distance, in_zone, 4.0, layout=layout)
        rewards = agent.act(world).rewards
        assert {cell: rewards[cell] for cell in expected} == expected
        assert np.isnan(rewards).sum() == layout.walls.sum()
    assert n_scared > 5


def test_only_scared_ghosts_are_between_cells() -> None:
    """The centre of a zone is always a cell: every turn of random games with capsules."""
    layout = Layout.named("medium")
    n_scared = 0
    for seed in range(60):
        world = World.start(layout, seed)
        chance = np.random.default_rng(seed)
        while not world.is_over:
            world.step(int(chance.choice(world.open_directions)))
            for ghost in world.ghosts:
                n_scared += ghost.timer > 0
                assert ghost.timer or (ghost.x % 1, ghost.y % 1) == (0, 0)
    assert n_scared > 100
