"""Values of afterstates: what is still to be won, by knowledge instead of playouts.

Knowledge is a NamedTuple of its own class: weights that were learned
(:mod:`agents.twenty48.ntuple`), or those of a heuristic. ``@values(...)`` registers the kernel that
reads it.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from thetafront.agents.policy_dispatch import Kernels, Settings, decides, dispatch_on_settings
from thetafront.engine.jit import inlined

F = TypeVar("F", bound=Callable[..., np.float32])

VALUES: Kernels = {}
"""The kernel of each class of knowledge."""


def values(knowledge_class: type[Settings]) -> Callable[[F], F]:
    """Return a decorator that registers ``(knowledge, afterstate) -> value`` for a class."""
    return decides(knowledge_class, VALUES)


def value(knowledge: Settings, afterstate: np.uint64) -> np.float32:
    """Return the value of an afterstate in points, as a float32; only kernels can call it.

    All eight symmetric boards have the same value.
    """
    raise NotImplementedError


dispatch_on_settings(value, VALUES)


class NoKnowledge(NamedTuple):
    """All afterstates are worth nothing; the field is there because numba has no empty tuples."""

    nothing: int = 0


@values(NoKnowledge)
@inlined
def no_value(knowledge: NoKnowledge, afterstate: np.uint64) -> np.float32:
    """Return 0."""
    return np.float32(0.0)
