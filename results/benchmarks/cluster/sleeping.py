"""A game that sleeps: what many workers cost is measured with it on few cores."""

import time
from dataclasses import dataclass
from typing import ClassVar

from thetafront.agents.agent import Agent, check_seed
from thetafront.agents.parameters import real
from thetafront.agents.twenty48.agent import Game2048


@dataclass(frozen=True)
class Sleeper(Agent):
    """Sleeps from half to three halves of its mean, and reports a game of 2048."""

    name: ClassVar[str] = "sleeper"

    mean_seconds: float = real(0.3, 0.0, 3600.0)

    def warm_up(self) -> None:
        """Do nothing."""

    def play(self, seed: int) -> Game2048:
        """Sleep."""
        check_seed(seed)
        seconds = self.mean_seconds * (0.5 + (seed * 0.6180339887) % 1.0)
        time.sleep(seconds)
        return Game2048(seed, seed * 7 % 50_000, 2000, seconds, 10**8, 2048, 5)
