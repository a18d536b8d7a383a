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
from thetafront.agents.twenty48.ntuple.patterns import (
    NETWORKS,
    Network,
    count_weights,
    turned_indices,
)
from thetafront.agents.twenty48.ntuple.training_settings import VERSION, Learning, TrainingSettings


@dataclass(frozen=True)
class OwnTraining(Learning):
    """The settings with which the agent learns, and the length and seed of its training."""

    training_moves: int = integer(
        20_000_000, 1, 10**12, "training moves; the game that reaches this number is the last"
    )
    training_seed: int = integer(0, 0, MAX_SEED, "seed of the games that the network learns from")

    @cached_property
    def training(self) -> TrainingSettings:
        """The settings with which the network is trained."""
        learning = {each.name: getattr(self, each.name) for each in fields(Learning)}
        return TrainingSettings(**learning, seed=self.training_seed)


@register
@dataclass(frozen=True)
class NTupleLearner(LookaheadAgent, OwnTraining):
    """Learns a network from games, then plays by its values or by expectimax over them.

    The parameters determine what the agent learns, so two agents with equal parameters play the
    same games. The time of a game does not include the time spent on learning.

    The tuned space has the settings of learning and the parameters of the search. The settings of
    learning are tuned on grids, so two trials may have the same settings and differ only in the
    search. The later trial then plays with the network that the earlier trial has learned.
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
        """Compile the kernels with an untrained network, so that nothing is learned here."""
        learn_alone(self.training, np.zeros(count_weights(self.patterns), np.float32), 0)
        turned_indices(self.patterns, np.zeros(0, np.int64))  # which reading a network needs
        blank = replace(self)
        nothing = np.zeros(count_weights(self.patterns.played), np.float32)
        blank.__dict__["knowledge"] = NETWORKS[self.patterns.played](nothing)
        super(NTupleLearner, blank).warm_up()
