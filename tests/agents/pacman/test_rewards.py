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


def with_ghosts(*x: float, timers: tuple[int, int]) -> World:
    world = World.start(HAIRPIN, seed=0)
    for i, place in enumerate(x):
        put(world, i, place, UPPER, timer=timers[i])
    return world


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
