"""An agent that guesses, tuned twice: for the most gain, and for the least loss, its negative.

Whatever is made of one study must be made of the other, mirrored.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from thetafront.agents.agent import Agent, Game, check_seed
from thetafront.agents.catalog import AGENTS
from thetafront.agents.parameters import integer
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.game_summary import GameSummary
from thetafront.study.experiments.objectives.costs import SECONDS
from thetafront.study.experiments.objectives.estimators import NoisyMean
from thetafront.study.experiments.objectives.formats import Format
from thetafront.study.experiments.objectives.goals import Goal
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space


@dataclass(frozen=True)
class Guess(Game, kind="guess"):
    """A guess, with its loss and its gain, which is the negative loss."""

    loss: float
    gain: float


@dataclass(frozen=True)
class Guesser(Agent):
    """Loses 60/(effort + 10) − 2 nats and noise, in effort milliseconds a move."""

    name: ClassVar[str] = "guesser"

    effort: int = integer(10, 1, 1000)

    @property
    def loss(self) -> float:
        return 60.0 / (self.effort + 10) - 2.0

    def warm_up(self) -> None:
        pass

    def play(self, seed: int) -> Guess:
        check_seed(seed)
        rng = np.random.default_rng(seed)
        loss, n_moves = float(rng.normal(self.loss, 0.5)), int(rng.integers(5, 15))
        return Guess(seed, 0.0, n_moves, 1e-3 * self.effort * n_moves, loss, -loss)


GAIN = Goal(
    name="gain",
    label="gain",
    axis_label="mean gain, nats",
    sample="gain",
    estimator=NoisyMean(),
    format=Format(".3f", ".2f", ".3f", unit="nats", area_unit="nats"),
    standard_error=0.05,
)
LOSS = replace(
    GAIN,
    name="loss",
    label="loss",
    axis_label="mean loss, nats",
    sample="loss",
    direction="minimize",
)


def known(patch: pytest.MonkeyPatch) -> tuple[Experiment, Experiment]:
    """Make the agent known by name, and both experiments, ``gains`` and ``losses``."""
    patch.setitem(AGENTS, "guesser", Guesser)
    gains = Experiment(
        name="gains",
        title="Guesses",
        agent="guesser",
        space=Space((NumericParameter("effort", 1, 200, integer=True, log=True, symbol="e"),)),
        goal=GAIN,
        cost=SECONDS,
        costs=(SECONDS,),
        summary=GameSummary(Guess),
        baselines={"ten": {"effort": 10}},
    )
    losses = replace(gains, name="losses", goal=LOSS)
    for each in (gains, losses):
        patch.setitem(EXPERIMENTS, each.name, each)
    return gains, losses
