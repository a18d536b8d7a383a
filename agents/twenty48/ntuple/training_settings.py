"""What a network learns with."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from thetafront.agents.agent import LARGEST_SEED, N_DIGITS
from thetafront.agents.parameters import (
    Value,
    categorical,
    check_parameters,
    integer,
    plain_values,
    real,
)
from thetafront.agents.twenty48.ntuple.patterns import (
    PatternSet,
    Weights,
    n_looked_up,
    n_weights_of,
)

RESTARTS = (0, 1_000_000)
VERSION = 1  # of learning: one more when the same settings come to give other weights


class Method(StrEnum):
    """How a network learns."""

    COHERENT = "tc"
    PLAIN = "td"


@dataclass(frozen=True)
class Learning:
    """What a network learns with, but for its games.

    Parameters
    ----------
    patterns : PatternSet
        The patterns.
    method : Method
        Temporal coherence (tc), or plain temporal differences (td).
    rate, decay : float
        α and λ, see :mod:`agents.twenty48.ntuple.learning`.
    restart : int
        Restart a finished game from the middle of its last part, while that part has at least so
        many moves; 0: never.
    optimism : float
        Value of every afterstate at the start, in points.
    """

    patterns: PatternSet = categorical(PatternSet.FOUR_BY_SIX)
    method: Method = categorical(Method.COHERENT)
    rate: float = real(1.0, 0, 2, open_low=True)
    decay: float = real(0.5, 0, 1)
    restart: int = integer(100, *RESTARTS)
    optimism: float = real(0.0, 0, 1e6)


@dataclass(frozen=True)
class TrainingSettings(Learning):
    """What a network learns with.

    Parameters
    ----------
    patterns, method, rate, decay, restart, optimism : PatternSet, Method, float, float, int, float
        As for :class:`Learning`.
    seed : int
        Determines the games' random numbers.

    Raises
    ------
    ValueError
        If one is out of range.
    """

    seed: int = integer(0, 0, LARGEST_SEED)

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def is_coherent(self) -> bool:
        """Whether the network keeps coherence."""
        return self.method == Method.COHERENT

    @classmethod
    def from_record(cls, stored: Mapping[str, Value]) -> "TrainingSettings":
        """Read what a manifest or a checkpoint has; the oldest ones know no restarts."""
        return cls(**{"restart": 0, **stored})  # type: ignore[arg-type]

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that name the settings, and the version of learning."""
        text = json.dumps({"version": VERSION, **plain_values(self)}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:N_DIGITS]

    @property
    def first_weight(self) -> float:
        """What all weights are at first."""
        return self.optimism / n_looked_up(self.patterns)

    def new_weights(self) -> Weights:
        """Return the weights of a network that has learned nothing, shape (n_weights,)."""
        weights = np.zeros(n_weights_of(self.patterns), np.float32)
        if self.first_weight:
            weights[:] = self.first_weight
        return weights

    def new_coherence(self) -> Weights:
        """Return E and A of its weights, shape (n_weights, 2), or (0, 2) if it keeps none."""
        n_weights = n_weights_of(self.patterns) if self.is_coherent else 0
        return np.zeros((n_weights, 2), np.float32)
