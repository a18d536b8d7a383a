"""Replicates: the seeded games of a trial, played in a worker, and what a trial's numbers are.

Replicate r of any trial of the study with seed S is the game with seed 1,000,000·S + r: readable, the
same for all θ, and enough to play it again (``thetafront play AGENT --theta … --seed …``). The search
plays replicates below 500,000, validation those from there on: no game that chose a θ also judges it.

Workers import this module: it must not import optuna, pandas or matplotlib.
"""

import gc
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from agents.agent import Agent, Game

__all__ = [
    "FIRST_VALIDATION_REPLICATE",
    "MOST_REPLICATES",
    "Summary",
    "TimedGame",
    "game_seed",
    "game_to_record",
    "play_timed",
    "record_to_game",
    "summarize",
]

MOST_REPLICATES = 500_000
GAMES_A_STUDY_SEED = 1_000_000
FIRST_VALIDATION_REPLICATE = MOST_REPLICATES
LARGEST_STUDY_SEED = 2**31 - 1
KIND = "game"
UNNAMED_KIND = "2048"  # whose games were stored before there were others


def game_seed(study_seed: int, replicate: int) -> int:
    """Return the seed of a replicate."""
    return study_seed * GAMES_A_STUDY_SEED + replicate


TimedGame = tuple[Game, str, float, float]
"""A game, no error, and when it began and ended on the system's monotonic clock, in seconds."""


def play_timed(agent: Agent, seed: int) -> TimedGame:
    """Play one game: what a worker is asked to do."""
    began = time.monotonic()
    game = agent.play(seed)
    ended = time.monotonic()
    settle()
    return game, "", began, ended


@cache
def settle() -> None:
    """Take all objects there are by now out of garbage collection, once in a process.

    Without psutil, joblib's workers collect garbage once a second, between two games: a tenth of a second
    each time, most of it spent on libraries that will never be garbage.
    """
    gc.collect()
    gc.freeze()


def game_to_record(game: Game) -> dict[str, Any]:
    """Return a game as plain JSON data; which kind of game it is stands there, too, unless it is 2048."""
    kind = {} if game.kind == UNNAMED_KIND else {KIND: game.kind}
    return game.as_record() | kind


def record_to_game(record: Mapping[str, Any]) -> Game:
    """Read back what :func:`game_to_record` wrote.

    Raises
    ------
    ValueError
        If no class of games of that kind is known in this process.
    """
    kind = record.get(KIND, UNNAMED_KIND)
    if kind not in Game.kinds:
        raise ValueError(f"record: a game of {kind!r} given, of {', '.join(Game.kinds)} allowed")
    return Game.kinds[kind].from_record({k: v for k, v in record.items() if k != KIND})


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
