"""What a game that was played again leaves: its actions and outcomes, and how it ended."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Recording:
    """A game without its positions.

    Attributes
    ----------
    data : dict
        Plain data for JSON: ``game``, and what the rules of that game need, the start, the actions
        and the outcomes.
    score : int
        In points.
    n_moves : int
        Number of actions.
    """

    data: dict[str, Any]
    score: int
    n_moves: int
