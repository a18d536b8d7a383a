"""Double progressive widening against the plain tree in the same time.

Widening by k′ and α′ lets an action lead to few different states, and so goes deeper under each. It changes what a
simulation takes; so each setting has its own m, chosen by :mod:`study.reproduce.mcts.calibration`. How equal the
times were in the games themselves is said beside each score.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from agents.agent import Agent
from agents.twenty48.agent import Game2048
from study import estimate as intervals
from study.estimate import Estimate
from study.report.scores import estimate_columns, score_columns, scores_of
from study.reproduce.mcts.calibration import Chosen
from study.reproduce.mcts.design import Case


def widening_agents(chosen: Chosen) -> dict[str, Agent]:
    """Return the settings' agents and the plain ones, by their rows' names."""
    agents: dict[str, Agent] = {}
    for setting, (m, _) in chosen.items():
        agents[setting.case.name] = setting.case.agent
        agents[setting.name] = setting.agent(m)
    return agents


def widening_frame(chosen: Chosen, games: Mapping[str, Sequence[Game2048]]) -> pd.DataFrame:
    """Return one row a setting, and one for each plain agent before its settings.

    ``k_state`` and ``alpha_state`` of the plain agent are empty. ``relative_time`` is seconds per move in the games,
    by the plain agent's; ``less_plain_points`` a paired difference on the same seeds.
    """
    lines = []
    for case in dict.fromkeys(setting.case for setting in chosen):
        plain = games[case.name]
        base = score_columns(plain)
        shared: dict[str, Any] = {
            "leaf_value": case.leaf_value.value,
            "plain_n_simulations": case.n_simulations,
        }
        lines.append(
            {
                **shared,
                "k_state": np.nan,
                "alpha_state": np.nan,
                "n_simulations": case.n_simulations,
                **base,
                "relative_time": 1.0,
                "relative_time_calibrated": 1.0,
                **estimate_columns("less_plain", Estimate(0.0, 0.0, 0.0)),
            }
        )
        for setting, (m, relative) in chosen.items():
            if setting.case != case:
                continue
            mine = games[setting.name]
            columns = score_columns(mine)
            apart = intervals.difference(scores_of(mine), scores_of(plain))
            lines.append(
                {
                    **shared,
                    "k_state": setting.k_state,
                    "alpha_state": setting.alpha_state,
                    "n_simulations": m,
                    **columns,
                    "relative_time": columns["seconds_per_move"] / base["seconds_per_move"],
                    "relative_time_calibrated": relative.value,
                    **estimate_columns("less_plain", apart),
                }
            )
    return pd.DataFrame(lines)


def case_of(frame: pd.DataFrame, case: Case) -> tuple["pd.Series[float]", pd.DataFrame]:
    """Return the plain agent's row and its settings' rows."""
    part = frame[
        (frame["leaf_value"] == case.leaf_value.value)
        & (frame["plain_n_simulations"] == case.n_simulations)
    ]
    is_plain = part["k_state"].isna()
    return part[is_plain].iloc[0], part[~is_plain]


def points_a_percent(points: pd.DataFrame, case: Case) -> float:
    """Return what one percent more time is worth to the plain agent at a case's m, in points.

    The slope, over log time, from the point below to the point above; NaN where m is no point.
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
