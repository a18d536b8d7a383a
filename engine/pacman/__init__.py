"""Pacman in a noisy maze: he moves as chosen with probability 80% by default, and otherwise slips.

The functions and classes here take plain integers and check them. Kernels are in
:mod:`engine.pacman.step` (the rules), :mod:`engine.pacman.state` and :mod:`engine.pacman.maze`.
"""

from thetafront.engine.pacman.layout import LAYOUTS, Layout, LayoutName
from thetafront.engine.pacman.maze import Action
from thetafront.engine.pacman.state import Outcome
from thetafront.engine.pacman.world import MAX_STEPS, Ghost, GhostKind, World

__all__ = [
    "LAYOUTS",
    "MAX_STEPS",
    "Action",
    "Ghost",
    "GhostKind",
    "Layout",
    "LayoutName",
    "Outcome",
    "World",
]
