"""Pacman by a Markov decision process that is solved anew at every move.

Notation
--------
===========  =======================================================================================
s, a         a state and an action, T(s′|a) its outcomes: as in :mod:`agents.pacman.maze_mdp`, without stopping
R(s)         the reward for being in s, by food and ghosts as they are now: :mod:`agents.pacman.rewards`
γ            discount
U            values, by the report's equation 5: U(s) ← R(s) + γ·max Σ T(s′|a)·U(s′)
sweep        this, once, for all s
===========  =======================================================================================

The agent takes the ghosts to stand still and the food to stay, so a plan is good for one move; and as no state is
terminal, to be at food brings +10 at every step: as much as 10/(1 − γ) in all. At each move it begins from zeros, as the
report does, sweeps until the residual is small or enough sweeps are made, and takes the action of highest Σ T(s′|a)·U(s′)
where Pacman is.

Readings, where the report leaves a choice:

*   A sweep is **synchronous**: "using this set of utilities a new set is calculated" (§1.1.4), and its figures count such
    sweeps. By Gauss-Seidel fewer would do, but what a few of them see depends on the order of cells, and a maze
    has none. It is an option.
*   **No warm start**: a decision depends on the state of the game alone, so that any can be looked at by itself.
*   Of **equally good actions** each is equally likely. After few sweeps, far from food, all four are equal, and a fixed
    order would hold Pacman at a wall.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a Non-Deterministic
World* (2018), §1.1.3, §1.1.4 and §2.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.mdp.kernels import Floats, Indices, Tables, q_value
from agents.mdp.value_iteration import sweep_until
from agents.pacman.agent import Explanation, PacmanAgent
from agents.pacman.bounding_box import cut_outcomes, keep
from agents.pacman.loop import Choice
from agents.pacman.maze_mdp import MazeMotion
from agents.pacman.rewards import (
    LARGEST_RADIUS,
    OPEN_REWARD,
    Distance,
    InZone,
    Near,
    near_states,
    put_rewards,
)
from agents.parameters import choice, flag, integer, real
from agents.policy_dispatch import Settings, decides
from engine.jit import Integer, inlined, kernel
from engine.pacman.maze import N_DIRECTIONS, Maze
from engine.pacman.state import PACMAN, State
from engine.rng import below, next_word

# One decision in the largest maze that there is then stays below a second, and so does the answer to an interrupt.
LARGEST_MAX_SWEEPS = 5_000
LARGEST_CAPSULE_REWARD = 1000.0


class Room(NamedTuple):
    """What a decision writes to; what it leaves there explains it.

    Attributes
    ----------
    rewards : float64, shape (n_states,)
        R.
    kept, number : int64, shape (n_states,)
        The states of the map that is planned in, and the number of each state in it: see :mod:`agents.pacman.bounding_box`.
    outcome : int64, shape (n_outcomes,)
        Outcomes in a map that is cut.
    utilities, scratch : float64, shape (n_states,)
        U, by the numbers of the map; and room for a sweep.
    values : float64, shape (4,)
        R(s) + γ·Σ T(s′|a)·U(s′) of each direction where Pacman is.
    """

    rewards: Floats
    kept: Indices
    number: Indices
    outcome: Indices
    utilities: Floats
    scratch: Floats
    values: Floats


class MDPSettings(NamedTuple):
    """The agent's parameters as kernels take them, see :class:`PacmanMDP`, and what goes with them.

    Attributes
    ----------
    motion : Tables
        The process in the whole maze. Its rewards, by action, are room.
    cell_of, state_of : int64, shape (n_states,) and (n_cells,)
        As in :class:`agents.pacman.maze_mdp.MazeMotion`.
    near : Near
        The states around each state.
    added : bool
        Whether ``in_zone`` is :attr:`InZone.ADDED`.
    room : Room
        What a decision writes to.
    """

    motion: Tables
    cell_of: Indices
    state_of: Indices
    near: Near
    radius: int
    added: bool
    capsule_reward: float
    tolerance: float
    max_sweeps: int
    gauss_seidel: bool
    cut: bool
    room: Room


@inlined
def any_of_the_best(values: Floats, stream: np.uint64) -> Integer:
    """Choose among the highest of four values."""
    best = values[0]
    n_best = 0
    for direction in range(N_DIRECTIONS):
        if values[direction] > best:
            best, n_best = values[direction], 0
        if values[direction] == best:
            n_best += 1
    word, _ = next_word(stream)
    left = np.int64(below(word, np.uint64(n_best)))
    for direction in range(N_DIRECTIONS):
        if values[direction] == best:
            if left == 0:
                return direction
            left -= 1
    return 0


@decides(MDPSettings)
@kernel
def mdp_choice(settings: MDPSettings, maze: Maze, state: State, stream: np.uint64) -> Choice:
    """Solve the process as it is now, and take the best action; room keeps U, R and the actions' values."""
    motion, room = settings.motion, settings.room
    put_rewards(
        settings.near,
        settings.cell_of,
        settings.state_of,
        maze,
        state,
        settings.radius,
        settings.added,
        settings.capsule_reward,
        room.rewards,
    )
    n: Integer = len(settings.cell_of)
    outcome = motion.outcome
    if settings.cut:
        n = keep(maze, state, settings.cell_of, room.kept, room.number)
        outcome = room.outcome
        cut_outcomes(motion.outcome, room.kept[:n], room.number, outcome)
    for i in range(n):
        room.utilities[i] = 0.0
        for action in range(N_DIRECTIONS * i, N_DIRECTIONS * (i + 1)):
            motion.reward[action] = room.rewards[room.kept[i]]
    tables = Tables(
        motion.first_action,
        motion.reward,
        motion.first_outcome,
        outcome,
        motion.probability,
        motion.discount,
    )
    utilities = room.utilities[:n]
    n_sweeps, residual = sweep_until(
        tables,
        utilities,
        room.scratch[:n],
        settings.tolerance,
        settings.max_sweeps,
        settings.gauss_seidel,
    )
    here = room.number[settings.state_of[state.tally[PACMAN]]]
    for direction in range(N_DIRECTIONS):
        room.values[direction] = q_value(tables, utilities, N_DIRECTIONS * here + direction)
    return any_of_the_best(room.values, stream), n_sweeps, n_sweeps * n, residual


