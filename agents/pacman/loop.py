"""The game loop of Pacman, which all agents share.

The class of an agent's settings selects the kernel that decides: see :mod:`agents.policy_dispatch`.
Settings also hold the arrays that decisions need, so a game allocates nothing.
"""

import numpy as np

from thetafront.agents.policy_dispatch import Settings, dispatch_on_settings, find_kernel
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.pacman.maze import Maze
from thetafront.engine.pacman.state import N_STEPS, OUTCOME, Outcome, Setup, State
from thetafront.engine.pacman.step import step
from thetafront.engine.rng import POLICY, stream

PacmanDecisionTuple = tuple[Integer, Integer, Integer, float]
"""What a kernel that decides returns: the action (0 to 4 for north, east, south, west, stop), the
number of sweeps of value iteration, the number of state backups in these sweeps (the same on every
machine), and the residual of the last sweep. An agent without value iteration returns zeros."""

RUNNING = int(Outcome.RUNNING)


def decide(settings: Settings, maze: Maze, state: State, stream: np.uint64) -> PacmanDecisionTuple:
    """Decide in one state of a game, by the kernel for the class of ``settings``.

    Kernels and Python may call this function. It overwrites the work arrays of the settings, but
    does not change the state.
    """
    decision: PacmanDecisionTuple = find_kernel(settings)(settings, maze, state, stream)
    return decision


dispatch_on_settings(decide)


@kernel
def play_on(
    settings: Settings,
    maze: Maze,
    state: State,
    setup: Setup,
    max_moves: Integer,
    max_backups: Integer,
) -> tuple[Integer, Integer, float]:
    """Play by :func:`decide` until the game is over or a limit is reached.

    The state changes in place. The decision in turn t draws from the stream (seed, POLICY, t). A
    call makes at most ``max_moves`` moves, and begins no decision after ``max_backups`` backups.
    Return the numbers of sweeps and backups of all decisions of the call, and the sum of their
    residuals.
    """
    n_sweeps: Integer = 0
    n_backups: Integer = 0
    residuals = 0.0
    tally = state.tally
    last = tally[N_STEPS] + max_moves
    while tally[OUTCOME] == RUNNING and tally[N_STEPS] < last and n_backups < max_backups:
        of_this_move = stream(setup.seed, POLICY, np.uint64(tally[N_STEPS]))
        action, sweeps, backups, residual = decide(settings, maze, state, of_this_move)
        step(maze, state, action, setup)
        n_sweeps += sweeps
        n_backups += backups
        residuals += residual
    return n_sweeps, n_backups, residuals
