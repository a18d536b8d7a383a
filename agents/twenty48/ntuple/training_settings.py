"""The settings with which a network learns."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from thetafront.agents.agent import MAX_SEED, digits
from thetafront.agents.parameters import (
    Tuned,
    Value,
    categorical,
    check_parameters,
    integer,
    plain_values,
    real,
)
from thetafront.agents.twenty48.ntuple.patterns import (
    MAX_STAGES,
    PatternSet,
    Weights,
    count_weights,
    n_looked_up,
)

RESTARTS = (0, 1_000_000)
VERSION = 1  # of learning; raised when changed code learns different weights from equal settings


class Method(StrEnum):
    """How a network learns."""

    COHERENT = "tc"
    PLAIN = "td"


TUNED_SETS = tuple(each for each in PatternSet if each.played != PatternSet.EIGHT_BY_SIX)


@dataclass(frozen=True)
class Learning:
    """The settings with which a network learns, except the seed of its games.

    α and λ are those of :mod:`agents.twenty48.ntuple.learning`. The tuned space has:

    - both methods, and the sets of patterns that learn within minutes;
    - α from 0.1, a usual rate without coherence, to 1. A rate above 1 would overshoot the target;
    - R (``restart``) up to 4,100 moves, which most games in a training of 20 million moves do not
      reach;
    - optimism up to 20,000 points, a usual score early in training. After 80 million moves, a
      network with an optimism of 80,000 points scored 31,800 points, and a network without optimism
      scored 83,400 points.
    """

    patterns: PatternSet = categorical(
        PatternSet.FOUR_BY_SIX,
        "the groups of cells that are looked up together: 4x6 is four groups of six; + adds "
        "smaller groups inside these",
        "set",
        TUNED_SETS,
    )
    method: Method = categorical(
        Method.COHERENT, "learning with temporal coherence (tc) or without (td)", "by", tuned=True
    )
    rate: float = real(1.0, 0, 2, "learning rate", "α", Tuned(0.1, 1.0, step=0.1), open_low=True)
    decay: float = real(
        0.5,
        0,
        1,
        "trace decay λ: 0 learns from the next value, 1 from the final score",
        "λ",
        Tuned(0.0, 0.9, step=0.1),
    )
    restart: int = integer(
        100,
        *RESTARTS,
        "a finished game of at least this many moves is played again from its middle, as is each "
        "new part that still has this many moves; 0: never",
        "R",
        Tuned(100, 4100, step=1000),
    )
    optimism: float = real(
        0.0, 0, 1e6, "initial value of every board", "V₀", Tuned(0.0, 20_000.0, step=5000.0)
    )


@dataclass(frozen=True)
class TrainingSettings(Learning):
    """All settings with which a network learns.

    When training continues with more stages, the tables of later stages begin as copies. In a new
    network with several stages, the first games that reach a later stage find it untrained.

    Raises
    ------
    ValueError
        If a setting is out of range.
    """

    seed: int = integer(0, 0, MAX_SEED, "seed of the games")
    stages: int = integer(
        1,
        1,
        MAX_STAGES,
        "sets of tables: with 2, boards with a 16384 tile have their own; with 3, also those with "
        "16384 and 8192; with 4, also those with 16384, 8192 and 4096",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def is_coherent(self) -> bool:
        """Whether the network learns with temporal coherence."""
        return self.method == Method.COHERENT

    @classmethod
    def from_record(cls, stored: Mapping[str, Value]) -> "TrainingSettings":
        """Read the settings from a manifest or checkpoint; the oldest ones have no ``restart``."""
        return cls(**{"restart": 0, **stored})  # type: ignore[arg-type]

    @property
    def digest(self) -> str:
        """A digest of the settings and of the version of learning."""
        values = plain_values(self)
        if self.stages == 1:  # files of networks that were learned before there were stages
            del values["stages"]
        return digits(json.dumps({"version": VERSION, **values}, sort_keys=True))

    @property
    def n_weights(self) -> int:
        """The number of weights of all stages."""
        return self.stages * count_weights(self.patterns)

    @property
    def first_weight(self) -> float:
        """The initial value of all weights."""
        return self.optimism / n_looked_up(self.patterns)

    def new_weights(self) -> Weights:
        """Return the weights of an untrained network, shape (n_weights,)."""
        weights = np.zeros(self.n_weights, np.float32)
        if self.first_weight:
            weights[:] = self.first_weight
        return weights

    def new_coherence(self) -> Weights:
        """Return E and A of all weights before training, shape (n_weights, 2).

        Without temporal coherence, the shape is (0, 2).
        """
        n_weights = self.n_weights if self.is_coherent else 0
        return np.zeros((n_weights, 2), np.float32)