@dataclass(frozen=True)
class PacmanMDP(PacmanAgent):
    """Plans by value iteration at every move.

    Parameters
    ----------
    gamma : float
        γ, above 0 and up to 1.
    radius : int
        How many steps a ghost's zone reaches, 0 to 4.
    tolerance : float
        The residual that ends the sweeps, 0 or more and finite.
    max_sweeps : int
        How many there are at most, 1 to 5,000.
    distance : Distance
        How steps from a ghost are counted.
    in_zone : InZone
        What becomes of the reward of food in a zone.
    capsule_reward : float
        R of a cell with a capsule; −1, as for any open cell, unless given.
    gauss_seidel : bool
        Whether a backup sees those of its own sweep.
    cut : bool
        Whether to plan in a smaller map: see :mod:`agents.pacman.bounding_box`.
    layout, ghosts, most_steps
        As for :class:`agents.pacman.agent.PacmanAgent`.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> game = PacmanMDP(gamma=0.9, radius=2).play(seed=1)
    >>> game.n_backups == game.n_sweeps * 19  # cells without a wall
    True
    """

    name: ClassVar[str] = "pacman_mdp"

    gamma: float = real(0.9, 0, 1, open_low=True)
    radius: int = integer(2, 0, LARGEST_RADIUS)
    tolerance: float = real(0.1, 0)
    max_sweeps: int = integer(1000, 1, LARGEST_MAX_SWEEPS)
    distance: Distance = choice(Distance.MANHATTAN)
    in_zone: InZone = choice(InZone.OVERWRITTEN)
    capsule_reward: float = real(OPEN_REWARD, -LARGEST_CAPSULE_REWARD, LARGEST_CAPSULE_REWARD)
    gauss_seidel: bool = flag()
    cut: bool = flag()

    @cached_property
    def motion(self) -> MazeMotion:
        """Where actions lead in the maze."""
        return MazeMotion.of(self.layout)

    @cached_property
    def near(self) -> Near:
        """The states around each state."""
        return near_states(self.layout, self.motion, self.distance)

    def new_settings(self) -> MDPSettings:
        motion = self.motion
        n = motion.n_states
        room = Room(
            np.zeros(n),
            np.arange(n),
            np.arange(n),
            np.zeros_like(motion.outcome),
            np.zeros(n),
            np.zeros(n),
            np.zeros(N_DIRECTIONS),
        )
        return MDPSettings(
            motion.tables(np.zeros(n), self.gamma),
            motion.cell_of,
            motion.state_of,
            self.near,
            int(self.radius),
            self.in_zone == InZone.ADDED,
            float(self.capsule_reward),
            float(self.tolerance),
            int(self.max_sweeps),
            bool(self.gauss_seidel),
            bool(self.cut),
            room,
        )

    def explain(self, settings: Settings) -> Explanation:
        assert isinstance(settings, MDPSettings)
        room = settings.room
        planned = room.number >= 0
        utilities = np.full(len(room.number), np.nan)
        utilities[planned] = room.utilities[room.number[planned]]
        return Explanation(
            room.values.copy(), self.on_the_map(utilities), self.on_the_map(room.rewards)
        )

    def on_the_map(self, by_state: Floats) -> npt.NDArray[np.float64]:
        """Lay out what each state has, shape (width, height), NaN at walls."""
        by_cell = np.full(len(self.motion.state_of), np.nan)
        by_cell[self.motion.cell_of] = by_state
        return by_cell.reshape(self.layout.width, self.layout.height)
