"""What tables and ``pick`` show about games besides goal and cost, for each kind of game."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from thetafront.agents.agent import Game
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.errors import InputError
from thetafront.study.estimate import bounded_mean
from thetafront.study.experiments.objectives.formats import elo, significant
from thetafront.study.shrinkage import NO_PRIOR, Prior

MEAN = "mean_"  # prefix of the columns of what users' games report
TILES_IN_CSV = (512, 1024, 2048, 4096, 8192, 16384)
TILES_IN_TABLE = (4096, 8192)
TILES_IN_ANSWER = (1024, 2048, 4096, 8192)


@dataclass(frozen=True)
class GameSummary:
    """A summary of what users' games report; subclasses add the columns of their games."""

    game: type[Game]  # the class of the games
    has_moves: bool = True  # whether the moves of games are counted

    def columns(self, games: Sequence[Any], prior: Prior = NO_PRIOR) -> dict[str, float]:
        """Return the columns to add to a table row for these games.

        Here, they are the means of the numbers that all games report. Subclasses have the same
        columns for all games; NaN if there are none. ``prior`` is that of the goal's estimate.
        """
        ended = [each for each in games if isinstance(each, ReportedGame) and each.has_ended]
        found = {}
        for name in ended[0].reported if ended else ():
            values = [each.reported.get(name) for each in ended]
            numbers = [value for value in values if isinstance(value, int | float)]
            if len(numbers) == len(values):
                found[f"{MEAN}{name}"] = fmean(numbers)
        return found

    def cells(self, row: Any) -> dict[str, str]:
        """Return the cells to add to a point's row in a table on the terminal, by heading."""
        return {}

    def lines(self, games: Sequence[Any]) -> list[tuple[str, str]]:
        """Return lines about the games of a picked θ; a line is a label and a text."""
        means = GameSummary.columns(self, games).items()
        text = ", ".join(f"{name.removeprefix(MEAN)} {significant(value)}" for name, value in means)
        reported = [("reported", f"{text} (means per game)")] if means else []
        return [*self.cells(self.columns(games)).items(), *reported]


class TileSummary(GameSummary):
    """The shares of games of 2048 that reached certain tiles."""

    def columns(self, games: Sequence[Game2048], prior: Prior = NO_PRIOR) -> dict[str, float]:
        """Return the shares, 0 to 1."""
        return {f"share_reaching_{tile}": share_reaching(games, tile) for tile in TILES_IN_CSV}

    def cells(self, row: Any) -> dict[str, str]:
        """Return the shares of the larger tiles."""
        return {f"≥ {tile}": f"{row[f'share_reaching_{tile}']:.0%}" for tile in TILES_IN_TABLE}

    def lines(self, games: Sequence[Game2048]) -> list[tuple[str, str]]:
        """Return the shares on one line."""
        shares = (f"{tile} {share_reaching(games, tile):.1%}" for tile in TILES_IN_ANSWER)
        return [("reached", ", ".join(shares))]


def summary_of(game: type[Game]) -> GameSummary:
    """Return the summary of an agent's games, given their class."""
    return TileSummary(game) if issubclass(game, Game2048) else GameSummary(game)


class MatchSummary(GameSummary):
    """Results against an opponent, and the difference in Elo that they correspond to."""

    def columns(self, games: Sequence[Any], prior: Prior = NO_PRIOR) -> dict[str, float]:
        """Return how many games were won, drawn and lost, and Elo with its 95% interval.

        A pair of games counts as won if its mean score is above one half.
        """
        scores = np.array([game.score for game in games], np.float64)
        found = bounded_mean(scores, prior=prior)
        return {
            **super().columns(games),
            "n_wins": int((scores > 0.5).sum()),
            "n_draws": int((scores == 0.5).sum()),
            "n_losses": int((scores < 0.5).sum()),
            "elo_mean": elo(found.value),
            "elo_low95": elo(found.low),
            "elo_high95": elo(found.high),
        }

    def cells(self, row: Any) -> dict[str, str]:
        """Return wins, draws and losses."""
        counts = (f"{row[name]:,.0f}" for name in ("n_wins", "n_draws", "n_losses"))
        return {"W / D / L": " / ".join(counts)}


def share_reaching(games: Sequence[Game2048], tile: int) -> float:
    """Return the share of games whose largest tile is ``tile`` or more; NaN if there are none."""
    return sum(game.max_tile >= tile for game in games) / len(games) if games else float("nan")


def check_2048(given: str, game: type[Game]) -> None:
    """Raise InputError unless ``game`` is a class of 2048 games.

    The message names ``given``, an agent or a study.
    """
    if not issubclass(game, Game2048):
        kind = "another agent" if issubclass(game, ReportedGame) else game.kind
        raise InputError(f"{given} must play 2048 (its games are of {kind})")
