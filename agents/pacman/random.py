"""Pacman at random: in each turn, every direction where no wall is in the way is as likely."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from agents.pacman.agent import PacmanAgent
from agents.pacman.loop import Choice
from agents.policy_dispatch import Settings, decides
from engine.jit import kernel
from engine.pacman.maze import Maze
from engine.pacman.random_play import random_action
from engine.pacman.state import State
from engine.rng import next_word


class RandomSettings(NamedTuple):
    """No parameters: the name of who decides."""


@decides(RandomSettings)
@kernel
def random_choice(settings: RandomSettings, maze: Maze, state: State, stream: np.uint64) -> Choice:
    """Decide without looking."""
    word, _ = next_word(stream)
    return random_action(maze, state, word), 0, 0, 0.0


@dataclass(frozen=True)
class PacmanRandom(PacmanAgent):
    """Takes each open direction with the same probability. Its games are those of :func:`engine.pacman.random_games`."""

    name: ClassVar[str] = "pacman_random"

    def new_settings(self) -> Settings:
        return RandomSettings()
