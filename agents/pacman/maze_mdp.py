"""Pacman's motion through a maze as a finite MDP: where actions lead, and with which probabilities.

Notation
--------
===========  ===================================================================================
s            a state: a cell without a wall; states are numbered in the order of cells
a            an action in a state: number 4·s + d for direction d
p            probability that Pacman moves as chosen, 0.8 in Verghese's report
T(s′|a)      probability of s′: p for the cell ahead, (1 − p)/2 for the cell to the left, (1 − p)/2
             for the cell to the right, in this order. If one of these is a wall, s′ is s itself
R(s)         reward for being in a state
===========  ===================================================================================

The arrays are those of :mod:`agents.mdp.kernels`, where rewards belong to actions. Each action of s
gets R(s), so a backup is U(s) = R(s) + γ·max Σ T(s′|a)·U(s′), the report's equation 4.

Food and ghosts matter only through R. No state is terminal. Every action has exactly three
outcomes, which do not depend on R. If there are walls on both sides, two of the outcomes are s.

Source: Verghese (2018), §2.4.1 to §2.4.3; see :mod:`agents.pacman.mdp`.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from thetafront.agents.mdp.kernels import Indices, Tables
from thetafront.engine.pacman import Layout
from thetafront.engine.pacman.maze import N_DIRECTIONS
from thetafront.engine.pacman.motion import P_CHOSEN, p_side

NO_STATE = -1
"""The state number of a wall."""

SLIPS = (0, 3, 1)
"""What to add to a direction, mod 4, to go ahead, to the left and to the right."""


@dataclass(frozen=True, eq=False)
class MazeMotion:
    """Where actions lead in one maze, built by :func:`maze_motion`."""

    cell_of: Indices  # (n_states,): the cell of each state
    state_of: Indices  # (n_cells,): the state of each cell; NO_STATE at a wall
    tables: Tables  # the MDP without a discount, with rewards of 0

    @property
    def n_states(self) -> int:
        """Number of cells without a wall."""
        return len(self.cell_of)


@lru_cache(maxsize=64)
def maze_motion(layout: Layout, p_chosen: float = P_CHOSEN) -> MazeMotion:
    """Return the motion in a maze, given p.

    For p = 0 and p = 1, outcomes with probability 0 are kept, so every action has three outcomes.
    """
    cell_of = np.flatnonzero(~layout.walls.ravel())
    state_of = np.full(len(layout.maze.after), NO_STATE)
    state_of[cell_of] = np.arange(len(cell_of))
    directions = (np.arange(N_DIRECTIONS)[:, None] + np.array(SLIPS)) % N_DIRECTIONS
    n_actions = N_DIRECTIONS * len(cell_of)
    tables = Tables(
        first_action=np.arange(0, n_actions + 1, N_DIRECTIONS),
        reward=np.zeros(n_actions),
        first_outcome=np.arange(n_actions + 1) * len(SLIPS),
        outcome=state_of[layout.maze.after[cell_of][:, directions.ravel()]].ravel(),
        probability=np.tile([p_chosen, *[p_side(p_chosen)] * 2], n_actions),
        discount=1.0,
    )
    return MazeMotion(cell_of, state_of, tables)
