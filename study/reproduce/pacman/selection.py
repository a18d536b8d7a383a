"""Settings of our own, chosen on seeds that nothing else is played on."""

from collections.abc import Sequence

import pandas as pd

from agents.pacman_mdp import PacmanMDP
from engine.pacman import Layout
from study.replicate import FIRST_VALIDATION_REPLICATE
from study.reproduce.pacman.points import agent_columns, point_columns
from study.reproduce.pacman.trials import Played

__all__ = ["chosen", "seeds_to_choose_on", "selection_frame"]


def seeds_to_choose_on(seeds: Sequence[int]) -> range:
    """Return as many other seeds, half a million further on."""
    first = seeds[0] + FIRST_VALIDATION_REPLICATE
    return range(first, first + len(seeds))


def chosen(played: Played, candidates: Sequence[PacmanMDP]) -> PacmanMDP:
    """Return the candidate that won most games; of equals the one with fewest backups a move, which are exact."""

    def merit(agent: PacmanMDP) -> tuple[int, float]:
        games = played[agent]
        n_moves = sum(game.n_moves for game in games)
        return sum(game.won for game in games), -sum(game.n_backups for game in games) / n_moves

    return max(candidates, key=merit)


def selection_frame(played: Played, best: dict[Layout, PacmanMDP]) -> pd.DataFrame:
    """Return one row a candidate; its win rate is that on the seeds to choose on."""
    return pd.DataFrame(
        [
            agent_columns(agent) | {"chosen": agent in best.values()} | point_columns(games)
            for agent, games in played.items()
        ]
    )
