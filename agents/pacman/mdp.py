"""An agent for Pacman that solves a Markov decision process at every move.

Notation
--------
===========  ===================================================================================
s, a         a state and an action, with probabilities T(s′|a) as in :mod:`agents.pacman.maze_mdp`;
             actions are the four directions, without stopping
R(s)         reward for being in s with the present food and ghosts: :mod:`agents.pacman.rewards`
γ            discount
U            values by equation 5 of Verghese's report (see the source below):
             U(s) ← R(s) + γ·max Σ T(s′|a)·U(s′)
sweep        one such backup of all states
===========  ===================================================================================

A plan assumes that ghosts do not move and food stays, so it is used for one move only. No state is
terminal: being at food gives +10 at every step, up to 10/(1 − γ) in total. At each move, U begins
at zero, as in the report. Sweeps end when the residual (the largest change of U in a sweep) is at
most the tolerance δ, or after the maximum number of sweeps N. Pacman takes the action with the
largest Σ T(s′|a)·U(s′) in his state.

Our readings where the report leaves a choice:

*   Sweeps are **synchronous**: "using this set of utilities a new set is calculated" (§1.1.4), and
    the report's figures count such sweeps. Gauss-Seidel sweeps, which are an option, converge
    faster, but after a few of them the result depends on the order of cells.
*   **No warm start**: a decision depends only on the state of the game.
*   **Ties** are broken at random. After only a few sweeps, far from food, all four actions have the
    same value. With a fixed order of actions, Pacman would then be stuck at a wall.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018), §1.1.3, §1.1.4, §2 and §4.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import register
from thetafront.agents.mdp.kernels import Floats, Indices, Tables, q_value
from thetafront.agents.mdp.value_iteration import sweep_until
from thetafront.agents.pacman.agent import Explanation, PacmanAgent
from thetafront.agents.pacman.bounding_box import cut_outcomes, keep
from thetafront.agents.pacman.loop import PacmanDecisionTuple
from thetafront.agents.pacman.maze_mdp import MazeMotion, maze_motion
from thetafront.agents.pacman.rewards import (
    MAX_RADIUS,
    OPEN_REWARD,
    Distance,
    InZone,
    RewardSettings,
    near_states,
    put_rewards,
)
from thetafront.agents.pacman.shortest_path import SearchArrays, new_search_arrays
from thetafront.agents.parameters import Tuned, categorical, flag, integer, real
from thetafront.agents.policy_dispatch import Settings, decides
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.pacman.maze import N_DIRECTIONS, Maze
from thetafront.engine.pacman.state import PACMAN, State
from thetafront.engine.rng import any_of_four, next_word

# With so many sweeps, a decision in the largest maze takes under a second, so Ctrl-C is answered.
MAX_MAX_SWEEPS = 5_000
MAX_EXTRA_REWARD = 1000.0  # of capsules and routes


class PlanArrays(NamedTuple):
    """Work arrays of a decision, from which :meth:`PacmanMDP.explain` reads."""

    rewards: Floats  # (n_states,): R
    route: Floats  # (n_states,): the extra reward, included in R, for being on a route to food
    search: SearchArrays  # of the search for the route
    kept: Indices  # (n_states,): the states of the map for planning, see `bounding_box`
    number: Indices  # (n_states,): the number of each state in that map
    outcome: Indices  # (n_outcomes,): outcomes in a smaller map
    utilities: Floats  # (n_states,): U of each state, by its number in that map
    scratch: Floats  # (n_states,): work array of a sweep
    values: Floats  # (4,): R(s) + γ·Σ T(s′|a)·U(s′) of each direction in Pacman's state


class MDPSettings(NamedTuple):
    """The parameters of :class:`PacmanMDP` for kernels, with tables and work arrays."""

    motion: Tables  # motion in the whole maze; each decision overwrites `motion.reward`
    rewards: RewardSettings
    tolerance: float
    max_sweeps: int
    gauss_seidel: bool
    cut: bool
    work: PlanArrays


@inlined
def any_of_the_best(values: Floats, stream: np.uint64) -> Integer:
    """Draw one of the directions with the largest value."""
    best = values[0]
    tied = 0
    for direction in range(N_DIRECTIONS):
        if values[direction] > best:
            best, tied = values[direction], 0
        if values[direction] == best:
            tied |= 1 << direction
    word, _ = next_word(stream)
    return any_of_four(tied, word)


@decides(MDPSettings)
@kernel
def mdp_decision(
    settings: MDPSettings, maze: Maze, state: State, stream: np.uint64
) -> PacmanDecisionTuple:
    """Solve the MDP of the current state and take the best action."""
    motion, work = settings.motion, settings.work
    cell_of, state_of = settings.rewards.cell_of, settings.rewards.state_of
    put_rewards(settings.rewards, maze, state, work.search, work.route, work.rewards)
    n: Integer = len(cell_of)
    outcome = motion.outcome
    if settings.cut:
        n = keep(maze, state, cell_of, work.kept, work.number)
        outcome = work.outcome
        cut_outcomes(motion.outcome, work.kept[:n], work.number, outcome)
    for i in range(n):
        work.utilities[i] = 0.0
        for action in range(N_DIRECTIONS * i, N_DIRECTIONS * (i + 1)):
            motion.reward[action] = work.rewards[work.kept[i]]
    tables = Tables(
        motion.first_action,
        motion.reward,
        motion.first_outcome,
        outcome,
        motion.probability,
        motion.discount,
    )
    utilities = work.utilities[:n]
    n_sweeps, residual = sweep_until(
        tables,
        utilities,
        work.scratch[:n],
        settings.tolerance,
        settings.max_sweeps,
        settings.gauss_seidel,
    )
    here = work.number[state_of[state.tally[PACMAN]]]
    for direction in range(N_DIRECTIONS):
        work.values[direction] = q_value(tables, utilities, N_DIRECTIONS * here + direction)
    return any_of_the_best(work.values, stream), n_sweeps, n_sweeps * n, residual


@register
@dataclass(frozen=True)
class PacmanMDP(PacmanAgent):
    """Plans by value iteration at every move.

    The report's four parameters and one of ours are tuned:

    - γ, from 0.5 to 0.99. At γ = 1, sweeps would not converge: being at food gives a reward at
      every step, so values would have no limit.
    - the ghost radius r, from 0 (the ghost's own cell) to 4 (the largest distance for which the
      report has a reward).
    - the tolerance δ, from 0.001 to 10 (the reward of food). The report uses 0.1 and 0.2.
    - the maximum number of sweeps N, from 1 to 100. With one sweep, Pacman sees only the next cell;
      100 is more than the length of any shortest path in the mazes.
    - how the distance to a ghost is measured: by Manhattan distance (as in the report), which
      ignores walls; or by distance in the maze, with which Pacman wins more games
      (``results/reference/pacman_report``).

    :mod:`agents.pacman.rewards` defines the rewards of cells.

    Examples
    --------
    >>> game = PacmanMDP(gamma=0.9, radius=2).play(seed=1)
    >>> game.n_backups == game.n_sweeps * 19  # the maze has 19 cells without a wall
    True
    """

    name: ClassVar[str] = "pacman_mdp"

    gamma: float = real(
        0.9, 0, 1, "discount: how much the future counts", "γ", Tuned(0.5, 0.99), open_low=True
    )
    radius: int = integer(
        2, 0, MAX_RADIUS, "cells within this many steps of a ghost are avoided", "r", Tuned(0, 4)
    )
    tolerance: float = real(
        0.1,
        0,
        description="planning stops when no value changes by more than this",
        symbol="δ",
        tuned=Tuned(0.001, 10.0, log=True),
    )
    max_sweeps: int = integer(
        1000,
        1,
        MAX_MAX_SWEEPS,
        "planning stops after this many sweeps",
        "N",
        Tuned(1, 100, log=True),
    )
    distance: Distance = categorical(
        Distance.MANHATTAN, "how the distance to a ghost is measured", "steps", tuned=True
    )
    in_zone: InZone = categorical(
        InZone.OVERWRITTEN, "whether a ghost's penalty replaces food's reward or is added to it"
    )
    capsule_reward: float = real(
        OPEN_REWARD,
        -MAX_EXTRA_REWARD,
        MAX_EXTRA_REWARD,
        "reward for a cell with a capsule; by default, an empty cell's",
    )
    gauss_seidel: bool = flag(
        False, "whether a sweep uses the values it has just computed (Gauss-Seidel)"
    )
    cut: bool = flag(False, "whether to plan only in a box around Pacman, ghosts and food")
    route_reward: float = real(
        0.0,
        0,
        MAX_EXTRA_REWARD,
        "extra reward for cells on a shortest path to food",
        later=True,
    )

    @property
    def motion(self) -> MazeMotion:
        """Where actions lead in the maze."""
        return maze_motion(self.layout, self.p_chosen)

    def new_settings(self) -> MDPSettings:
        motion = self.motion
        n = motion.n_states
        work = PlanArrays(
            np.zeros(n),
            np.zeros(n),
            new_search_arrays(len(motion.state_of)),
            np.arange(n),
            np.arange(n),
            np.zeros_like(motion.tables.outcome),
            np.zeros(n),
            np.zeros(n),
            np.zeros(N_DIRECTIONS),
        )
        return MDPSettings(
            motion.tables._replace(reward=np.zeros(N_DIRECTIONS * n), discount=self.gamma),
            RewardSettings(
                near_states(self.layout, self.distance),
                motion.cell_of,
                motion.state_of,
                self.radius,
                self.in_zone == InZone.ADDED,
                self.capsule_reward,
                self.route_reward,
            ),
            self.tolerance,
            self.max_sweeps,
            self.gauss_seidel,
            self.cut,
            work,
        )

    def explain(self, settings: Settings) -> Explanation:
        assert isinstance(settings, MDPSettings)
        work = settings.work
        planned = work.number >= 0
        utilities = np.full(len(work.number), np.nan)
        utilities[planned] = work.utilities[work.number[planned]]
        return work.values.copy(), self.on_the_map(utilities), self.on_the_map(work.rewards)

    def on_the_map(self, by_state: Floats) -> npt.NDArray[np.float64]:
        """Return a quantity of each state as an array of shape (width, height), NaN at walls."""
        by_cell = np.full(len(self.motion.state_of), np.nan)
        by_cell[self.motion.cell_of] = by_state
        return by_cell.reshape(self.layout.width, self.layout.height)
