"""The one game loop of Pacman: whoever decides, a game goes on in the same way.

An agent hands its parameters to kernels as *settings*: a NamedTuple of a class of its own, in which it also has the room
that its decisions need, so that a game allocates nothing. The class says which kernel decides, see :func:`decides`;
kernels that call :func:`decide` are compiled for each class with that kernel built in. Chosen by a type, it is found in
numba's cache by every process; a kernel that is given as an argument is not.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global

from engine.jit import Integer, kernel
from engine.pacman.maze import Maze
from engine.pacman.state import N_STEPS, OUTCOME, Outcome, Setting, State
from engine.pacman.step import step
from engine.rng import POLICY, stream

__all__ = ["Choice", "Settings", "decide", "decides", "play_on"]

Settings = tuple[Any, ...]
"""An agent's parameters and room as kernels take them: a NamedTuple of the agent's own class."""

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

F = TypeVar("F", bound=Callable[..., Choice])

DECISIONS: dict[type[Settings], Callable[..., Choice]] = {}
"""The kernel that decides, by the class of its settings."""


def decides(settings_class: type[Settings]) -> Callable[[F], F]:
    """Return a decorator for the kernel that decides by settings of this class.

    The kernel takes ``(settings, maze, state, stream)`` as :func:`decide` does, and returns a :data:`Choice`.
    """

    def register(function: F) -> F:
        DECISIONS[settings_class] = function
        return function

    return register


def decision_by(settings: types.Type) -> Callable[..., Choice] | None:
    """Return the kernel that decides by settings of a type that numba has inferred, if there is one."""
    settings_class: Any = getattr(settings, "instance_class", None)
    return DECISIONS.get(settings_class)


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
    return DECISIONS[type(settings)](settings, maze, state, stream)


class DecideInKernels(AbstractTemplate):  # type: ignore[misc]
    """What :func:`decide` is in a kernel: a call of the kernel that decides by settings of the type given."""

    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Return the signature of the call; None if no kernel decides by such settings."""
        decision = decision_by(args[0])
        return decision and types.Dispatcher(decision).get_call_type(self.context, args, kws)

    def get_impl_key(self, sig: Any) -> Any:
        """Return what numba knows the compiled kernel by."""
        return types.Dispatcher(decision_by(sig.args[0])).get_overload(sig)


infer_global(decide)(DecideInKernels)


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
