"""Dispatch on the class of an agent's settings, which selects the kernel that chooses actions.

An agent passes its parameters to kernels as *settings*, a NamedTuple. Its class tells agents that
decide differently apart: :func:`decides` registers the kernel that chooses actions for a class.
The loop of each game calls a function ``decide``, which is marked by :func:`dispatch_on_settings`.
Compiled code calls the registered kernel instead of ``decide``, so the loop is compiled once for
each class of settings.

One could also pass the deciding kernel to the loop as an argument. But a process would not find a
loop compiled for such an argument in numba's cache, and would compile the loop again. Cached code
is used as long as the code in ``engine/`` and ``agents/`` does not change (:mod:`engine.jit`).
A change elsewhere would not be noticed, so a deciding kernel must be in one of these folders.
"""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global

Settings = tuple[Any, ...]
"""A NamedTuple with an agent's parameters, in the form that kernels take, and its work arrays."""

F = TypeVar("F", bound=Callable[..., Any])

Kernels = dict[type[Settings], Callable[..., Any]]
"""The kernel of each class of settings."""

KERNELS: Kernels = {}
"""The kernels that choose actions."""


def decides(settings_class: type[Settings], kernels: Kernels = KERNELS) -> Callable[[F], F]:
    """Return a decorator that registers a kernel for a class of settings in ``kernels``.

    The kernel must have the same arguments, with the settings first, and the same results as the
    marked function, such as its game's ``decide``. ValueError if another class has the same name:
    numba distinguishes classes with the same fields only by name, so it would use the first class's
    kernel for both.
    """
    if settings_class.__name__ in {each.__name__ for each in kernels}:
        raise ValueError(f"settings must have an unused class name (got {settings_class.__name__})")

    def register(function: F) -> F:
        kernels[settings_class] = function
        return function

    return register


def find_kernel(settings: Settings) -> Callable[..., Any]:
    """Return the deciding kernel, for calls from Python; KeyError if these settings have none."""
    name = type(settings).__name__
    if type(settings) not in KERNELS:
        raise KeyError(
            f"no kernel decides for settings of class {name}; register one with @decides({name})"
        )
    return KERNELS[type(settings)]


class DispatchInKernels(AbstractTemplate):  # type: ignore[misc]
    """Tells numba the types of a kernel's call to a marked function.

    ``numba.extending.overload`` would put one more function between the kernel that calls and the
    deciding kernel. The code of this function would be as large as that of the deciding kernel, and
    would be compiled again with each kernel that calls it.
    """

    kernels: ClassVar[Kernels]

    def kernel_of_type(self, settings: types.Type) -> Callable[..., Any] | None:
        """Return the kernel for settings of a numba type; None if there is none."""
        if not isinstance(settings, types.BaseNamedTuple):
            return None
        return self.kernels.get(settings.instance_class)

    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Return the signature of the call; None if there is no kernel for such settings."""
        function = self.kernel_of_type(args[0])
        return function and types.Dispatcher(function).get_call_type(self.context, args, kws)

    def get_impl_key(self, sig: Any) -> Any:
        """Return numba's key of the compiled kernel."""
        return types.Dispatcher(self.kernel_of_type(sig.args[0])).get_overload(sig)


def dispatch_on_settings(function: Callable[..., Any], kernels: Kernels = KERNELS) -> None:
    """Mark a function: kernels that call it run the kernel of its first argument's class instead.

    This cannot be a decorator: numba requires that the module already has the function as a global.
    """
    name = f"{DispatchInKernels.__name__}_{function.__name__}"
    infer_global(function)(type(name, (DispatchInKernels,), {"kernels": kernels}))
