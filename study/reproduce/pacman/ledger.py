"""Finished games of Pacman in a table that only grows: one line a game, written when its trial of ten has ended."""

import math

from agents.pacman.agent import PacmanGame
from engine.pacman import Outcome
from study.store.ledger import Ledger

ENDS = {each.name.lower(): each for each in Outcome if each is not Outcome.RUNNING}


class PacmanLedger(Ledger[PacmanGame]):
    """Games of Pacman."""

    columns = (
        "agent",
        "seed",
        "outcome",
        "score_points",
        "n_moves",
        "cpu_seconds",
        "n_food_left",
        "n_sweeps",
        "n_backups",
        "residual_mean",
    )
    what = "Pacman's games"

    def words_of(self, game: PacmanGame) -> tuple[object, ...]:
        """Return what a line says of a game, after the agent."""
        return (
            game.seed,
            game.outcome.name.lower(),
            game.score,
            game.n_moves,
            f"{game.seconds:.6f}",
            game.n_food_left,
            game.n_sweeps,
            game.n_backups,
            repr(game.residual_mean),
        )

    def game_of(self, words: list[str]) -> PacmanGame:
        """Read that back; ValueError if it is no finished game."""
        seed, outcome, score, n_moves, seconds, n_food, n_sweeps, n_backups, residual = words
        if outcome not in ENDS:
            raise ValueError("no outcome")
        game = PacmanGame(
            seed=int(seed),
            score=int(score),
            n_moves=int(n_moves),
            seconds=float(seconds),
            outcome=ENDS[outcome],
            n_food_left=int(n_food),
            n_sweeps=int(n_sweeps),
            n_backups=int(n_backups),
            residual_mean=float(residual),
        )
        least = min(game.seed, game.n_moves - 1, game.seconds, game.n_food_left)
        least = min(least, game.n_sweeps, game.n_backups, game.residual_mean)
        finite = math.isfinite(game.seconds) and math.isfinite(game.residual_mean)
        if not finite or least < 0 or game.won != (game.n_food_left == 0):
            raise ValueError("figures that no game has")
        return game
