"""Score against the number of simulations, and against time, by leaf value.

Between neighbouring points of a leaf value the score is interpolated linearly over log seconds per
move (:func:`weights_at`): a weighted sum of two points' mean scores.
Times count as exact. The leader at a budget is compared with **each** of the others by paired
differences: the largest of several noisy means is biased upwards, and shows nothing by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from results.papers.mcts.design import EXPLORATION, TITLES, Case, Design
from results.papers.paper import estimate_columns, score_columns, scores_of
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.study import estimate as intervals
from thetafront.study.estimate import Estimate

Floats = npt.NDArray[np.float64]

BUDGET_DIGITS = (1.0, 3.0)  # times a power of ten: round budgets
UNKNOWN = Estimate(np.nan)
EQUAL_TIME_COLUMNS = [
    *("seconds_per_move", "leaf_value", "n_games_a_point", *estimate_columns("score", UNKNOWN)),
    *("leader", *estimate_columns("ahead_of", UNKNOWN)),
]


def plain_agents(simulations: Sequence[int]) -> dict[str, Agent]:
    """Return the agents of all points, by row."""
    cases = [Case(leaf_value, m) for m in simulations for leaf_value in TITLES]
    return {case.name: case.agent for case in cases}


def points_frame(simulations: Sequence[int], games: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row a point, by leaf value and m."""
    return pd.DataFrame(
        {"leaf_value": leaf_value.value, "n_simulations": m}
        | score_columns(games[Case(leaf_value, m).name])
        for leaf_value in TITLES
        for m in simulations
    )


def exploration_frame(design: Design, games: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row for each c of a plain agent, with its paired difference from c = 100."""
    lines = []
    for plain in design.exploration_cases:
        base = scores_of(games[plain.name])
        for c in sorted((EXPLORATION, *design.explorations)):
            mine = games[replace(plain, exploration=c).name]
            difference = intervals.difference(scores_of(mine), base)
            lines.append(
                {
                    "leaf_value": plain.leaf_value.value,
                    "n_simulations": plain.n_simulations,
                    "exploration_points": c,
                    **score_columns(mine),
                    **estimate_columns("less_c_100", difference),
                }
            )
    return pd.DataFrame(lines)


class Curve(NamedTuple):
    """A leaf value's points, the cheapest first: log seconds per move, means, and order in m."""

    log_seconds: Floats
    means: Floats
    order: npt.NDArray[np.intp]

    def spans(self, log_seconds: float) -> bool:
        """Tell whether a time lies between the ends."""
        return bool(self.log_seconds[0] <= log_seconds <= self.log_seconds[-1])

    def at(self, log_seconds: float) -> float:
        """Return the score at a time between the ends."""
        return float(np.interp(log_seconds, self.log_seconds, self.means))


def curves_of(points: pd.DataFrame) -> dict[str, Curve]:
    """Return the curve of each leaf value, in the order of the table."""
    curves = {}
    for leaf_value, part in points.groupby("leaf_value", sort=False):
        seconds = part["seconds_per_move"].to_numpy(float)
        order = np.argsort(seconds, kind="stable")
        means = part["score_mean_points"].to_numpy(float)
        curves[str(leaf_value)] = Curve(np.log(seconds[order]), means[order], order)
    return curves


def budgets_of(points: pd.DataFrame) -> list[float]:
    """Return the seconds per move, 1 or 3 times a power of ten, that two or more curves span."""
    curves = list(curves_of(points).values())
    lowest = min(curve.log_seconds[0] for curve in curves)
    highest = max(curve.log_seconds[-1] for curve in curves)
    powers = range(int(np.floor(lowest / np.log(10))), int(np.ceil(highest / np.log(10))) + 1)
    budgets = [float(f"{digit:g}e{power}") for power in powers for digit in BUDGET_DIGITS]
    return [each for each in budgets if sum(curve.spans(np.log(each)) for curve in curves) > 1]


def weights_at(costs: Floats, budget: float) -> Floats:
    """Return the weights of points, by increasing cost, in the score at a budget between the ends.

    Linear interpolation over log cost between the two neighbours; shape (n_points,).
    """
    right = int(np.clip(np.searchsorted(costs, budget), 1, len(costs) - 1))
    near, far = np.log(costs[right - 1]), np.log(costs[right])
    weights = np.zeros(len(costs))
    weights[right] = (np.log(budget) - near) / (far - near)
    weights[right - 1] = 1.0 - weights[right]
    return weights


def equal_time_frame(
    simulations: Sequence[int],
    points: pd.DataFrame,
    games: Mapping[str, pd.DataFrame],
    budgets: Sequence[float],
) -> pd.DataFrame:
    """Return, for each budget in seconds a move, one row a leaf value whose points span it.

    ``ahead_of_points`` is the paired difference to the leader, the largest mean: 0 for the leader.
    """
    curves = curves_of(points)
    lines = []
    for budget in budgets:
        weighted: dict[str, Floats] = {}
        for leaf_value, curve in curves.items():
            if not curve.spans(float(np.log(budget))):
                continue
            names = [Case(LeafValue(leaf_value), simulations[k]).name for k in curve.order]
            weights = weights_at(np.exp(curve.log_seconds), budget)
            weighted[leaf_value] = weights @ np.array([scores_of(games[name]) for name in names])
        leader = max(weighted, key=lambda each: float(weighted[each].mean()))
        for leaf_value, scores in weighted.items():
            mean = intervals.mean(scores)
            ahead = intervals.difference(weighted[leader], scores)
            lines.append(
                {"seconds_per_move": budget, "leaf_value": leaf_value, "leader": leader}
                | {"n_games_a_point": len(scores)}
                | estimate_columns("score", mean)
                | estimate_columns("ahead_of", ahead)
            )
    return pd.DataFrame(lines, columns=EQUAL_TIME_COLUMNS)


class Lead(NamedTuple):
    """A range of seconds per move in which a leaf value has the largest observed mean score."""

    leaf_value: str
    low: float
    high: float


def leads(points: pd.DataFrame) -> list[Lead]:
    """Return the leaders, in the order of time, where two or more curves have points.

    Curves are straight between points: the lead changes only at points and crossings.
    """
    curves = curves_of(points)
    knots = np.unique(np.concatenate([curve.log_seconds for curve in curves.values()]))
    turns = set(map(float, knots))
    for low, high in pairwise(knots):
        middle = (low + high) / 2
        inside = [curve for curve in curves.values() if curve.spans(middle)]
        for one, other in combinations(inside, 2):
            before, after = one.at(low) - other.at(low), one.at(high) - other.at(high)
            if before * after < 0:
                turns.add(float(low + (high - low) * before / (before - after)))
    found: list[Lead] = []
    for low, high in pairwise(sorted(turns)):
        middle = (low + high) / 2
        there = {name: curve.at(middle) for name, curve in curves.items() if curve.spans(middle)}
        if len(there) < 2:
            continue
        leader = max(there, key=lambda name: there[name])
        if found and found[-1].leaf_value == leader:
            found[-1] = found[-1]._replace(high=float(np.exp(high)))
        else:
            found.append(Lead(leader, float(np.exp(low)), float(np.exp(high))))
    return found
