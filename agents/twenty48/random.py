"""The agent that takes uniformly random legal actions. It shows the score without any search."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import register
from thetafront.agents.policy_dispatch import decides
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.agents.twenty48.loop import DecisionTuple2048
from thetafront.engine.jit import kernel
from thetafront.engine.rng import POLICY, any_of_four, next_word
from thetafront.engine.twenty48.board import N_ACTIONS, legal_actions
from thetafront.engine.twenty48.rule import BuiltRule


class RandomSettings(NamedTuple):
    """Settings of :func:`random_decision`."""

    values: npt.NDArray[np.float64]  # (4,): NaN; allocated only once, which saves time


@decides(RandomSettings)
@kernel
def random_decision(
    settings: RandomSettings, board: np.uint64, stream: np.uint64, rule: BuiltRule
) -> DecisionTuple2048:
    """Choose at random, without playouts; all values are NaN."""
    legal = legal_actions(board)
    word, _ = next_word(stream)
    return (any_of_four(legal, word) if legal else -1), settings.values, 0


@register
@dataclass(frozen=True)
class RandomAgent(Agent2048):
    """Takes each legal action with equal probability. It has no parameters."""

    name: ClassVar[str] = "random"
    purpose: ClassVar[int] = int(POLICY)
    first_chunk: ClassVar[int] = (
        1024  # usually a whole game in one call, because a call takes longer than its moves
    )

    @cached_property
    def settings(self) -> RandomSettings:
        values = np.full(N_ACTIONS, np.nan)
        values.setflags(write=False)
        return RandomSettings(values)
