"""Who decides is chosen by the type of its settings: in kernels and in Python.

An agent hands its parameters to kernels as a *settings*: a NamedTuple of a class of its own. The class says which
kernel decides, see :func:`decides`. A game loop has a function of its own, marked by :func:`choose_by_settings`, that
hands on what it is given to that kernel; kernels that call it are compiled for each class with that kernel built in. A
kernel given as an argument would do so too, but numba does not find such code in its cache again: every process would
compile it anew. Chosen by a type, it is found.

Of that cache's files, :mod:`engine.jit` knows by the sources of ``engine/`` and ``agents/`` whether they are still
true. So a kernel that decides has to stand in ``agents/``.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global

Settings = tuple[Any, ...]
"""An agent's parameters as kernels take them, and what room they need: a NamedTuple of the agent's own class."""

F = TypeVar("F", bound=Callable[..., Any])

DECISIONS: dict[type[Settings], Callable[..., Any]] = {}
"""The kernel that decides, by the class of its settings."""


def decides(settings_class: type[Settings]) -> Callable[[F], F]:
    """Return a decorator for the kernel that decides by settings of this class.

    The kernel takes and returns what the ``decide`` of its game's loop does, settings first.
    """

    def register(function: F) -> F:
        DECISIONS[settings_class] = function
        return function

    return register


def decision_of(settings: Settings) -> Callable[..., Any]:
    """Return the kernel that decides by some settings, for Python; KeyError if there is none."""
    return DECISIONS[type(settings)]


def decision_by(settings: types.Type) -> Callable[..., Any] | None:
    """Return the kernel that decides by settings of a type that numba has inferred, if there is one."""
    if not isinstance(settings, types.BaseNamedTuple):
        return None
    return DECISIONS.get(settings.instance_class)


class DecideInKernels(AbstractTemplate):  # type: ignore[misc]
    """What a marked function is in a kernel: a call of the kernel that decides by settings of the type given.

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


def choose_by_settings(function: Callable[..., Any]) -> None:
    """Mark a module's function: in kernels, a call of it is one of the kernel that its first argument's class chooses.

    No decorator, since numba looks the function up in its module.
    """
    infer_global(function)(DecideInKernels)
