"""The rewards of cells: food attracts Pacman, and ghosts repel him from a distance.

The rewards follow Verghese's report.

Notation
--------
===========  ===================================================================================
s            a state: a cell without a wall, numbered as in :mod:`agents.pacman.maze_mdp`
R(s)         reward for being in s
d            steps from a ghost to s
r            the *radius* of the zones, 0 to 4
zone         the cells with d ≤ r around a ghost. The zone's reward is −500 at the ghost (d = 0),
             and −300, −200, −100, −50 for d = 1 to 4
===========  ===================================================================================

Each cell has one *status*, which decides its reward: ghost −500, ghost zone −300 to −50, food +10,
open −1. Where zones overlap, their rewards are added up, also in a ghost's own cell (the report's
figure 1b).

Our readings where the report leaves a choice:

*   **Food in a zone** has the status of the zone. By default the sum of the zones' rewards replaces
    that of food: "it floods too many states with low ghost rewards, overwriting the food utility"
    (§3.1.1). With :attr:`InZone.ADDED`, the reward without zones, +10 or −1, is added to the sum.
*   **A route** (§4): the report suggests rewarding a shortest path to the nearest food. Each cell
    of the path except Pacman's gets an extra reward on top of +10 or −1. A zone overwrites this
    extra reward, as it overwrites the reward of food. The report gives no amount; our default is 0,
    which means no route.
*   **Capsules** have no status: a cell with a capsule is open (−1) unless another reward is given.
*   **Scared ghosts** have no zone and no −500: rewards are as if these ghosts were not there.
*   **Steps** are counted by Manhattan distance, through walls (figure 1); :attr:`Distance.MAZE`
    counts them along the shortest path.

Only scared ghosts, which have no zone, can be between two cells. So a zone's centre is a cell.

Source: Verghese (2018), §2.1.1, §2.3, §2.4.4 and §4; see :mod:`agents.pacman.mdp`.
"""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from thetafront.agents.mdp.kernels import Floats, Indices
from thetafront.agents.pacman.maze_mdp import maze_motion
from thetafront.agents.pacman.shortest_path import SearchArrays, search, seek_food, step_back
from thetafront.engine.jit import kernel
from thetafront.engine.pacman import Layout
from thetafront.engine.pacman.maze import N_DIRECTIONS, Maze
from thetafront.engine.pacman.state import PACMAN, TIMER, State, X, Y

FOOD_REWARD = 10.0
OPEN_REWARD = -1.0
ZONE_REWARDS = (-500.0, -300.0, -200.0, -100.0, -50.0)
"""The rewards of a zone, by the number of steps from the ghost."""

MAX_RADIUS = len(ZONE_REWARDS) - 1


class Distance(StrEnum):
    """How steps from a ghost are counted."""

    MANHATTAN = "manhattan"
    """As if there were no walls."""
    MAZE = "maze"
    """Along the shortest path through the maze."""


class InZone(StrEnum):
    """How a zone changes the reward of a cell."""

    OVERWRITTEN = "overwritten"
    """The sum of the zones' rewards replaces the cell's reward."""
    ADDED = "added"
    """The sum of the zones' rewards is added to the cell's reward."""


class Near(NamedTuple):
    """The states around each state, in the form that kernels take."""

    first: Indices  # (n_states + 1,): the first entry of each state
    state: Indices  # (n_near,): states within the largest radius, the state itself first
    steps: Indices  # (n_near,): steps to these states, in ascending order for each state


@lru_cache(maxsize=8)
def near_states(layout: Layout, distance: Distance) -> Near:
    """List the states around each state of a maze."""
    motion = maze_motion(layout)
    n = motion.n_states
    if distance is Distance.MAZE:
        neighbours = motion.state_of[layout.maze.after[motion.cell_of, :N_DIRECTIONS]]
        near = np.eye(n, dtype=np.bool_)
        away = np.where(near, np.int8(0), np.int8(MAX_RADIUS + 1))
        for steps in range(1, MAX_RADIUS + 1):
            near = np.logical_or.reduce(near[neighbours], axis=1)
            away[near & (away > steps)] = steps
    else:
        x, y = np.divmod(motion.cell_of.astype(np.int16), layout.height)
        away = abs(x[:, None] - x) + abs(y[:, None] - y)
    origins, states = np.nonzero(away <= MAX_RADIUS)
    steps_away = away[origins, states].astype(np.int64)
    order = np.lexsort((steps_away, origins))  # stable
    first = np.searchsorted(origins, np.arange(n + 1))
    return Near(first, states[order], steps_away[order])


@kernel
def put_route(
    maze: Maze, state: State, state_of: Indices, reward: float, work: SearchArrays, route: Floats
) -> None:
    """Write to ``route``, shape (n_states,), the extra reward of each state.

    It is ``reward`` on a shortest path to food, and 0 elsewhere.
    """
    for s in range(len(route)):
        route[s] = 0.0
    start = state.tally[PACMAN]
    _, cell = search(maze, work, start, seek_food(state, work))
    while cell != start:
        route[state_of[cell]] = reward
        cell = step_back(maze, work, cell)


class RewardSettings(NamedTuple):
    """Everything on which rewards depend besides the state of the game."""

    near: Near
    cell_of: Indices  # (n_states,), as in `maze_mdp`
    state_of: Indices  # (n_cells,)
    radius: int
    added: bool  # whether, in a zone, the reward without zones is added to the zone's reward
    capsule_reward: float  # R of a cell with a capsule outside all zones
    route_reward: float  # what a route adds to R of its cells; 0 for no route


@kernel
def put_rewards(
    settings: RewardSettings,
    maze: Maze,
    state: State,
    work: SearchArrays,
    route: Floats,
    rewards: Floats,
) -> None:
    """Write R of every state into ``rewards``, shape (n_states,), without allocating.

    ``route``, of the same shape, must be zero at first; it receives the extra rewards of a route.
    """
    near, state_of = settings.near, settings.state_of
    if settings.route_reward > 0:
        put_route(maze, state, state_of, settings.route_reward, work, route)
    for s in range(len(rewards)):
        rewards[s] = 0.0
    for i in range(len(state.ghosts)):
        if state.ghosts[i, TIMER] > 0:
            continue
        centre = state_of[(state.ghosts[i, X] >> 1) * maze.height + (state.ghosts[i, Y] >> 1)]
        for j in range(near.first[centre], near.first[centre + 1]):
            if near.steps[j] > settings.radius:
                break
            rewards[near.state[j]] += ZONE_REWARDS[near.steps[j]]
    for s in range(len(rewards)):
        # Here rewards[s] is still the sum of the zones' rewards, which is 0 only outside zones.
        if settings.added or rewards[s] == 0.0:
            cell = settings.cell_of[s]
            rewards[s] += route[s]
            if state.food[cell]:
                rewards[s] += FOOD_REWARD
            elif state.capsules[cell]:
                rewards[s] += settings.capsule_reward
            else:
                rewards[s] += OPEN_REWARD
