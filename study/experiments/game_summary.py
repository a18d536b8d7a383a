"""Kinds of games: what tables and answers say of some beside what all games have.

All games have seed, score, moves and seconds (:class:`agents.agent.Game`). What else a kind counts goes into its
table of games, field by field; what else its games amount to is said by a subclass of :class:`Kind`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Game


@dataclass(frozen=True)
class Kind:
    """A kind of games as tables see it.

    Parameters
    ----------
    game : type
        The class of its games.
    """

    game: type[Game]

    @property
    def columns(self) -> tuple[str, ...]:
        """What some games amount to, as columns; see :meth:`amount`."""
        return ()

    def amount(self, games: Sequence[Any]) -> dict[str, float]:
        """Return what some games, one at least, amount to, by column."""
        return {}

    @property
    def headings(self) -> tuple[str, ...]:
        """The last columns of the table of validated points."""
        return ()

    def cells(self, row: Any) -> list[str]:
        """Write them, from a row of a table that has :attr:`columns`."""
        return []

    def lines(self, games: Sequence[Any]) -> list[tuple[str, str]]:
        """Return what else to say of the games of a θ that was picked: labels, and what they say."""
        return []


@dataclass(frozen=True)
class Summary:
    """What some games of one agent amount to, whatever they are.

    Attributes
    ----------
    n_games : int
        How many.
    score_mean, score_sem : float
        Mean score in points, and its standard error; the latter NaN for a single game.
    score_min, score_max : int or float
        Extremes, in points.
    n_moves_mean : float
        Moves a game.
    seconds_per_move : float
        CPU seconds of all games over moves of all games.
    """

    n_games: int
    score_mean: float
    score_sem: float
    score_min: float
    score_max: float
    n_moves_mean: float
    seconds_per_move: float


def summarize(games: Sequence[Game]) -> Summary:
    """Sum up the games of one agent; there must be one at least."""
    scores = np.array([game.score for game in games], np.float64)
    n_moves = sum(game.n_moves for game in games)
    seconds = sum(game.seconds for game in games)
    n = len(games)
    return Summary(
        n_games=n,
        score_mean=float(scores.mean()),
        score_sem=float(scores.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan,
        score_min=min(game.score for game in games),
        score_max=max(game.score for game in games),
        n_moves_mean=n_moves / n,
        seconds_per_move=seconds / n_moves,
    )
