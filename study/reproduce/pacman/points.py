"""Win rates and costs of points, and differences between points, with 95% intervals.

Notation
--------
===========  =======================================================================================
p            win rate of a point, with Wilson's interval
d            of a seed: wins of the one point less wins of the other (or means over several points)
n            seeds; m: differences that are judged together
===========  =======================================================================================

All points play the same seeds, so differences are paired. Their intervals are Agresti and Min's
(*Simple improved confidence intervals for comparing matched proportions*, 2005): half a game is
added to each of the four cells of the paired table, for a mean of Σd/(n + 2) and a variance of
(Σd² + 1)/(n + 2) less its square. They have a width even where all pairs are equal. Of m
differences judged together each has the level 1 − 0.05/m (Bonferroni).
"""

from collections.abc import Sequence
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import norm

from thetafront.agents.agent import digest_of
from thetafront.agents.pacman.agent import PacmanAgent, PacmanGame
from thetafront.agents.pacman.rewards import Distance
from thetafront.engine.pacman import Outcome
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate
from thetafront.study.reproduce.pacman.design import (
    DISTANCE_GAMMA,
    DISTANCE_RADII,
    GAMES_A_TRIAL,
    SWEEP_GAMMAS,
    SWEEP_RADIUS,
    SWEEPS,
    Bars,
    Played,
    after_sweeps,
    to_tolerance,
)

ALPHA = 0.05


def won_by_seed(played: Played, agents: Sequence[PacmanAgent]) -> npt.NDArray[np.float64]:
    """Return the share of agents that won each seed, shape (n_seeds,)."""
    won = np.array([[game.won for game in played[agent]] for agent in agents], np.float64)
    return np.asarray(won.mean(axis=0), np.float64)


def contrast(
    values: npt.NDArray[np.float64], others: npt.NDArray[np.float64], n_together: int = 1
) -> Estimate:
    """Estimate a difference of win rates, by seed; ``n_together`` is m: see the module."""
    d = values - others
    n = len(d) + 2
    middle = float(d.sum()) / n
    variance = (float((d**2).sum()) + 1) / n - middle**2
    half = float(norm.isf(ALPHA / (2 * n_together))) * sqrt(variance / n)
    return Estimate(float(d.mean()), max(middle - half, -1.0), min(middle + half, 1.0))


def win_rate(games: Sequence[PacmanGame]) -> Estimate:
    """Estimate a win rate."""
    return intervals.share(sum(game.won for game in games), len(games))


def columns_of(estimate: Estimate, name: str) -> dict[str, float]:
    """Return an estimate as three columns."""
    return {name: estimate.value, f"{name}_low95": estimate.low, f"{name}_high95": estimate.high}


def trials_sd(games: Sequence[PacmanGame]) -> float:
    """Return the standard deviation of win rates of trials of ten games; NaN below two trials."""
    n_trials = len(games) // GAMES_A_TRIAL
    if n_trials < 2:
        return np.nan
    won = np.array([game.won for game in games[: n_trials * GAMES_A_TRIAL]], np.float64)
    return float(won.reshape(n_trials, GAMES_A_TRIAL).mean(axis=1).std(ddof=1))


def point_columns(games: Sequence[PacmanGame]) -> dict[str, Any]:
    """Return the summary of a point's games."""
    rate = win_rate(games)
    n_moves = sum(game.n_moves for game in games)
    return {
        "n_games": len(games),
        **columns_of(rate, "win_rate"),
        "win_rate_sd_of_ten_games": trials_sd(games),
        "binomial_sd_of_ten_games": sqrt(rate.value * (1 - rate.value) / GAMES_A_TRIAL),
        "n_cut": sum(game.outcome is Outcome.CUT for game in games),
        "score_mean_points": float(np.mean([game.score for game in games])),
        "n_moves_mean": n_moves / len(games),
        "seconds_per_move": sum(game.seconds for game in games) / n_moves,
        "sweeps_per_move": sum(game.n_sweeps for game in games) / n_moves,
        "backups_per_move": sum(game.n_backups for game in games) / n_moves,
        "residual_mean": sum(game.residual_mean * game.n_moves for game in games) / n_moves,
    }


def agent_columns(agent: PacmanAgent) -> dict[str, Any]:
    """Return an agent's parameters; NaN for those that it does not have."""
    names = ("p_chosen", "gamma", "radius", "distance", "tolerance", "max_sweeps", "danger")
    columns = {name: getattr(agent, name, np.nan) for name in names}
    kind = type(agent).__name__
    return {"agent": digest_of(agent), "layout": agent.layout.name, "strategy": kind} | columns


def points_frame(played: Played) -> pd.DataFrame:
    """Return one row an agent: parameters, win rate and cost."""
    return pd.DataFrame(
        agent_columns(agent) | point_columns(games) for agent, games in played.items()
    )


def sweeps_frame(played: Played) -> pd.DataFrame:
    """Return the points of figures 4 and 6; the residual is the mean over games of their means."""
    lines = []
    for (layout, radius), gamma, n_sweeps in product(SWEEP_RADIUS.items(), SWEEP_GAMMAS, SWEEPS):
        games = played[after_sweeps(layout, gamma, radius, n_sweeps)]
        residual = intervals.mean([game.residual_mean for game in games])
        lines.append(
            {
                "layout": layout.name,
                "gamma": gamma,
                "radius": radius,
                "n_sweeps": n_sweeps,
                "n_games": len(games),
                **columns_of(win_rate(games), "win_rate"),
                **columns_of(residual, "residual"),
            }
        )
    return pd.DataFrame(lines)


def distance_frame(played: Played) -> pd.DataFrame:
    """Return maze distance against Manhattan distance by radius and, as ``all``, over all radii.

    The single radii of a layout are judged together, the row over all of them by itself.
    """
    groups = {str(radius): [radius] for radius in DISTANCE_RADII} | {"all": list(DISTANCE_RADII)}
    lines = []
    for layout, (name, radii) in product(SWEEP_RADIUS, groups.items()):
        maze, manhattan = (
            won_by_seed(
                played, [to_tolerance(layout, DISTANCE_GAMMA, radius, each) for radius in radii]
            )
            for each in (Distance.MAZE, Distance.MANHATTAN)
        )
        n_together = 1 if name == "all" else len(DISTANCE_RADII)
        lines.append(
            {
                "layout": layout.name,
                "gamma": DISTANCE_GAMMA,
                "radius": name,
                "n_games": len(maze) * len(radii),
                "win_rate_maze": float(maze.mean()),
                "win_rate_manhattan": float(manhattan.mean()),
                **columns_of(contrast(maze, manhattan, n_together), "difference"),
            }
        )
    return pd.DataFrame(lines)


REPORTED = {
    ("small", "MDP"): 0.65,
    ("medium", "MDP"): 0.48,
    ("medium", "A*"): 0.16,
    ("medium", "random"): 0.0,
}
"""The report's average win rates (introduction and §3.2), where its text gives them."""


def strategies_frame(played: Played, bars: Bars) -> pd.DataFrame:
    """Return figure 7's bars, with the report's win rates."""
    lines = []
    for layout, strategies in bars.items():
        for name, agent in strategies.items():
            kind = next(word for word in ("MDP", "A*", "random") if name.startswith(word))
            reported = REPORTED.get((layout.name, kind), np.nan)
            columns = agent_columns(agent) | {"strategy": name} | point_columns(played[agent])
            lines.append(columns | {"report_win_rate": reported})
    return pd.DataFrame(lines)
