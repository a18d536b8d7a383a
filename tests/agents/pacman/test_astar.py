"""A* against breadth-first search in plain Python; the agent's rules by hand."""

import numpy as np
import pytest

from tests.engine.pacman.positions import CHAMBER, PAIR, put, put_food, put_pacman
from tests.oracles import pacman as rules
from tests.oracles import pacman_planner as oracle
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.shortest_path import nearest_goal, new_search_arrays
from thetafront.engine.pacman import Action, Layout, World
from thetafront.engine.pacman.maze import NO_DIRECTION, UNREACHABLE

N, E, S, W, STOP = Action


def scattered(seed: int) -> Layout:
    """A maze of random walls, with food beside Pacman."""
    chance = np.random.default_rng(seed)
    width, height = chance.integers(5, 14, size=2)
    drawn = np.where(chance.random((height, width)) < 0.35, "%", " ")
    drawn[[0, -1]], drawn[:, [0, -1]] = "%", "%"
    drawn[1, 1:3] = "P", "."
    return Layout.parse("\n".join("".join(row) for row in drawn), f"scattered {seed}")


@pytest.mark.parametrize("seed", range(40))
def test_ways_are_as_short_as_by_breadth_first_search(seed: int) -> None:
    layout = scattered(seed) if seed else Layout.named("medium")
    game = rules.Game(layout.text, 0)
    chance = np.random.default_rng(seed)
    cells = oracle.cells(game)
    work = new_search_arrays(layout.width * layout.height)
    for _ in range(20):
        start = cells[chance.integers(len(cells))]
        goals = [cells[k] for k in chance.integers(len(cells), size=chance.integers(1, 5))]
        steps = oracle.steps_between(game, start)
        work.goals[: len(goals)] = [x * layout.height + y for x, y in goals]
        n_steps, direction = nearest_goal(
            layout.maze, work, start[0] * layout.height + start[1], len(goals)
        )
        ways = [steps[goal] for goal in goals if goal in steps]
        if not ways:
            assert (n_steps, direction) == (UNREACHABLE, NO_DIRECTION)
            continue
        assert n_steps == min(ways)
        if n_steps == 0:
            assert direction == NO_DIRECTION
            continue
        after = rules.moved(start, rules.LETTERS[direction], 1)
        left = oracle.steps_between(game, after)
        assert min(left[goal] for goal in goals if goal in left) == n_steps - 1
    assert nearest_goal(layout.maze, work, layout.maze.pacman, 0) == (UNREACHABLE, NO_DIRECTION)


def test_food_first_and_ghosts_when_they_are_near() -> None:
    """Food is in the west of the lower row, a capsule in the east.

    The way up, to the ghosts, is in the middle.
    """
    agent = PacmanAStar(danger=3, layout=PAIR)
    world = World.start(PAIR, 0)
    assert agent.act(world).action == W, "both ghosts are five steps away"
    put(world, 0, 2, 1)
    assert agent.act(world).action == N, "east is as far from it, and as far from food: the first"
    assert PacmanAStar(danger=1, layout=PAIR).act(world).action == W
    put(world, 0, 2, 1, timer=1)
    assert agent.act(world).action == W, "a scared one does not count"
    put(world, 0, 4, 2)
    put_pacman(world, 4, 1)
    put_food(world, (7, 1))
    assert agent.act(world).action == E, "away on both sides: to where the food is"
    put_food(world, (1, 1))
    assert agent.act(world).action == W
    assert np.isnan(agent.act(world).values).all()


def test_a_ghost_behind_walls_is_no_danger() -> None:
    world = World.start(CHAMBER, 0)
    put(world, 0, 5, 2)
    put_pacman(world, 3, 2)
    put_food(world, (3, 3))
    assert PacmanAStar(danger=4096, layout=CHAMBER).act(world).action == N
