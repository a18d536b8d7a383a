"""Values of afterstates: the points still to be won, estimated without playouts.

A value is read from *knowledge*: a NamedTuple of learned weights (:mod:`agents.twenty48.ntuple`) or
of a heuristic's values. Each kind of knowledge has its own class. ``@decides(..., VALUES)``
registers the kernel that reads a class of knowledge, ``(knowledge, afterstate) -> value``.
"""

from typing import NamedTuple

import numpy as np

from thetafront.agents.policy_dispatch import Kernels, Settings, decides, dispatch_on_settings
from thetafront.engine.jit import inlined

VALUES: Kernels = {}
"""The kernel of each class of knowledge."""


def value(knowledge: Settings, afterstate: np.uint64) -> np.float32:
    """Return the value of an afterstate in points, as a float32; only kernels can call this.

    All eight symmetric boards have the same value.
    """
    raise NotImplementedError


dispatch_on_settings(value, VALUES)


class NoKnowledge(NamedTuple):
    """All afterstates are worth nothing; the field exists because numba has no empty tuples."""

    nothing: int = 0


@decides(NoKnowledge, VALUES)
@inlined
def no_value(knowledge: NoKnowledge, afterstate: np.uint64) -> np.float32:
    """Return 0."""
    return np.float32(0.0)
