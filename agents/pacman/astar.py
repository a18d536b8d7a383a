"""An agent that searches: Pacman takes the shortest path to food, and flees from near ghosts.

Verghese's report compares its agent with "an A* food search and ghost survival mechanism" (§3.2),
but gives no details. Our details are:

*   **Food**: take the first step of a shortest path to the nearest food, found by A*
    (:mod:`agents.pacman.shortest_path`), as if actions never slipped and there were no ghosts.
*   **Survival**: if a ghost that is not scared is within ``danger`` steps along the shortest path,
    take the open direction that leads farthest from the nearest ghost that is not scared. Ties go
    to the direction that leads nearest to food, then to the first of north, east, south, west. A
    ghost without a path to Pacman is no danger.

Scared ghosts and capsules are ignored, but Pacman eats those on his path. Decisions are not random.

Source: Verghese (2018), §3.2; see :mod:`agents.pacman.mdp`.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.loop import PacmanDecisionTuple
from thetafront.agents.pacman.shortest_path import (
    SearchArrays,
    nearest_goal,
    new_search_arrays,
    seek_food,
)
from thetafront.agents.parameters import integer
from thetafront.agents.policy_dispatch import Settings, decides
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.pacman.maze import N_DIRECTIONS, NO_DIRECTION, UNREACHABLE, Action, Maze
from thetafront.engine.pacman.state import PACMAN, TIMER, State, X, Y

MAX_DANGER = 4096
STOP = int(Action.STOP)


class AStarSettings(NamedTuple):
    """The parameter of :class:`PacmanAStar` for kernels, and work arrays."""

    danger: int
    work: SearchArrays


@inlined
def seek_ghosts(maze: Maze, state: State, work: SearchArrays) -> Integer:
    """Use the cells of ghosts that are not scared as goals; return the number of goals."""
    n: Integer = 0
    for i in range(len(state.ghosts)):
        if state.ghosts[i, TIMER] == 0:
            work.goals[n] = (state.ghosts[i, X] >> 1) * maze.height + (state.ghosts[i, Y] >> 1)
            n += 1
    return n


@inlined
def away_from_ghosts(maze: Maze, state: State, work: SearchArrays) -> Integer:
    """Choose the direction that leads farthest from the nearest ghost; stop if walled in."""
    pacman = state.tally[PACMAN]
    best: Integer = STOP
    most: Integer = 0
    least: Integer = 0
    for direction in range(N_DIRECTIONS):
        if maze.open_directions[pacman] >> direction & 1:
            after = maze.after[pacman, direction]
            from_ghost, _ = nearest_goal(maze, work, after, seek_ghosts(maze, state, work))
            to_food, _ = nearest_goal(maze, work, after, seek_food(state, work))
            if best == STOP or from_ghost > most or (from_ghost == most and to_food < least):
                best, most, least = direction, from_ghost, to_food
    return best


@decides(AStarSettings)
@kernel
def astar_decision(
    settings: AStarSettings, maze: Maze, state: State, stream: np.uint64
) -> PacmanDecisionTuple:
    """Go to the nearest food, or away from the nearest ghost."""
    work, pacman = settings.work, state.tally[PACMAN]
    if settings.danger > 0:
        steps, _ = nearest_goal(maze, work, pacman, seek_ghosts(maze, state, work))
        if steps != UNREACHABLE and steps <= settings.danger:
            return away_from_ghosts(maze, state, work), 0, 0, 0.0
    _, direction = nearest_goal(maze, work, pacman, seek_food(state, work))
    return STOP if direction == NO_DIRECTION else direction, 0, 0, 0.0


@register
@dataclass(frozen=True)
class PacmanAStar(PacmanAgent):
    """Goes to the nearest food, and flees from nearby ghosts."""

    name: ClassVar[str] = "pacman_astar"

    danger: int = integer(
        4, 0, MAX_DANGER, "Pacman flees when a ghost is at most this many steps away; 0: never"
    )

    def new_settings(self) -> Settings:
        return AStarSettings(self.danger, new_search_arrays(self.layout.width * self.layout.height))
