"""Settings of our own, selected on seeds that no figure uses."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import pandas as pd

from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.engine.pacman import Layout
from thetafront.study.reproduce.pacman.design import Played, Selected
from thetafront.study.reproduce.pacman.points import agent_columns, point_columns
from thetafront.study.store.seeds import FIRST_VALIDATION_REPLICATE

AnyPacman = TypeVar("AnyPacman", bound=PacmanAgent)


def selection_seeds(seeds: Sequence[int]) -> range:
    """Return as many other seeds, half a million further on."""
    first = seeds[0] + FIRST_VALIDATION_REPLICATE
    return range(first, first + len(seeds))


def select(played: Played, candidates: Sequence[AnyPacman]) -> AnyPacman:
    """Return the candidate with most wins; ties go to fewest backups a move, then to the first."""

    def merit(agent: AnyPacman) -> tuple[int, float]:
        games = played[agent]
        n_moves = sum(game.n_moves for game in games)
        return sum(game.won for game in games), -sum(game.n_backups for game in games) / n_moves

    return max(candidates, key=merit)


def selection_frame(played: Played, selected: Mapping[Layout, Selected]) -> pd.DataFrame:
    """Return one row a candidate, with its win rate on the selection's seeds."""
    ours = [agent for each in selected.values() for agent in each]
    return pd.DataFrame(
        agent_columns(agent) | {"chosen": agent in ours} | point_columns(games)
        for agent, games in played.items()
    )
