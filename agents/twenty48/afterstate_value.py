"""Values of afterstates: the points still to be won, estimated without playouts.

A value is computed from *knowledge*, a NamedTuple. It has learned weights
(:mod:`agents.twenty48.ntuple`), or the values that a heuristic gives to rows. Each kind of
knowledge has its own class. ``@decides(..., VALUES)`` registers the kernel that computes values
from a class of knowledge. Its signature is ``(knowledge, afterstate) -> value``.
"""

from typing import NamedTuple

import numpy as np

from thetafront.agents.policy_dispatch import Kernels, Settings, decides, dispatch_on_settings
from thetafront.engine.jit import inlined

VALUES: Kernels = {}
"""The kernel of each class of knowledge."""


def value(knowledge: Settings, afterstate: np.uint64) -> np.float32:
    """Return the value of an afterstate; only kernels can call this.

    The eight boards that are symmetric to each other have the same value.
    """
    raise NotImplementedError


dispatch_on_settings(value, VALUES)


class NoKnowledge(NamedTuple):
    """Makes all afterstates worth 0. It has a field because numba has no empty tuples."""

    nothing: int = 0


@decides(NoKnowledge, VALUES)
@inlined
def no_value(knowledge: NoKnowledge, afterstate: np.uint64) -> np.float32:
    """Return 0."""
    return np.float32(0.0)
