"""Pacman's motion through a maze as a finite MDP: where each action leads, with which probability.

Notation
--------
===========  ===================================================================================
s            a state: a cell without a wall; states are numbered in the order of cells
a            an action in a state: number n·s + d for direction d, with n = 4, or 5 with stopping
p            probability that Pacman moves as chosen, 0.8 in the report
T(s′|a)      p for the cell ahead, (1 − p)/2 for the one to its left and right each, in this order,
             and s itself instead of a wall; 1 for s if a is to stop
R(s)         reward for being in a state
===========  ===================================================================================

The arrays are those of :mod:`agents.mdp.kernels`, where rewards belong to actions. Each action of s
gets R(s), so a backup is U(s) = R(s) + γ·max Σ T(s′|a)·U(s′), the report's equation 4.

Food and ghosts enter by R only. No state is terminal. Every direction has exactly three outcomes,
so the arrays stay the same when R changes; an action between two walls has one state twice.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018), §2.4.1 to §2.4.3.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from thetafront.agents.mdp.finite_mdp import check_discount
from thetafront.agents.mdp.kernels import Floats, Indices, Tables
from thetafront.engine.pacman import Action, Layout
from thetafront.engine.pacman.maze import N_DIRECTIONS
from thetafront.engine.pacman.motion import P_CHOSEN, p_side

NO_STATE = -1
"""The state number of a wall."""

SLIPS = (0, 3, 1)
"""Ahead, left and right, as numbers to add to a direction, mod 4."""


@dataclass(frozen=True, eq=False)
class MazeMotion:
    """Where actions lead in one maze, built by :meth:`of`.

    Attributes
    ----------
    cell_of : int64, shape (n_states,)
        The cell of each state.
    state_of : int64, shape (n_cells,)
        The state of each cell; NO_STATE at a wall.
    first_action, first_outcome, outcome, probability
        As in :class:`agents.mdp.kernels.Tables`.
    """

    cell_of: Indices
    state_of: Indices
    first_action: Indices
    first_outcome: Indices
    outcome: Indices
    probability: Floats

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, layout: Layout, *, stop: bool = False, p_chosen: float = P_CHOSEN) -> "MazeMotion":
        """Build the motion in a maze.

        Parameters
        ----------
        layout : Layout
            The maze.
        stop : bool
            Whether stopping is an action, too. The report's agent has the four directions only.
        p_chosen : float
            p. At 0 and 1 outcomes with a probability of 0 remain, so that no action has fewer.
        """
        after_by_cell = layout.maze.after
        cell_of = np.flatnonzero(~layout.walls.ravel())
        state_of = np.full(len(after_by_cell), NO_STATE)
        state_of[cell_of] = np.arange(len(cell_of))
        directions = (np.arange(N_DIRECTIONS)[:, None] + np.array(SLIPS)) % N_DIRECTIONS
        after = state_of[after_by_cell[cell_of][:, directions.ravel()]]
        probability = np.tile([p_chosen, *[p_side(p_chosen)] * 2], N_DIRECTIONS)
        n_outcomes = [len(SLIPS)] * N_DIRECTIONS
        if stop:
            after = np.hstack([after, state_of[after_by_cell[cell_of, int(Action.STOP)]][:, None]])
            probability = np.append(probability, 1.0)
            n_outcomes.append(1)
        n_states, n_actions = len(cell_of), len(n_outcomes)
        return cls(
            cell_of,
            state_of,
            np.arange(n_states + 1) * n_actions,
            np.concatenate([[0], np.cumsum(np.tile(n_outcomes, n_states))]),
            after.ravel(),
            np.tile(probability, n_states),
        )

    @property
    def n_states(self) -> int:
        """Number of cells without a wall."""
        return len(self.cell_of)

    @property
    def n_actions(self) -> int:
        """Number of actions of each state, 4 or 5."""
        return int(self.first_action[1])

    def tables(self, rewards: npt.ArrayLike, discount: float) -> Tables:
        """Return the MDP as kernels take it.

        Parameters
        ----------
        rewards : float, shape (n_states,)
            R of each state.
        discount : float
            γ, in (0, 1].

        Raises
        ------
        ValueError
            If there is not one reward for each state, or the discount is out of range.
        """
        by_state = np.asarray(rewards, np.float64)
        if by_state.shape != (self.n_states,):
            raise ValueError(
                f"rewards must have shape ({self.n_states},), one for each cell without a wall "
                f"(got {by_state.shape})"
            )
        check_discount(discount)
        return Tables(
            self.first_action,
            np.repeat(by_state, self.n_actions),
            self.first_outcome,
            self.outcome,
            self.probability,
            float(discount),
        )
