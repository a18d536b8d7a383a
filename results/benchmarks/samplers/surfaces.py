"""Surfaces by name."""

from collections.abc import Callable
from functools import lru_cache

from results.benchmarks.samplers.closed_form import (
    cliffs_surface,
    saturating_surface,
    steps_surface,
    two_regimes_surface,
)
from results.benchmarks.samplers.recorded import recorded_surface
from results.benchmarks.samplers.surface import Surface
from thetafront.study.errors import InputError

SURFACES: dict[str, Callable[[], Surface]] = {
    "recorded": recorded_surface,
    "saturating": saturating_surface,
    "two_regimes": two_regimes_surface,
    "steps": steps_surface,
    "cliffs": cliffs_surface,
}


@lru_cache(maxsize=8)
def surface(name: str) -> Surface:
    """Return the surface called ``name``, made once a process; InputError if there is none."""
    if name not in SURFACES:
        raise InputError(f"surface must be one of {', '.join(SURFACES)} (got {name!r})")
    return SURFACES[name]()
