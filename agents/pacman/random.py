"""Pacman at random: every direction without a wall ahead is equally likely."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.loop import PacmanDecisionTuple
from thetafront.agents.policy_dispatch import Settings, decides
from thetafront.engine.jit import kernel
from thetafront.engine.pacman.maze import Maze
from thetafront.engine.pacman.random_play import random_action
from thetafront.engine.pacman.state import State
from thetafront.engine.rng import next_word


class PacmanRandomSettings(NamedTuple):
    """Settings without parameters: their class selects :func:`random_decision`."""


@decides(PacmanRandomSettings)
@kernel
def random_decision(
    settings: PacmanRandomSettings, maze: Maze, state: State, stream: np.uint64
) -> PacmanDecisionTuple:
    """Choose an open direction at random."""
    word, _ = next_word(stream)
    return random_action(maze, state, word), 0, 0, 0.0


@register
@dataclass(frozen=True)
class PacmanRandom(PacmanAgent):
    """Takes each open direction with the same probability, as in the engine's random games."""

    name: ClassVar[str] = "pacman_random"

    def new_settings(self) -> Settings:
        return PacmanRandomSettings()
