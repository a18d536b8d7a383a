"""The one game loop of Pacman: whoever decides, a game goes on in the same way.

Who decides is chosen by the class of an agent's settings: see :mod:`agents.policy_dispatch`. In them it also has the
room that its decisions need, so that a game allocates nothing.
"""

import numpy as np

from agents.policy_dispatch import Settings, choose_by_settings, decision_of
from engine.jit import Integer, kernel
from engine.pacman.maze import Maze
from engine.pacman.state import N_STEPS, OUTCOME, Outcome, Setting, State
from engine.pacman.step import step
from engine.rng import POLICY, stream

Choice = tuple[Integer, Integer, Integer, float]
"""What a kernel that decides returns.

action : int
    0 to 4: north, east, south, west, stop.
n_sweeps : int
    Sweeps of value iteration; 0 where there are none.
n_backups : int
    States backed up in them: the exact work of a decision, the same on every machine.
residual : float
    Of the last sweep; 0 where there is none.
"""

RUNNING = int(Outcome.RUNNING)


def decide(settings: Settings, maze: Maze, state: State, stream: np.uint64) -> Choice:
    """Decide in one state of a game, by the kernel of the settings' class. Kernels may call it, and so may Python.

    Parameters
    ----------
    settings : NamedTuple
        Of a class that some kernel decides by; what is room in it is written to.
    maze : Maze
        The maze.
    state : State
        How the game stands; left as it is.
    stream : uint64
        Random stream of this decision.

    Returns
    -------
    action, n_sweeps, n_backups, residual
        See :data:`Choice`.
    """
    choice: Choice = decision_of(settings)(settings, maze, state, stream)
    return choice


choose_by_settings(decide)


@kernel
def play_on(
    settings: Settings,
    maze: Maze,
    state: State,
    setting: Setting,
    max_moves: Integer,
    max_backups: Integer,
) -> tuple[Integer, Integer, float]:
    """Play by :func:`decide` until the game is over, or enough is done for now.

    Parameters
    ----------
    settings : NamedTuple
        Who plays: of a class that some kernel decides by.
    maze : Maze
        The maze.
    state : State
        Written to: how the game stands, and then has come to stand. Its decision number t draws from the stream
        (seed, POLICY, t), as random games do.
    setting : Setting
        Seed, kind of ghosts and most steps.
    max_moves : int
        No more moves than these.
    max_backups : int
        After a decision with which so many states are backed up, no other is made.

    Returns
    -------
    n_sweeps, n_backups : int
        Made by these decisions.
    residuals : float
        Their residuals, added up.
    """
    n_sweeps: Integer = 0
    n_backups: Integer = 0
    residuals = 0.0
    tally = state.tally
    last = tally[N_STEPS] + max_moves
    while tally[OUTCOME] == RUNNING and tally[N_STEPS] < last and n_backups < max_backups:
        of_this_move = stream(setting.seed, POLICY, np.uint64(tally[N_STEPS]))
        action, sweeps, backups, residual = decide(settings, maze, state, of_this_move)
        step(maze, state, action, setting)
        n_sweeps += sweeps
        n_backups += backups
        residuals += residual
    return n_sweeps, n_backups, residuals
