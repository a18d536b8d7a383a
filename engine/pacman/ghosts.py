"""How a ghost moves.

It moves by one cell; while it is scared, by half a cell, so that it may stand between two cells. From there it goes
straight on. In a cell it looks at the directions where no wall is in the way, without the reverse of its own unless that
is the only one, and never stops.

=================  ================================================================================
``random``         each of these directions is equally likely
``directional``    with 0.8 it takes the one whose end is closest to Pacman (scared: farthest from him), in Manhattan
                   distance; else each of all of them is equally likely
=================  ================================================================================

Readings, where the rules leave a choice: among directions that are equally close each is equally likely; the 0.2 that are
left go to all directions, the closest among them; a ghost that is walled in on four sides stays where it is.

The timer counts a ghost's own moves, after they are made. With the last of them the scare ends, and a ghost between two
cells, from which both are equally near, goes to the one of higher x or y: to the east or to the north.

Each ghost takes one random word a turn, whether it has a choice or not: the low 32 bits choose among directions, the high
32 tell whether the closest are meant.
"""

import numpy as np

from engine.jit import Integer, inlined
from engine.pacman.maze import (
    DX,
    DY,
    N_DIRECTIONS,
    NO_DIRECTION,
    Maze,
    count_directions,
    kth_direction,
)
from engine.pacman.state import DIRECTION, PACMAN, TIMER, State, X, Y
from engine.rng import below

CLOSEST = np.uint64(round(0.8 * 2**32))


@inlined
def best_directions(
    directions: Integer, x: Integer, y: Integer, pacman_x: Integer, pacman_y: Integer, sign: Integer
) -> Integer:
    """Choose the directions whose ends are closest to Pacman; farthest, if ``sign`` is −1.

    One step is one half cell: which end is closest does not depend on how far a ghost goes, because Pacman and a ghost
    that chooses are both in cells.
    """
    best = 0
    best_distance = np.int64(2**62)
    for direction in range(N_DIRECTIONS):
        if directions >> direction & 1:
            east = np.int64(x + DX[direction] - pacman_x)
            north = np.int64(y + DY[direction] - pacman_y)
            distance = sign * (abs(east) + abs(north))
            if distance < best_distance:
                best, best_distance = 0, distance
            if distance == best_distance:
                best |= 1 << direction
    return best


@inlined
def choose_direction(
    maze: Maze, state: State, i: Integer, word: np.uint64, directional: bool
) -> Integer:
    """Choose where ghost ``i`` goes; NO_DIRECTION if there are walls all around it."""
    ghosts = state.ghosts
    x, y = ghosts[i, X], ghosts[i, Y]
    direction = ghosts[i, DIRECTION]
    if (x | y) & 1:
        return np.int64(direction)
    directions = maze.open_directions[(x >> 1) * maze.height + (y >> 1)]
    if direction != NO_DIRECTION:
        onward = directions & ~(1 << ((direction + 2) & 3))
        if onward:
            directions = onward
    if directions == 0:
        return NO_DIRECTION
    if directional and (word >> np.uint64(32)) < CLOSEST:
        pacman = state.tally[PACMAN]
        pacman_x, pacman_y = 2 * (pacman // maze.height), 2 * (pacman % maze.height)
        sign = -1 if ghosts[i, TIMER] > 0 else 1
        directions = best_directions(directions, x, y, pacman_x, pacman_y, sign)
    n = count_directions(directions)
    return kth_direction(directions, np.int64(below(word, np.uint64(n))))


@inlined
def move_ghost(maze: Maze, state: State, i: Integer, word: np.uint64, directional: bool) -> None:
    """Move ghost ``i``, and count the move down if it is scared."""
    ghosts = state.ghosts
    direction = choose_direction(maze, state, i, word, directional)
    ghosts[i, DIRECTION] = direction
    half_cells = 1 if ghosts[i, TIMER] > 0 else 2
    ghosts[i, X] += half_cells * DX[direction]
    ghosts[i, Y] += half_cells * DY[direction]
    if ghosts[i, TIMER] > 0:
        ghosts[i, TIMER] -= 1
        if ghosts[i, TIMER] == 0:
            ghosts[i, X] += ghosts[i, X] & 1
            ghosts[i, Y] += ghosts[i, Y] & 1


@inlined
def restart_ghost(maze: Maze, state: State, i: Integer) -> None:
    """Put ghost ``i`` back to its start: not scared, and with no direction."""
    state.ghosts[i, X] = maze.ghosts[i, 0]
    state.ghosts[i, Y] = maze.ghosts[i, 1]
    state.ghosts[i, DIRECTION] = NO_DIRECTION
    state.ghosts[i, TIMER] = 0
