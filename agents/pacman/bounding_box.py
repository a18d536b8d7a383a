"""A smaller map for Pacman's plan: the bounding box of food, ghosts and Pacman, with a margin.

Verghese's report sets the edges of its map "slightly larger than the minimum and maximum location
of either food, ghosts or Pacman" (§2.2). We take "slightly" to mean one cell. Scared ghosts count
as ghosts; capsules, which the report does not name, do not count. Cells outside the box are treated
as walls: an action that would lead there leaves Pacman where he is. The states of the smaller map
get new numbers, in the same order.

Source: Verghese (2018), §2.2; see :mod:`agents.pacman.mdp`.
"""

from thetafront.agents.mdp.kernels import Indices
from thetafront.agents.pacman.maze_mdp import NO_STATE
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.pacman.maze import Maze
from thetafront.engine.pacman.state import PACMAN, State, X, Y


@inlined
def box(maze: Maze, state: State) -> tuple[Integer, Integer, Integer, Integer]:
    """Return the least and greatest x and the least and greatest y of food, ghosts and Pacman."""
    pacman = state.tally[PACMAN]
    west = east = pacman // maze.height
    south = north = pacman % maze.height
    for cell in range(len(state.food)):
        if state.food[cell]:
            x, y = cell // maze.height, cell % maze.height
            west, east = min(west, x), max(east, x)
            south, north = min(south, y), max(north, y)
    for i in range(len(state.ghosts)):
        x, y = state.ghosts[i, X], state.ghosts[i, Y]
        # A ghost between two cells counts in both.
        west, east = min(west, x >> 1), max(east, (x + 1) >> 1)
        south, north = min(south, y >> 1), max(north, (y + 1) >> 1)
    return west, east, south, north


@kernel
def keep(maze: Maze, state: State, cell_of: Indices, kept: Indices, number: Indices) -> Integer:
    """Choose the states of the smaller map; return their number.

    ``kept`` receives these states. ``number`` receives the new number of each state of the maze, or
    NO_STATE outside the smaller map. Both have shape (n_states,). ``cell_of`` is the array of
    :class:`agents.pacman.maze_mdp.MazeMotion`.
    """
    west, east, south, north = box(maze, state)
    n_kept = 0
    for s in range(len(cell_of)):
        x, y = cell_of[s] // maze.height, cell_of[s] % maze.height
        if west - 1 <= x <= east + 1 and south - 1 <= y <= north + 1:
            kept[n_kept] = s
            number[s] = n_kept
            n_kept += 1
        else:
            number[s] = NO_STATE
    return n_kept


@kernel
def cut_outcomes(outcome: Indices, kept: Indices, number: Indices, cut: Indices) -> None:
    """Write the outcomes of the kept states, with new numbers, to the start of ``cut``.

    ``outcome`` has the outcomes in the whole maze; each state has the same number of outcomes.
    ``cut`` has the same shape as ``outcome``.
    """
    by_state = len(outcome) // len(number)
    for i in range(len(kept)):
        for j in range(by_state):
            after = number[outcome[kept[i] * by_state + j]]
            cut[i * by_state + j] = i if after == NO_STATE else after
