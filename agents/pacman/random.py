"""An agent that moves Pacman at random: all directions without a wall are equally likely."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from thetafront.agents.agent import register
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.loop import PacmanDecisionTuple
from thetafront.agents.policy_dispatch import Settings, decides
from thetafront.engine.jit import Integer, inlined, kernel
from thetafront.engine.pacman.maze import Action, Maze, any_direction
from thetafront.engine.pacman.state import PACMAN, State
from thetafront.engine.rng import next_word

STOP = int(Action.STOP)


@inlined
def random_action(maze: Maze, state: State, word: np.uint64) -> Integer:
    """Choose an open direction with equal probability; stop if there is none."""
    directions = maze.open_directions[state.tally[PACMAN]]
    return STOP if directions == 0 else any_direction(directions, word)


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
    """Moves at random: all directions without a wall are equally likely."""

    name: ClassVar[str] = "pacman_random"

    def new_settings(self) -> Settings:
        return PacmanRandomSettings()
