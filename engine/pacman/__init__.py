"""Pacman in a noisy maze: every action goes where it was meant to with 80%, and to each side with 10%.

What is named here takes plain integers and checks what it is given. Kernels, for other kernels, are in
:mod:`engine.pacman.step`, where the rules stand too, in :mod:`engine.pacman.state` and :mod:`engine.pacman.maze`.
"""

from engine.pacman.layout import LAYOUTS, Layout, LayoutName
from engine.pacman.maze import Action
from engine.pacman.state import Outcome
from engine.pacman.world import (
    MOST_STEPS,
    Ghost,
    GhostKind,
    RandomGames,
    World,
    random_games,
)

__all__ = [
    "LAYOUTS",
    "MOST_STEPS",
    "Action",
    "Ghost",
    "GhostKind",
    "Layout",
    "LayoutName",
    "Outcome",
    "RandomGames",
    "World",
    "random_games",
]
