"""Pacman by search: the shortest way to the nearest food, and away from a ghost that is near.

The report compares its agent with "an A* food search and ghost survival mechanism" (§3.2), and says no more of it. Ours:

*   **Food**: the first step of a shortest way to the nearest food, by A* (:mod:`agents.pacman.shortest_path`), as though every
    action led where it is meant to and ghosts stood nowhere.
*   **Survival**: if a ghost that is not scared is within ``danger`` steps of a true way, the open direction whose end is
    farthest from the nearest such ghost; of equals, the one nearest to food, and of these the first of north, east,
    south, west. A ghost that no way leads from is no danger.

Scared ghosts and capsules are left alone: what of them lies on the way is eaten. Nothing is left to chance.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a Non-Deterministic
World* (2018), §3.2.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.pacman.agent import PacmanAgent
from agents.pacman.loop import Choice
from agents.pacman.shortest_path import SearchRoom, nearest_goal, new_room
from agents.parameters import integer
from agents.policy_dispatch import Settings, decides
from engine.jit import Integer, inlined, kernel
from engine.pacman.maze import N_DIRECTIONS, NO_DIRECTION, UNREACHABLE, Action, Maze
from engine.pacman.state import PACMAN, TIMER, State, X, Y

LARGEST_DANGER = 4096
STOP = int(Action.STOP)


class AStarSettings(NamedTuple):
    """The agent's parameter as kernels take it, see :class:`PacmanAStar`, and room to search in."""

    danger: int
    room: SearchRoom


@inlined
def seek_ghosts(maze: Maze, state: State, room: SearchRoom) -> Integer:
    """Make the ghosts that are not scared the goals; returns how many there are. They all stand in cells."""
    n: Integer = 0
    for i in range(len(state.ghosts)):
        if state.ghosts[i, TIMER] == 0:
            room.goals[n] = (state.ghosts[i, X] >> 1) * maze.height + (state.ghosts[i, Y] >> 1)
            n += 1
    return n


@inlined
def seek_food(state: State, room: SearchRoom) -> Integer:
    """Make all food the goals; returns how much there is."""
    n = 0
    for cell in range(len(state.food)):
        if state.food[cell]:
            room.goals[n] = cell
            n += 1
    return n


@inlined
def away_from_ghosts(maze: Maze, state: State, room: SearchRoom) -> Integer:
    """Choose the direction that leads farthest from the nearest ghost; to stop, if Pacman is walled in."""
    pacman = state.tally[PACMAN]
    best: Integer = STOP
    most: Integer = 0
    least: Integer = 0
    for direction in range(N_DIRECTIONS):
        if maze.open_directions[pacman] >> direction & 1:
            after = maze.after[pacman, direction]
            from_ghost, _ = nearest_goal(maze, room, after, seek_ghosts(maze, state, room))
            to_food, _ = nearest_goal(maze, room, after, seek_food(state, room))
            if best == STOP or from_ghost > most or (from_ghost == most and to_food < least):
                best, most, least = direction, from_ghost, to_food
    return best


@decides(AStarSettings)
@kernel
def astar_choice(settings: AStarSettings, maze: Maze, state: State, stream: np.uint64) -> Choice:
    """Go for the nearest food, or away from the nearest ghost."""
    room, pacman = settings.room, state.tally[PACMAN]
    if settings.danger > 0:
        steps, _ = nearest_goal(maze, room, pacman, seek_ghosts(maze, state, room))
        if steps != UNREACHABLE and steps <= settings.danger:
            return away_from_ghosts(maze, state, room), 0, 0, 0.0
    _, direction = nearest_goal(maze, room, pacman, seek_food(state, room))
    return STOP if direction == NO_DIRECTION else direction, 0, 0, 0.0


@dataclass(frozen=True)
class PacmanAStar(PacmanAgent):
    """Goes for the nearest food, and flees from ghosts that are near.

    Parameters
    ----------
    danger : int
        From how many steps it flees, 0 (never) to 4,096.
    layout, ghosts, most_steps
        As for :class:`agents.pacman.agent.PacmanAgent`.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    name: ClassVar[str] = "pacman_astar"

    danger: int = integer(4, 0, LARGEST_DANGER)

    def new_settings(self) -> Settings:
        return AStarSettings(int(self.danger), new_room(self.layout.width * self.layout.height))
