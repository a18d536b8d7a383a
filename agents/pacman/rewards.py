"""What it is worth to Pacman to be in a cell, as the report's agent sees it: food draws, ghosts repel from afar.

Notation
--------
===========  =======================================================================================
s            a state: a cell without a wall, numbered as in :mod:`agents.pacman.maze_mdp`
R(s)         reward for being in s
d            steps from a ghost to s
r            the *radius* of the zones, 0 to 4
zone         of a ghost: the cells with d ≤ r; it is worth −500 at the ghost (d = 0), −300, −200, −100, −50 from 1 to 4
===========  =======================================================================================

Each cell has one *status*, and its reward by it: ghost −500, ghost zone −300 to −50, food +10, open −1. Where zones
overlap, the ghosts' own cells among them, their rewards add up (the report's figure 1b).

Readings, where the report leaves a choice:

*   **Food in a zone.** Its status is that of the zone, so by default the sum of the zones stands alone: "it floods too
    many states with low ghost rewards, overwriting the food utility" (§3.1.1). :attr:`InZone.ADDED` is the other
    reading: what lies there, +10 or −1, is added to the sum.
*   **Capsules** are not among the statuses: the cell is open, −1, unless another reward is given.
*   **Scared ghosts** have neither a zone nor −500: the cell is what it is without them.
*   **Steps** are counted by Manhattan distance, through walls (figure 1); :attr:`Distance.MAZE` counts those of a true way.

A ghost between two cells has no zone whose centre would be in question: none but scared ones get there.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a Non-Deterministic
World* (2018), §2.1.1, §2.3 and §2.4.4.
"""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from agents.mdp.kernels import Floats, Indices
from agents.pacman.maze_mdp import MazeMotion
from engine.jit import Integer, kernel
from engine.pacman import Layout
from engine.pacman.maze import Maze, steps_from
from engine.pacman.state import TIMER, State, X, Y

FOOD_REWARD = 10.0
OPEN_REWARD = -1.0
ZONE_REWARDS = (-500.0, -300.0, -200.0, -100.0, -50.0)
"""By steps from the ghost."""

LARGEST_RADIUS = len(ZONE_REWARDS) - 1


class Distance(StrEnum):
    """How steps from a ghost are counted."""

    MANHATTAN = "manhattan"
    """As if there were no walls."""
    MAZE = "maze"
    """Along the shortest way through the maze."""


class InZone(StrEnum):
    """What becomes of the reward of what lies in a zone's cell."""

    OVERWRITTEN = "overwritten"
    """The sum of the zones stands in its place."""
    ADDED = "added"
    """It is added to the sum of the zones."""


class Near(NamedTuple):
    """The states around each state, as kernels take them.

    Attributes
    ----------
    first : int64, shape (n_states + 1,)
        Where those around each state begin.
    state : int64, shape (n_near,)
        States up to the largest radius away, the state itself first.
    steps : int64, shape (n_near,)
        Steps to them, in ascending order.
    """

    first: Indices
    state: Indices
    steps: Indices


def near_states(layout: Layout, motion: MazeMotion, distance: Distance) -> Near:
    """List the states around each state of a maze."""
    x, y = np.divmod(motion.cell_of, layout.height)
    states, steps = [], []
    for state, cell in enumerate(motion.cell_of):
        if distance is Distance.MAZE:
            away = steps_from(layout.maze, np.array([cell]))[motion.cell_of]
        else:
            away = abs(x - x[state]) + abs(y - y[state])
        around = np.flatnonzero((away >= 0) & (away <= LARGEST_RADIUS))
        around = around[np.argsort(away[around], kind="stable")]
        states.append(around)
        steps.append(away[around])
    first = np.cumsum([0] + [len(around) for around in states])
    return Near(first, np.concatenate(states), np.concatenate(steps))


@kernel
def put_rewards(
    near: Near,
    cell_of: Indices,
    state_of: Indices,
    maze: Maze,
    state: State,
    radius: Integer,
    added: bool,
    capsule_reward: float,
    rewards: Floats,
) -> None:
    """Write R of every state. It allocates nothing.

    Parameters
    ----------
    near : Near
        The states around each state.
    cell_of, state_of : int64, shape (n_states,) and (n_cells,)
        As in :class:`agents.pacman.maze_mdp.MazeMotion`.
    maze : Maze
        The maze.
    state : State
        How the game stands.
    radius : int
        r.
    added : bool
        Whether what lies in a zone adds to it, else the zone stands alone.
    capsule_reward : float
        R of a cell with a capsule in no zone.
    rewards : float64, shape (n_states,)
        Written to.
    """
    for s in range(len(rewards)):
        rewards[s] = 0.0
    for i in range(len(state.ghosts)):
        if state.ghosts[i, TIMER] > 0:
            continue
        centre = state_of[(state.ghosts[i, X] >> 1) * maze.height + (state.ghosts[i, Y] >> 1)]
        for j in range(near.first[centre], near.first[centre + 1]):
            if near.steps[j] > radius:
                break
            rewards[near.state[j]] += ZONE_REWARDS[near.steps[j]]
    for s in range(len(rewards)):
        # No zone is worth 0, and no sum of them.
        if added or rewards[s] == 0.0:
            cell = cell_of[s]
            if state.food[cell]:
                rewards[s] += FOOD_REWARD
            elif state.capsules[cell]:
                rewards[s] += capsule_reward
            else:
                rewards[s] += OPEN_REWARD
