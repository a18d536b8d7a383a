"""Mazes for turns worked out by hand, and how to move things in them.

Pacman mostly stops there, which is certain, and ghosts are mostly in corridors, without a choice.
"""

import itertools
from collections.abc import Callable

import numpy as np

from thetafront.engine.pacman import Action, Layout, World
from thetafront.engine.pacman import state as places

# Six cells in a row for one ghost, and Pacman's food out of its way.
CORRIDOR = Layout.parse("%%%%%%%%\n%P    G%\n%.%%%%%%\n%%%%%%%%", "corridor")
# Two ghosts at home in the ends of the upper corridor; Pacman below its middle.
PAIR = Layout.parse("%%%%%%%%%\n%G     G%\n%%%% %%%%\n%...P  o%\n%%%%%%%%%", "pair")
# A ghost's chamber that Pacman has no way into.
CHAMBER = Layout.parse("%%%%%%%%%\n%P..%   %\n%...% G %\n%...%   %\n%%%%%%%%%", "chamber")


def put(
    world: World, i: int, x: float, y: float, direction: Action | None = None, timer: int = 0
) -> None:
    """Move ghost ``i``."""
    heading = 4 if direction is None else int(direction)
    world.state.ghosts[i] = int(2 * x), int(2 * y), heading, timer


def put_pacman(world: World, x: int, y: int) -> None:
    world.state.tally[places.PACMAN] = x * world.layout.height + y


def put_food(world: World, *cells: tuple[int, int]) -> None:
    world.state.food[:] = False
    world.state.food[[x * world.layout.height + y for x, y in cells]] = True
    world.state.tally[places.N_FOOD] = len(cells)


def as_meant(prepared: Callable[[int], World], action: Action, to: tuple[int, int]) -> World:
    """Take an action in the first game, by seed, in which it leads where it is meant to."""
    for seed in range(200):
        world = prepared(seed)
        world.step(action)
        if world.pacman == to:
            return world
    raise AssertionError(f"no seed below 200 leads to {to}")


def running_worlds(layout: Layout, n: int) -> list[World]:
    """States of random games that are still running."""
    chance = np.random.default_rng(1)
    found: list[World] = []
    seeds = itertools.count()
    while len(found) < n:
        world = World.start(layout, next(seeds))
        for _ in range(chance.integers(1, 80)):
            if not world.is_over:
                world.step(int(chance.choice(world.open_directions)))
        if not world.is_over:
            found.append(world)
    return found
