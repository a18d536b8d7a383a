"""Win rates and costs of points, and differences between points, with 95% intervals.

A *point* is an agent in a maze. All points play the same seeds, so differences are paired by seed.
Their intervals are those of Agresti and Min (*Simple improved confidence intervals for comparing
matched proportions*, 2005). A table counts the pairs of games by whether the first and the second
game was won. Half a game is added to each of its four cells, so an interval has a width even if the
games of each pair have the same outcome. If m differences are judged together, each interval has
the level 1 − 0.05/m (Bonferroni).
"""

from collections.abc import Iterable, Mapping
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import norm

from results.papers import paper
from results.papers.pacman import design
from results.papers.pacman.design import GAMES_A_TRIAL, Bars, Played
from thetafront.agents.agent import agent_digest
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate

TIMED_ROUNDS = 20
TIMED_SEEDS = 5  # games of a round; each round has different seeds
# The report's average win rates (introduction and §3.2), as far as its text gives them.
REPORTED = {
    ("small", "MDP"): 0.65,
    ("medium", "MDP"): 0.48,
    ("medium", "A*"): 0.16,
    ("medium", "random"): 0.0,
}


def is_won(games: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Return 1 for each game that was won, 0 for the others."""
    return np.asarray(games["outcome"] == "won", np.float64)


def contrast(
    values: npt.NDArray[np.float64], others: npt.NDArray[np.float64], n_together: int = 1
) -> Estimate:
    """Estimate a difference of win rates, paired by seed; ``n_together`` is Bonferroni's m.

    Let d be the differences at n seeds. The middle of the interval is Σd/(n + 2). The variance of d
    is estimated as (Σd² + 1)/(n + 2) minus the square of the middle.
    """
    d = values - others
    n = len(d) + 2
    middle = float(d.sum()) / n
    variance = (float((d**2).sum()) + 1) / n - middle**2
    half = float(norm.isf(0.05 / (2 * n_together))) * sqrt(variance / n)
    return Estimate(float(d.mean()), max(middle - half, -1.0), min(middle + half, 1.0))


def wins_frame(played: Played) -> pd.DataFrame:
    """Return a column of wins for each agent, one row per seed."""
    return pd.DataFrame({agent_digest(agent): is_won(games) for agent, games in played.items()})


def won_by_seed(wins: pd.DataFrame, points: pd.DataFrame, where: str) -> npt.NDArray[np.float64]:
    """Return, for each seed, the share of a group's points that won the game, shape (n_seeds,)."""
    group = points.query(where)["agent"].unique()
    return np.asarray(wins[group].to_numpy().mean(axis=1), np.float64)


def total(values: pd.Series) -> float:
    """Add numbers in their order, so that the last digit is the same on every machine."""
    return float(np.cumsum(values.to_numpy(np.float64))[-1])


def point_columns(games: pd.DataFrame) -> dict[str, Any]:
    """Return columns that summarize the games of a point."""
    won, n_moves = is_won(games), total(games["n_moves"])
    rate = intervals.share(int(won.sum()), len(won))
    n_trials = len(won) // GAMES_A_TRIAL
    trials = won[: n_trials * GAMES_A_TRIAL].reshape(n_trials, GAMES_A_TRIAL).mean(axis=1)
    return {
        "n_games": len(games),
        **paper.interval_row("win_rate", rate),
        "win_rate_sd_of_ten_games": float(trials.std(ddof=1)),
        "binomial_sd_of_ten_games": sqrt(rate.value * (1 - rate.value) / GAMES_A_TRIAL),
        "n_cut": int((games["outcome"] == "cut").sum()),
        "score_mean_points": float(games["score_points"].mean()),
        "n_moves_mean": n_moves / len(games),
        "seconds_per_move": total(games["cpu_seconds"]) / n_moves,
        "sweeps_per_move": total(games["n_sweeps"]) / n_moves,
        "backups_per_move": total(games["n_backups"]) / n_moves,
        "residual_mean": total(games["residual_mean"] * games["n_moves"]) / n_moves,
    }


def points_frame(
    played: Played, named: Iterable[tuple[str, PacmanAgent]] | None = None
) -> pd.DataFrame:
    """Return one row per agent (by default, all agents): parameters, win rate and cost."""
    parameters = ("p_chosen", "gamma", "radius", "distance", "tolerance", "max_sweeps", "danger")
    rows = []
    for strategy, agent in named or [(type(agent).__name__, agent) for agent in played]:
        row: dict[str, Any] = {
            "agent": agent_digest(agent),
            "layout": agent.layout.name,
            "strategy": strategy,
        }
        row |= {each: getattr(agent, each, np.nan) for each in parameters}
        rows.append(row | point_columns(played[agent]))
    return pd.DataFrame(rows)


def select(tried: Played) -> pd.DataFrame:
    """Return one row per candidate, with a column for the chosen ones.

    For each kind of agent in a maze, the candidate with the most wins is chosen. If several
    candidates have the most wins, the first of those with the fewest backups a move is chosen.
    """
    frame = points_frame(tried)
    best_first = frame.sort_values(["win_rate", "backups_per_move"], ascending=[False, True])
    chosen = best_first.groupby(["layout", "strategy"]).head(1).index
    frame.insert(list(frame.columns).index("n_games"), "chosen", frame.index.isin(chosen))
    return frame


def strategies_frame(played: Played, bars: Bars) -> pd.DataFrame:
    """Return figure 7's bars, with the report's win rates."""
    frame = points_frame(played, [each for named in bars.values() for each in named.items()])
    keys = zip(frame["layout"], frame["strategy"].str.split(",").str[0], strict=True)
    return frame.assign(report_win_rate=[REPORTED.get(key, np.nan) for key in keys])


def sweeps_frame(played: Played) -> pd.DataFrame:
    """Return the points of figures 4 and 6; each game's mean residual has the same weight."""
    rows = []
    settings = product(design.SWEEP_RADIUS.items(), design.SWEEP_GAMMAS, design.SWEEPS)
    for (layout, radius), gamma, n in settings:
        games = played[design.after_sweeps(layout, gamma, radius, n)]
        rate = intervals.share(int(is_won(games).sum()), len(games))
        residual = intervals.mean(games["residual_mean"].to_numpy(np.float64))
        row = {"layout": layout.name, "gamma": gamma, "radius": radius, "n_sweeps": n}
        row |= {"n_games": len(games), **paper.interval_row("win_rate", rate)}
        rows.append(row | paper.interval_row("residual", residual))
    return pd.DataFrame(rows)


def distance_frame(wins: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Compare maze with Manhattan distance for each radius and, as ``all``, over all radii.

    The single radii of a layout are judged together; the row ``all`` is judged by itself.
    """
    groups = {str(radius): [radius] for radius in design.ZONE_RADII}
    groups["all"] = list(design.ZONE_RADII)
    rows = []
    for layout, (name, radii) in product(("small", "medium"), groups.items()):
        where = f"layout == '{layout}' and tolerance > 0 and gamma == 0.9 and radius in {radii}"
        maze, manhattan = (
            won_by_seed(wins, points, f"{where} and distance == '{each}'")
            for each in ("maze", "manhattan")
        )
        row = {"layout": layout, "gamma": 0.9, "radius": name, "n_games": len(maze) * len(radii)}
        row |= {"win_rate_maze": maze.mean(), "win_rate_manhattan": manhattan.mean()}
        n_together = 1 if name == "all" else len(design.ZONE_RADII)
        rows.append(row | paper.interval_row("difference", contrast(maze, manhattan, n_together)))
    return pd.DataFrame(rows)


def time_ratio(changed: PacmanMDP, plain: PacmanMDP, first_seed: int) -> Estimate:
    """Estimate the ratio of the changed agent's CPU time per move to the plain agent's.

    Both agents take turns on the same few seeds, so a drift of the machine's speed affects both.
    """
    ratios = []
    for k in range(TIMED_ROUNDS):
        seeds = range(first_seed + k * TIMED_SEEDS, first_seed + (k + 1) * TIMED_SEEDS)
        cost = {}
        for agent in (changed, plain) if k % 2 else (plain, changed):
            games = [agent.play(seed) for seed in seeds]
            cost[agent] = sum(game.seconds for game in games) / sum(game.n_moves for game in games)
        ratios.append(cost[changed] / cost[plain])
    return intervals.t_interval(ratios)


def changes_frame(played: Played, bars: Bars, times: Mapping[PacmanMDP, Estimate]) -> pd.DataFrame:
    """Return one row per comparison: wins, backups per move, and the time if it was measured.

    The rows of a layout that ask the same question are judged together.
    """
    rows = []
    for layout, planner, plain, changed in design.changes(bars):
        games, others = played[changed], played[plain]
        n_together = len(design.PLANNERS) * (1 if changed.cut else len(design.ROUTE_REWARDS))
        difference = contrast(is_won(games), is_won(others), n_together)
        now, before = point_columns(games), point_columns(others)
        row = {"layout": layout.name, "strategy": planner, "route_reward": changed.route_reward}
        row |= {"cut": changed.cut, "n_games": len(games)}
        row |= {"win_rate_plain": before["win_rate"], "win_rate": now["win_rate"]}
        row |= paper.interval_row("difference", difference)
        gained = now["score_mean_points"] - before["score_mean_points"]
        row |= {"score_difference_points": gained}
        row |= {"backups_ratio": now["backups_per_move"] / before["backups_per_move"]}
        ratio = times.get(changed, Estimate(np.nan))
        rows.append(row | paper.interval_row("seconds_ratio", ratio))
    return pd.DataFrame(rows)
