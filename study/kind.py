"""Kinds of games: what tables and answers say of some beside what all games have.

All games have seed, score, moves and seconds (:class:`agents.agent.Game`). What else a kind counts goes into its
table of games, field by field; what else its games amount to is said by a subclass of :class:`Kind`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from agents.agent import Game

__all__ = ["Kind"]

COMMON_FIELDS = tuple(field.name for field in fields(Game))


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

    @property
    def game_columns(self) -> tuple[str, ...]:
        """What else there is of one game, as columns; see :meth:`game_row`."""
        return tuple(each.name for each in fields(self.game) if each.name not in COMMON_FIELDS)

    def game_row(self, game: Game) -> dict[str, Any]:
        """Return what else there is of one game, by column."""
        record = game.as_record()
        return {name: record[name] for name in self.game_columns}
