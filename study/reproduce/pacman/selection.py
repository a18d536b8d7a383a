"""Settings of our own, chosen on seeds that nothing else is played on."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import pandas as pd

from agents.pacman.agent import PacmanAgent
from engine.pacman import Layout
from study.reproduce.pacman.design import Chosen
from study.reproduce.pacman.points import agent_columns, point_columns
from study.reproduce.pacman.trials import Played
from study.store.seeds import FIRST_VALIDATION_REPLICATE

AnyPacman = TypeVar("AnyPacman", bound=PacmanAgent)


def seeds_to_choose_on(seeds: Sequence[int]) -> range:
    """Return as many other seeds, half a million further on."""
    first = seeds[0] + FIRST_VALIDATION_REPLICATE
    return range(first, first + len(seeds))


def chosen(played: Played, candidates: Sequence[AnyPacman]) -> AnyPacman:
    """Return the candidate that won most games; of equals the one with fewest backups a move, which are exact, then the first."""

    def merit(agent: AnyPacman) -> tuple[int, float]:
        games = played[agent]
        n_moves = sum(game.n_moves for game in games)
        return sum(game.won for game in games), -sum(game.n_backups for game in games) / n_moves

    return max(candidates, key=merit)


def selection_frame(played: Played, best: Mapping[Layout, Chosen]) -> pd.DataFrame:
    """Return one row a candidate; its win rate is that on the seeds to choose on."""
    ours = [agent for each in best.values() for agent in each]
    return pd.DataFrame(
        [
            agent_columns(agent) | {"chosen": agent in ours} | point_columns(games)
            for agent, games in played.items()
        ]
    )
