"""Pacman in a noisy maze: an action leads where it is meant to with 80%, else to one of the sides.

The names here take plain integers and check them. Kernels are in :mod:`engine.pacman.step`, which
has the rules, :mod:`engine.pacman.state` and :mod:`engine.pacman.maze`.
"""

from thetafront.engine.pacman.layout import LAYOUTS, Layout, LayoutName
from thetafront.engine.pacman.maze import Action
from thetafront.engine.pacman.state import Outcome
from thetafront.engine.pacman.world import MOST_STEPS, Ghost, GhostKind, World

__all__ = [
    "LAYOUTS",
    "MOST_STEPS",
    "Action",
    "Ghost",
    "GhostKind",
    "Layout",
    "LayoutName",
    "Outcome",
    "World",
]
