"""What a game that was played again leaves: what is seen step by step, and how it ended."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Recording:
    """A game as it is seen."""

    # Plain data for JSON: `game`; what does not change in it; and `steps`, a column for each thing
    # that is seen, with a value for each position, `score` among them.
    data: dict[str, Any]
    score: int  # in points
    n_moves: int  # number of actions
