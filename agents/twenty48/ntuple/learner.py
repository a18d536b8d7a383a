"""The agent that learns a network first, and then plays with it."""

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from thetafront.agents.agent import MAX_SEED, register
from thetafront.agents.parameters import Value, integer
from thetafront.agents.twenty48.lookahead import LookaheadAgent
from thetafront.agents.twenty48.ntuple.learned import learn_alone, learned_weights
from thetafront.agents.twenty48.ntuple.patterns import NETWORKS, Network, count_weights
from thetafront.agents.twenty48.ntuple.training_settings import VERSION, Learning, TrainingSettings


@dataclass(frozen=True)
class OwnTraining(Learning):
    """The settings with which the agent learns, and the length of its training."""

    training_moves: int = integer(
        20_000_000, 1, 10**12, "moves of training; the game that reaches this number is the last"
    )
    training_seed: int = integer(0, 0, MAX_SEED, "seed of the games that it learns from")

    @cached_property
    def training(self) -> TrainingSettings:
        """The settings with which the network learns."""
        learning = {each.name: getattr(self, each.name) for each in fields(Learning)}
        return TrainingSettings(**learning, seed=self.training_seed)


@register
@dataclass(frozen=True)
class NTupleLearner(LookaheadAgent, OwnTraining):
    """Learns a network from games, then plays by it or by expectimax over it.

    The parameters determine what it learns, so two agents with equal parameters play the same
    games. The time of its games does not include the time spent on learning.

    The tuned space has the settings of learning and the depth of the search. Since these settings
    are tuned on grids, two trials may differ only in the search; the later trial then plays with
    the network that the earlier trial has learned.
    """

    name: ClassVar[str] = "ntuple_learner"
    learns: ClassVar[bool] = True

    @cached_property
    def knowledge(self) -> Network:
        return NETWORKS[self.patterns.played](learned_weights(self.training, self.training_moves))

    @property
    def depends_on(self) -> dict[str, Value]:
        return {"learning_version": VERSION}

    @property
    def built_for(self) -> Hashable:
        return self.patterns

    def warm_up(self) -> None:
        """Compile with an empty network, so that nothing is trained here."""
        learn_alone(self.training, np.zeros(count_weights(self.patterns), np.float32), 0)
        blank = replace(self)
        nothing = np.zeros(count_weights(self.patterns.played), np.float32)
        blank.__dict__["knowledge"] = NETWORKS[self.patterns.played](nothing)
        super(NTupleLearner, blank).warm_up()
