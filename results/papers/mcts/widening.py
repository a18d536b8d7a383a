"""Progressive widening of states and of actions against the plain tree in the same time.

Widening by k′ and α′ limits the states that may follow an action, widening by k and α the actions
of a state; both search deeper under each. Since they change a simulation's time, each setting has
its own m, chosen by :mod:`results.papers.mcts.calibration`. The table has the relative time of the
calibration, where both agents took turns, and that of the games.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from results.papers.mcts.calibration import Calibration
from results.papers.mcts.design import Case, Widened
from results.papers.paper import estimate_columns, score_columns, scores_of
from thetafront.agents.agent import Agent
from thetafront.study import estimate as intervals


def widening_agents(calibration: Calibration) -> dict[str, Agent]:
    """Return the settings' agents and the plain ones, by row."""
    agents: dict[str, Agent] = {}
    for setting, (m, _) in calibration.items():
        agents[setting.case.name] = setting.case.agent
        agents[setting.name] = setting.agent(m)
    return agents


def widening_frame(calibration: Calibration, games: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row for each plain agent, and one for each of its settings.

    A plain agent's ``widened`` is empty, its ``k`` and ``alpha`` are NaN. ``relative_time`` is
    seconds per move in the games over the plain agent's; ``less_plain_points`` is paired by seed.
    """
    lines = []
    for case in dict.fromkeys(setting.case for setting in calibration):
        plain = games[case.name]
        rows = [(case.name, "", np.nan, np.nan, case.n_simulations, 1.0)]
        rows += [
            (each.name, each.widened.value, each.k, each.alpha, m, relative.value)
            for each, (m, relative) in calibration.items()
            if each.case == case
        ]
        plain_seconds = score_columns(plain)["seconds_per_move"]
        for name, widened, k, alpha, m, relative_time in rows:
            columns = score_columns(games[name])
            difference = intervals.difference(scores_of(games[name]), scores_of(plain))
            lines.append(
                {
                    "leaf_value": case.leaf_value.value,
                    "plain_n_simulations": case.n_simulations,
                    "widened": widened,
                    "k": k,
                    "alpha": alpha,
                    "n_simulations": m,
                    **columns,
                    "relative_time": columns["seconds_per_move"] / plain_seconds,
                    "relative_time_calibrated": relative_time,
                    **estimate_columns("less_plain", difference),
                }
            )
    return pd.DataFrame(lines)


def case_of(
    frame: pd.DataFrame, case: Case, widened: Widened
) -> tuple["pd.Series[float]", pd.DataFrame]:
    """Return the plain agent's row, and the rows of its settings that widen states or actions."""
    part = frame[
        (frame["leaf_value"] == case.leaf_value.value)
        & (frame["plain_n_simulations"] == case.n_simulations)
    ]
    return part[part["widened"] == ""].iloc[0], part[part["widened"] == widened.value]


def points_a_percent(points: pd.DataFrame, case: Case) -> float:
    """Return the plain agent's gain in points from one percent more time.

    The slope over log time between the points below and above a case's m; NaN where m is no point.
    """
    curve = points[points["leaf_value"] == case.leaf_value.value].reset_index(drop=True)
    places = np.flatnonzero(curve["n_simulations"] == case.n_simulations)
    if not len(places) or len(curve) < 2:
        return float("nan")
    below, above = max(0, int(places[0]) - 1), min(len(curve) - 1, int(places[0]) + 1)
    score = curve["score_mean_points"].to_numpy(float)
    seconds = curve["seconds_per_move"].to_numpy(float)
    slope = (score[above] - score[below]) / np.log(seconds[above] / seconds[below])
    return float(slope * np.log(1.01))
