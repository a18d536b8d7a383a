"""The table of Thanki, *Value iteration algorithm* (2021): five pairs of θ and γ.

Each row averages 10,000 games of three dice.

Notation
--------
===========  =======================================================================================
θ, γ         the post's tolerance of a sweep's residual, and the discount
F            the final score, the reward of sticking
μ, σ         exact mean and standard deviation of a policy's score, by linear equations
SE           σ/√n, the standard error of an average of n games
===========  =======================================================================================

The post's program sets the value of sticking to F + γ·F: its game returns F as the reward of the
last action, and its recursion takes F for the value of the final state, too. The correct value of
the final state is 0. :class:`FinalScoreTwice` is the post's process, for this comparison only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt

import numpy as np
import numpy.typing as npt
import pandas as pd

from thetafront.agents.dice.agent import DiceAgent

GAMMAS = tuple(k / 200 for k in range(160, 201))
TOLERANCES = (10.0, 3.0, 1.0, 0.1, 1e-4)
PROGRAM, CORRECT = "the post's program", "correct"


@dataclass(frozen=True)
class FinalScoreTwice(DiceAgent):
    """The post's agent, which values sticking at (1 + γ)·F; it scores by the rules."""

    @property
    def reward(self) -> npt.NDArray[np.float64]:
        """The rewards of the process that is solved."""
        reward = self.rules.mdp.reward.copy()
        reward[self.rules.sticking :: self.rules.n_holds] *= 1 + self.gamma
        return reward


RECURSIONS: dict[str, type[DiceAgent]] = {PROGRAM: FinalScoreTwice, CORRECT: DiceAgent}


@dataclass(frozen=True)
class PostRow:
    """A row of the post's table: θ, γ, and scores of its 10,000 games in points."""

    theta: float
    gamma: float
    worst: int
    average: float
    best: int
    seconds_per_game: float  # on the post's machine


POST = (
    PostRow(0.01, 0.95, -10, 13.3012, 18, 0.0004879),
    PostRow(0.001, 0.95, -8, 13.3221, 18, 0.0004768),
    PostRow(0.0001, 0.95, -4, 13.3269, 18, 0.0004987),
    PostRow(0.0001, 0.97, -6, 13.3415, 18, 0.0005377),
    PostRow(0.001, 0.97, -8, 13.3966, 18, 0.0006144),
)
POSTS_GAMES = 10_000


@dataclass(frozen=True, eq=False)
class PlayedRow:
    """A row of the post's table, played again by one recursion."""

    post: PostRow
    recursion: str  # PROGRAM or CORRECT
    agent: DiceAgent
    scores: npt.NDArray[np.int64]  # shape (n_games,)
    first_seed: int
    seconds: float  # CPU seconds of all games


def play_rows(seeds: Sequence[int]) -> list[PlayedRow]:
    """Play all rows, each on its own seeds: on the same, rows of one policy would score the same.

    ``seeds`` are the first row's; the next row has as many seeds after these, and so on.
    """
    played: list[PlayedRow] = []
    for recursion, kind in RECURSIONS.items():
        for post in POST:
            agent = kind(post.gamma, post.theta)
            agent.play(0)  # compiles
            first = seeds[0] + len(played) * len(seeds)
            games = agent.games(first, len(seeds))
            played.append(PlayedRow(post, recursion, agent, games.scores, first, games.seconds))
    return played


def dice_frame(played: Sequence[PlayedRow]) -> pd.DataFrame:
    """Return one line a row: exact and simulated scores beside the post's."""
    lines = []
    for row in played:
        n, mean = len(row.scores), float(row.scores.mean())
        exact, sd = row.agent.expected_score, row.agent.score_sd
        post, post_error = row.post, sd / sqrt(POSTS_GAMES)
        lines.append(
            {
                "recursion": row.recursion,
                "theta": post.theta,
                "gamma": post.gamma,
                "n_sweeps": row.agent.solved.n_sweeps,
                "n_sticking": row.agent.n_sticking,
                "solving_seconds": row.agent.solving_seconds(),
                "exact_score_points": exact,
                "exact_sd_points": sd,
                "n_games": n,
                "first_seed": row.first_seed,
                "score_min_points": int(row.scores.min()),
                "score_mean_points": mean,
                "score_max_points": int(row.scores.max()),
                "standard_error_points": sd / sqrt(n),
                "standard_errors_from_exact": (mean - exact) / (sd / sqrt(n)),
                "seconds_per_game": row.seconds / n,
                "post_score_min_points": post.worst,
                "post_score_mean_points": post.average,
                "post_score_max_points": post.best,
                "post_standard_error_points": post_error,
                "post_standard_errors_from_exact": (post.average - exact) / post_error,
                "post_seconds_per_game": post.seconds_per_game,
            }
        )
    return pd.DataFrame(lines)


def scores_frame(played: Sequence[PlayedRow]) -> pd.DataFrame:
    """Return the number of games by row and score."""
    return pd.DataFrame(
        {
            "recursion": row.recursion,
            "theta": row.post.theta,
            "gamma": row.post.gamma,
            "first_seed": row.first_seed,
            "score_points": int(score),
            "n_games": int(n),
        }
        for row in played
        for score, n in zip(*np.unique(row.scores, return_counts=True), strict=True)
    )


def grid_frame() -> pd.DataFrame:
    """Return exact expected score, sweeps and CPU seconds by recursion, tolerance and γ."""
    lines = []
    for recursion, tolerance, gamma in product((CORRECT, PROGRAM), TOLERANCES, GAMMAS):
        agent = RECURSIONS[recursion](gamma, tolerance)
        lines.append(
            {
                "recursion": recursion,
                "gamma": gamma,
                "tolerance_points": tolerance,
                "exact_score_points": agent.expected_score,
                "n_sticking": agent.n_sticking,
                "n_sweeps": agent.solved.n_sweeps,
                "solving_seconds": agent.solving_seconds(),
            }
        )
    return pd.DataFrame(lines)
