"""What some games of 2048 amount to, beside what all games have: playouts, and tiles reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.twenty48.agent import Game2048
from study.errors import InputError
from study.experiments import game_summary
from study.experiments.game_summary import Kind

TILES_IN_CSV = (512, 1024, 2048, 4096, 8192, 16384)
TILES_IN_TABLE = (4096, 8192)
TILES_IN_ANSWER = (1024, 2048, 4096, 8192)


@dataclass(frozen=True)
class Summary2048(game_summary.Summary):
    """What some games of one agent amount to.

    Attributes
    ----------
    playout_moves_per_move : float
        Actions taken inside playouts, of all games, over moves of all games.
    playout_moves_per_second : float
        Actions inside playouts per CPU second.
    """

    playout_moves_per_move: float
    playout_moves_per_second: float


def summarize(games: Sequence[Game2048]) -> Summary2048:
    """Sum up the games of one agent; there must be one at least."""
    n_moves = sum(game.n_moves for game in games)
    seconds = sum(game.seconds for game in games)
    n_playout_moves = sum(game.n_playout_moves for game in games)
    return Summary2048(
        **vars(game_summary.summarize(games)),
        playout_moves_per_move=n_playout_moves / n_moves,
        playout_moves_per_second=n_playout_moves / seconds if seconds > 0 else 0.0,
    )


def share_reaching(games: Sequence[Game2048], tile: int) -> float:
    """Return the share of games whose largest tile is ``tile`` or more."""
    return sum(game.max_tile >= tile for game in games) / len(games)


class Kind2048(Kind):
    """Games of 2048: what share of them reached which tile."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Shares of games, 0 to 1."""
        return tuple(f"share_reaching_{tile}" for tile in TILES_IN_CSV)

    def amount(self, games: Sequence[Game2048]) -> dict[str, float]:
        """Return the shares."""
        return {f"share_reaching_{tile}": share_reaching(games, tile) for tile in TILES_IN_CSV}

    @property
    def headings(self) -> tuple[str, ...]:
        """The larger tiles."""
        return tuple(f"≥ {tile}" for tile in TILES_IN_TABLE)

    def cells(self, row: Any) -> list[str]:
        """Write their shares."""
        return [f"{row[f'share_reaching_{tile}']:.0%}" for tile in TILES_IN_TABLE]

    def lines(self, games: Sequence[Game2048]) -> list[tuple[str, str]]:
        """Say which tiles were reached how often."""
        shares = (f"{tile} {share_reaching(games, tile):.1%}" for tile in TILES_IN_ANSWER)
        return [("reached", ", ".join(shares))]


TWENTY48 = Kind2048(Game2048)


def check_2048(given: str, kind: Kind) -> None:
    """Refuse, by InputError, what was given if it is of another game."""
    if kind.game is not Game2048:
        raise InputError(f"{given} given, of games of {kind.game.kind}; of 2048 allowed")
