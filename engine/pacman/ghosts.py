"""How a ghost moves.

A ghost moves one cell per turn, or half a cell while it is scared. Between two cells, it continues
in its direction. In a cell, it considers the directions that no wall blocks; it reverses only if
there is no other direction, and it never stops. A ``random`` ghost takes each considered direction
with equal probability. With probability 0.8, a ``directional`` ghost takes the considered direction
that leads closest to Pacman in Manhattan distance, or farthest from him if the ghost is scared.
Otherwise it chooses as a ``random`` ghost does.

Our readings where the rules leave a choice:

- Directions that lead equally close to Pacman are equally likely.
- The random choice of a ``directional`` ghost (probability 0.2) includes the closest directions.
- A ghost that is walled in stays where it is.
- A ghost's timer, the number of moves for which it is still scared, is counted down after each of
  its moves.
- A ghost that is between two cells when its scare ends goes to the cell to the east or north.

Each ghost uses one random word per turn, even if it has no choice. The low 32 bits choose among
directions, and the high 32 bits decide whether only the closest directions are considered.
"""

import numpy as np

from thetafront.engine.jit import Integer, inlined
from thetafront.engine.pacman.maze import DX, DY, N_DIRECTIONS, NO_DIRECTION, Maze
from thetafront.engine.pacman.state import DIRECTION, PACMAN, TIMER, State, X, Y
from thetafront.engine.rng import any_of_four

CLOSEST = np.uint64(round(0.8 * 2**32))


@inlined
def best_directions(
    directions: Integer, x: Integer, y: Integer, pacman_x: Integer, pacman_y: Integer, sign: Integer
) -> Integer:
    """Return the directions that lead closest to Pacman, or farthest if ``sign`` is −1.

    Distances are those after a move of one cell. A scared ghost moves only half a cell, but the
    same directions are best: both Pacman and a ghost that can choose are in cells, so each distance
    changes half as much as with a whole cell.
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
    """Choose the direction of ghost ``i``; NO_DIRECTION, which is 4, if it is walled in."""
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
    if directional and (word >> np.uint64(32)) < CLOSEST:
        pacman = state.tally[PACMAN]
        pacman_x, pacman_y = 2 * (pacman // maze.height), 2 * (pacman % maze.height)
        sign = -1 if ghosts[i, TIMER] > 0 else 1
        directions = best_directions(directions, x, y, pacman_x, pacman_y, sign)
    return any_of_four(directions, word)


@inlined
def move_ghost(maze: Maze, state: State, i: Integer, word: np.uint64, directional: bool) -> None:
    """Move ghost ``i``, and count down its timer if it is scared."""
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
    """Put ghost ``i`` at its start, not scared and without a direction."""
    state.ghosts[i, X] = maze.ghosts[i, 0]
    state.ghosts[i, Y] = maze.ghosts[i, 1]
    state.ghosts[i, DIRECTION] = NO_DIRECTION
    state.ghosts[i, TIMER] = 0
