"""An agent that moves Pacman at random: all directions without a wall are equally likely."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.loop import PacmanDecisionTuple
from thetafront.agents.policy_dispatch import Settings, decides
from thetafront.engine.jit import kernel
from thetafront.engine.pacman.maze import Maze
from thetafront.engine.pacman.state import PACMAN, State
from thetafront.engine.rng import any_of_four, next_word


class PacmanRandomSettings(NamedTuple):
    """Settings without parameters: their class selects :func:`random_decision`."""


@decides(PacmanRandomSettings)
@kernel
def random_decision(
    settings: PacmanRandomSettings, maze: Maze, state: State, stream: np.uint64
) -> PacmanDecisionTuple:
    """Choose an open direction at random; stop, which is action 4, if there is none."""
    word, _ = next_word(stream)
    return any_of_four(maze.open_directions[state.tally[PACMAN]], word), 0, 0, 0.0


@register
@dataclass(frozen=True)
class PacmanRandom(PacmanAgent):
    """Moves at random: all directions without a wall are equally likely."""

    name: ClassVar[str] = "pacman_random"

    def new_settings(self) -> Settings:
        return PacmanRandomSettings()
