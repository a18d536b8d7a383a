"""The tables of scores: points, equal time, widening, exploration, other readings.

A *point* is a leaf value with one m. Between neighbouring points of a leaf value, the score is
interpolated linearly over log seconds per move: it is a weighted sum of the mean scores of the two
points. Times are treated as exact. The leader at a budget (a time per move) is the leaf value with
the largest mean. The largest of several noisy means is biased upwards and shows nothing by itself,
so the leader is compared with **each** of the other leaf values by paired differences.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from results.papers import paper
from results.papers.mcts import design
from results.papers.mcts.design import plain, row_name
from results.papers.mcts.timing import Calibration
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.study import estimate as intervals

BUDGETS = (3e-6, 1e-5, 3e-5, 1e-4, 3e-4)  # seconds per move


def row(games: paper.Games, agent: UCT, name: str = "") -> dict[str, Any]:
    """Return the mean score and the costs of a row's games."""
    mine = games[name or row_name(agent)]
    return paper.score_columns(mine) | paper.mean_costs(mine)


def points_frame(games: paper.Games) -> pd.DataFrame:
    """Return one row per point, by leaf value and m."""
    return pd.DataFrame(
        {"leaf_value": leaf_value.value, "n_simulations": m} | row(games, plain(leaf_value, m))
        for leaf_value in design.TITLES
        for m in design.SIMULATIONS
    )


def weights_at(costs: npt.NDArray[np.float64], budget: float) -> npt.NDArray[np.float64]:
    """Return the weight of each point in the score at a budget, shape (n_points,).

    ``costs`` must increase, and the budget must lie between the first and the last. The weights
    interpolate linearly over log cost between the two neighbouring points; all others are 0.
    """
    right = int(np.clip(np.searchsorted(costs, budget), 1, len(costs) - 1))
    near, far = np.log(costs[right - 1]), np.log(costs[right])
    weights = np.zeros(len(costs))
    weights[right] = (np.log(budget) - near) / (far - near)
    weights[right - 1] = 1.0 - weights[right]
    return weights


def equal_time_frame(points: pd.DataFrame, games: paper.Games) -> pd.DataFrame:
    """Return one row for each budget and each leaf value with points on both sides of the budget.

    ``ahead_of_points`` is the score of the leader minus that of the row's leaf value, paired by
    seed. It is 0 for the leader itself.
    """
    curves = {
        str(leaf_value): part.sort_values("seconds_per_move", kind="stable")
        for leaf_value, part in points.groupby("leaf_value", sort=False)
    }
    lines = []
    for budget in BUDGETS:
        weighted = {}
        for leaf_value, curve in curves.items():
            seconds = curve["seconds_per_move"].to_numpy(float)
            if not seconds[0] <= budget <= seconds[-1]:
                continue
            agents = (plain(LeafValue(leaf_value), m) for m in curve["n_simulations"])
            scores = np.array([paper.read_scores(games[row_name(agent)]) for agent in agents])
            weighted[leaf_value] = weights_at(np.exp(np.log(seconds)), budget) @ scores
        leader = max(weighted, key=lambda each: float(weighted[each].mean()), default="")
        for leaf_value, scores in weighted.items():
            ahead = intervals.difference(weighted[leader], scores)
            line: dict[str, Any] = {"seconds_per_move": budget, "leaf_value": leaf_value}
            line |= {"n_games_a_point": len(scores)}
            line |= paper.interval_row("score", intervals.mean(scores), "_points")
            line |= {"leader": leader}
            lines.append(line | paper.interval_row("ahead_of", ahead, "_points"))
    return pd.DataFrame(lines)


def widening_frame(calibration: Calibration, games: paper.Games) -> pd.DataFrame:
    """Return a row for each plain agent, and one for each setting of widening compared with it.

    For a plain agent, ``widened`` is empty, and ``k`` and ``alpha`` are NaN. ``relative_time`` is
    the row's time per move in the games, divided by the plain agent's. ``relative_time_calibrated``
    is this ratio in the calibration, in which both agents took turns. ``less_plain_points`` is the
    difference from the plain agent, paired by seed.
    """
    lines = []
    for leaf_value, plain_m in design.CASES:
        case = (leaf_value.value, plain_m)
        name = row_name(plain(leaf_value, plain_m))
        rows = [(name, "", np.nan, np.nan, plain_m, 1.0)]
        rows += [
            (each.name, each.widened, each.k, each.alpha, m, relative.value)
            for each, (m, relative) in calibration.items()
            if each[:2] == case
        ]
        seconds = paper.mean_costs(games[name])["seconds_per_move"]
        for mine, widened, k, alpha, m, relative_time in rows:
            line: dict[str, Any] = {"leaf_value": case[0], "plain_n_simulations": plain_m}
            line |= {"widened": widened, "k": k, "alpha": alpha, "n_simulations": m}
            line |= row(games, plain(leaf_value, m), mine)
            line["relative_time"] = line["seconds_per_move"] / seconds
            line["relative_time_calibrated"] = relative_time
            lines.append(line | paper.less(games, mine, less_plain=name))
    return pd.DataFrame(lines)


def points_a_percent(points: pd.DataFrame, leaf_value: LeafValue, m: int) -> float:
    """Return the gain in score from 1% more time, from the curve's points before and after m."""
    curve = points[points["leaf_value"] == leaf_value.value].set_index("n_simulations")
    at = design.SIMULATIONS.index(m)
    ends = curve.loc[[design.SIMULATIONS[at - 1], design.SIMULATIONS[at + 1]]]
    slope = np.diff(ends["score_mean_points"]) / np.diff(np.log(ends["seconds_per_move"]))
    return float(slope[0] * np.log(1.01))


def exploration_frame(games: paper.Games) -> pd.DataFrame:
    """Return one row for each c of a plain agent, with its paired difference from c = 100."""
    lines = []
    for leaf_value, m in design.EXPLORED:
        base = row_name(plain(leaf_value, m))
        for c in design.EXPLORATIONS:
            agent = plain(leaf_value, m, c)
            line = {"leaf_value": leaf_value.value, "n_simulations": m, "exploration_points": c}
            less = paper.less(games, row_name(agent), less_c_100=base)
            lines.append(line | row(games, agent) | less)
    return pd.DataFrame(lines)


def readings_frame(games: paper.Games) -> pd.DataFrame:
    """Return one row per other reading, with its difference from the default, paired by seed."""
    lines = []
    for change, default, agent in design.readings():
        name = f"{row_name(default)}, {change}"
        line: dict[str, Any] = {"reading": change, "leaf_value": agent.leaf_value.value}
        line |= {"n_simulations": agent.n_simulations} | row(games, agent, name)
        mean = intervals.mean(paper.read_scores(games[row_name(default)]))
        line |= paper.interval_row("default", mean, "_points")
        lines.append(line | paper.less(games, name, less_default=row_name(default)))
    return pd.DataFrame(lines)
