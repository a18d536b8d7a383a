"""The games of one agent as ``play --json`` prints them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from thetafront.agents.agent import Game
from thetafront.agents.external.report import ReportedGame
from thetafront.agents.parameters import Value
from thetafront.agents.twenty48.agent import Game2048
from thetafront.study.experiments.game_summary import MatchSummary, share_reaching
from thetafront.study.experiments.objectives import (
    PLAYOUT_MOVES,
    SCORE,
    SECONDS,
    WIN_RATE,
    Cost,
    Goal,
    cpu_seconds,
    mean,
)

LEAST_TILES = (1024, 2048, 4096, 8192)
ANY_GOAL, ANY_COST = mean(), cpu_seconds("game")  # of a user's agent that says nothing else
OF_A_2048_GAME = ("seed", "score", "n_moves", "max_tile", "seconds")


def summary_of(
    name: str,
    params: Mapping[str, Value],
    games: Sequence[Game],
    goal: Goal | None = None,
    cost: Cost | None = None,
) -> dict[str, Any]:
    """Summarize the games of one agent; there must be one at least.

    Games that can be won have a ``win_rate`` with Wilson's 95% interval. Games of 2048 have
    ``reach``, the share of games that reached each tile: 1024 to 8192, and larger ones that some
    game reached. ``seconds_per_move`` is None if no game was played alone. Games of a user's agent
    are summarized by its ``goal`` and ``cost`` instead.
    """
    if goal is not None or isinstance(games[0], ReportedGame):
        return summary_by(goal or ANY_GOAL, cost or ANY_COST, name, params, games)
    score = SCORE.summary(games)
    in_2048 = [game for game in games if isinstance(game, Game2048)]
    reach, playouts = summary_of_2048(in_2048) if in_2048 else ({}, {})
    win_rate = {}
    if hasattr(games[0], "won"):
        wins = WIN_RATE.estimate(games)
        win_rate = {"win_rate": {"mean": wins.value, "low95": wins.low, "high95": wins.high}}
    return {
        "agent": name,
        "params": dict(params),
        "n_games": len(games),
        **win_rate,
        "score": {
            "mean": score["score_mean_points"],
            "sem": score["score_sem_points"] if len(games) > 1 else None,
            "min": score["score_min_points"],
            "max": score["score_max_points"],
        },
        **reach,
        "n_moves_mean": sum(game.n_moves for game in games) / len(games),
        "seconds_per_move": SECONDS.of(games) if SECONDS.measured(games) else None,
        **playouts,
        "games": [row_of(game) for game in games],
    }


def summary_by(
    goal: Goal, cost: Cost, name: str, params: Mapping[str, Value], games: Sequence[Game]
) -> dict[str, Any]:
    """Summarize games by a goal and a cost, each under its name.

    Numbers that are not known are None. Moves are those reported, if any.
    """
    found, samples = goal.estimate(games), goal.samples(games)
    ends = {"sem": found.sem, "low95": found.low, "high95": found.high}
    return {
        "agent": name,
        "params": dict(params),
        "n_games": len(games),
        goal.name: {
            "mean": found.value,
            **{key: value if math.isfinite(value) else None for key, value in ends.items()},
            "min": float(samples.min()),
            "max": float(samples.max()),
            **match_columns(goal, games),
        },
        cost.name: cost.of(games) if cost.measured(games) else None,
        **moves_of(games),
        "games": [row_of(game) for game in games],
    }


def match_columns(goal: Goal, games: Sequence[Game]) -> dict[str, float | None]:
    """Return wins, draws, losses and Elo of a match; None where Elo is infinite."""
    columns = MatchSummary(ReportedGame).columns(games) if goal.is_match else {}
    return {name: each if math.isfinite(each) else None for name, each in columns.items()}


def moves_of(games: Sequence[Game]) -> dict[str, float]:
    """Return the mean number of moves, if games have moves that are counted."""
    n_moves = [game.n_moves for game in games]
    return {"n_moves_mean": sum(n_moves) / len(games)} if max(n_moves) > 1 else {}


def summary_of_2048(games: Sequence[Game2048]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what only games of 2048 have: tiles reached, and playouts."""
    seconds = sum(game.seconds for game in games)
    n_playout_moves = sum(game.n_playout_moves for game in games)
    largest = max(game.max_tile for game in games)
    tiles = [*LEAST_TILES, *(2**e for e in range(14, 16) if 2**e <= largest)]
    return {"reach": {str(tile): share_reaching(games, tile) for tile in tiles}}, {
        "playout_moves_per_move": PLAYOUT_MOVES.of(games),
        "playout_moves_per_second": n_playout_moves / seconds if seconds > 0 else 0.0,
    }


def row_of(game: Game) -> dict[str, Any]:
    """Return a game's fields; of 2048, only the most important."""
    if isinstance(game, Game2048):
        return {name: getattr(game, name) for name in OF_A_2048_GAME}
    return game.to_row()
