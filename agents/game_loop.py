"""The one game loop of 2048: whoever decides, a game goes on in the same way.

An agent hands its parameters to kernels as a *settings*: a NamedTuple of a class of its own. The class says which
kernel decides, see :func:`decides`; kernels that call :func:`decide` are compiled for each class with that kernel
built in. A kernel given as an argument would do so too, but numba does not find such code in its cache again: every
process would compile it anew. Chosen by a type, it is found.

Of that cache's files, :mod:`engine.jit` knows by the sources of ``engine/`` and ``agents/`` whether they are still
true. So a kernel that decides has to stand in ``agents/``.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global

from engine.jit import Integer, kernel
from engine.rng import SPAWN, stream
from engine.twenty48.board import afterstate, spawn
from engine.twenty48.rule import BuiltRule

__all__ = ["Choice", "Settings", "decide", "decides", "play_on"]

Settings = tuple[Any, ...]
"""An agent's parameters as kernels take them: a NamedTuple of the agent's own class."""

Choice = tuple[Integer, npt.NDArray[np.float64], Integer]
"""What a kernel that decides returns.

action : int
    The choice; -1 if no action is legal.
values : float64, shape (4,)
    Each action's value, in points from the board on; NaN where there is none.
n_playout_moves : int
    Actions taken in playouts.
"""

F = TypeVar("F", bound=Callable[..., Choice])

DECISIONS: dict[type[Settings], Callable[..., Choice]] = {}
"""The kernel that decides, by the class of its settings."""


def decides(settings_class: type[Settings]) -> Callable[[F], F]:
    """Return a decorator for the kernel that decides by settings of this class.

    The kernel takes ``(settings, board, stream, rule)`` as :func:`decide` does, and returns a :data:`Choice`.
    """

    def register(function: F) -> F:
        DECISIONS[settings_class] = function
        return function

    return register


def decision_by(settings: types.Type) -> Callable[..., Choice] | None:
    """Return the kernel that decides by settings of a type that numba has inferred, if there is one."""
    if not isinstance(settings, types.BaseNamedTuple):
        return None
    return DECISIONS.get(settings.instance_class)


def decide(settings: Settings, board: np.uint64, stream: np.uint64, rule: BuiltRule) -> Choice:
    """Decide on one board, by the kernel of the settings' class. Kernels may call it, and so may Python.

    Parameters
    ----------
    settings : NamedTuple
        Of a class that some kernel decides by.
    board : uint64
        The state.
    stream : uint64
        Random stream of this decision.
    rule : None or bool
        How tiles merge, see :mod:`engine.twenty48.rule`.

    Returns
    -------
    action, values, n_playout_moves
        See :data:`Choice`.
    """
    return DECISIONS[type(settings)](settings, board, stream, rule)


class DecideInKernels(AbstractTemplate):  # type: ignore[misc]
    """What :func:`decide` is in a kernel: a call of the kernel that decides by settings of the type given.

    ``numba.extending.overload`` would do the same with one function more between the two, as large as a decision and
    compiled each time that a kernel which calls it is.
    """

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
    purpose: np.uint64,
    board: np.uint64,
    score: Integer,
    n_moves: int,
    n_playout_moves: Integer,
    seed: np.uint64,
    max_moves: int,
    rule: BuiltRule,
) -> tuple[np.uint64, Integer, int, Integer]:
    """Play by :func:`decide` until the end, or until ``max_moves`` moves are made in all.

    Parameters
    ----------
    settings : NamedTuple
        Who plays: of a class that some kernel decides by.
    purpose : uint64
        What the random numbers of a decision are for, see :mod:`engine.rng`.
    board, score, n_moves, n_playout_moves
        The game so far: the state, points won, actions taken, and those taken in playouts.
    seed : uint64
        Names every random number of the game.
    max_moves : int
        Where to stop.
    rule : None or bool
        How tiles merge, see :mod:`engine.twenty48.rule`.

    Returns
    -------
    board, score, n_moves, n_playout_moves
        Likewise, now. ``n_moves`` is below ``max_moves`` if and only if the game is over.
    """
    while n_moves < max_moves:
        number = np.uint64(n_moves)
        action, _, n_random = decide(settings, board, stream(seed, purpose, number), rule)
        if action < 0:
            break
        after, reward = afterstate(board, action, rule)
        score += reward
        n_playout_moves += n_random
        board = spawn(after, stream(seed, SPAWN, number))
        n_moves += 1
    return board, score, n_moves, n_playout_moves
