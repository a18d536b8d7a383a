"""A* through a maze to the nearest of several cells, as if actions never slipped.

Notation
--------
===========  ===================================================================================
g            steps of the shortest path found so far from the start to a cell
h            Manhattan distance from a cell to the nearest goal, never more than the steps to a goal
f            g + h; the open cell with the least f is expanded next (in a tie, the one with the
             largest g)
===========  ===================================================================================

h falls by at most one from a cell to its neighbour. So the g of a cell is final when the cell is
expanded, and each cell is expanded once.

The open cells are in a binary heap of integers. Each integer holds, from its high bits to its low
bits, f, −g and the cell. If a shorter path to an open cell is found, the cell is pushed again; its
old entry is skipped when it is popped.

Source: Hart, Nilsson, Raphael, *A Formal Basis for the Heuristic Determination of Minimum Cost
Paths* (1968).
"""

from typing import NamedTuple

import numpy as np

from thetafront.agents.mdp.kernels import Indices
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.pacman.maze import N_DIRECTIONS, NO_DIRECTION, UNREACHABLE, Maze
from thetafront.engine.pacman.state import State

# Cells and steps fit in twenty bits each: a maze has at most 64 × 64 cells, and a path has no more
# steps than cells.
BITS = 20
MASK = (1 << BITS) - 1

UNSEEN = np.int64(2**62)
"""g of a cell to which no path is known so far."""
FIRST = 0


class SearchArrays(NamedTuple):
    """Work arrays of a search."""

    goals: Indices  # (n_cells,): the goals come first; `search` takes their number
    steps: Indices  # (n_cells,): g of each cell
    direction: Indices  # (n_cells,): of the step that leads into each cell
    heap: Indices  # (4·n_cells + 1,): the open cells; an expanded cell pushes at most 4


def new_search_arrays(n_cells: int) -> SearchArrays:
    """Allocate the arrays for searches in a maze."""
    return SearchArrays(
        np.zeros(n_cells, np.int64),
        np.zeros(n_cells, np.int64),
        np.zeros(n_cells, np.int64),
        np.zeros(N_DIRECTIONS * n_cells + 1, np.int64),
    )


@inlined
def push(heap: Indices, n: Integer, number: Integer) -> Integer:
    """Push a number onto a heap of ``n`` entries; return the new size of the heap."""
    place = n
    while place > FIRST and heap[(place - 1) >> 1] > number:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = number
    return n + 1


@inlined
def sink(heap: Indices, n: Integer) -> Integer:
    """Remove the first and least number from a heap of ``n`` entries; return its new size."""
    n -= 1
    number = heap[n]
    place = 0
    while 2 * place + 1 < n:
        child = 2 * place + 1
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= number:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = number
    return n


@inlined
def least_distance(maze: Maze, work: SearchArrays, n_goals: Integer, cell: Integer) -> Integer:
    """Return h of a cell."""
    least = UNSEEN
    for i in range(n_goals):
        goal = work.goals[i]
        east = abs(goal // maze.height - cell // maze.height)
        north = abs(goal % maze.height - cell % maze.height)
        least = min(least, east + north)
    return least


@inlined
def seek_food(state: State, work: SearchArrays) -> Integer:
    """Use the cells with food as goals; return the number of goals."""
    n = 0
    for cell in range(len(state.food)):
        if state.food[cell]:
            work.goals[n] = cell
            n += 1
    return n


@inlined
def step_back(maze: Maze, work: SearchArrays, cell: Integer) -> Integer:
    """Return the cell before ``cell`` on the path that a search has found."""
    return np.int64(maze.after[cell, (work.direction[cell] + 2) & 3])


@kernel
def search(
    maze: Maze, work: SearchArrays, start: Integer, n_goals: Integer
) -> tuple[Integer, Integer]:
    """Find a shortest path to the nearest of the first ``n_goals`` goals, without allocating.

    Return the length of the path and the cell of the goal; without a path, UNREACHABLE and the
    start. Repeated calls of :func:`step_back` lead from the goal to the start.
    """
    if n_goals == 0:
        return UNREACHABLE, start
    heap = work.heap
    for cell in range(len(work.steps)):
        work.steps[cell] = UNSEEN
    work.steps[start] = 0
    n = push(
        heap, 0, (least_distance(maze, work, n_goals, start) << 2 * BITS) | MASK << BITS | start
    )
    while n > 0:
        number = heap[FIRST]
        n = sink(heap, n)
        cell = number & MASK
        steps = MASK - (number >> BITS & MASK)
        if steps > work.steps[cell]:
            continue
        if number >> 2 * BITS == steps:  # h is 0
            return steps, cell
        steps += 1
        for way in range(N_DIRECTIONS):
            after = maze.after[cell, way]
            if steps < work.steps[after]:
                work.steps[after] = steps
                work.direction[after] = way
                f = steps + least_distance(maze, work, n_goals, after)
                n = push(heap, n, f << 2 * BITS | (MASK - steps) << BITS | after)
    return UNREACHABLE, start


@kernel
def nearest_goal(
    maze: Maze, work: SearchArrays, start: Integer, n_goals: Integer
) -> tuple[Integer, Integer]:
    """Find a shortest path to the nearest of the first ``n_goals`` goals.

    Return the path's length and the direction of its first step. Without a path, the length is
    UNREACHABLE. Without a step, the direction is NO_DIRECTION.
    """
    steps, cell = search(maze, work, start, n_goals)
    direction = NO_DIRECTION
    while cell != start:
        direction = work.direction[cell]
        cell = step_back(maze, work, cell)
    return steps, direction
