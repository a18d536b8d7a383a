"""What the report leaves open, as Markdown: motion without noise, routes to food, a smaller map."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from thetafront.engine.pacman.motion import P_CHOSEN
from thetafront.study.experiments.objectives import format_seconds
from thetafront.study.report.sections import Section
from thetafront.study.reproduce.pacman.design import MEDIUM
from thetafront.study.reproduce.pacman.questions import (
    CERTAIN,
    MOVERS,
    REPORTED_CERTAIN,
    TIMED_ROUNDS,
    TIMED_SEEDS,
)
from thetafront.study.reproduce.pacman.wording import percent, points


def motion_sections(motion: pd.DataFrame) -> list[Section]:
    """Write win rates by p, and those of A* by danger."""
    rows = []
    for layout, part in motion[motion["strategy"].isin(MOVERS)].groupby("layout", sort=False):
        for name in MOVERS:
            for row in (
                part[part["strategy"] == name].drop_duplicates("p_chosen").to_dict("records")
            ):
                interval = f"{percent(row['win_rate_low95'])} to {percent(row['win_rate_high95'])}"
                rows.append(
                    [str(layout), name, f"{row['p_chosen']:g}", percent(row["win_rate"]), interval,
                     f"{row['n_moves_mean']:.0f}", format_seconds(row["seconds_per_move"])]
                )  # fmt: skip
    n_games = int(motion["n_games"].min())
    medium = motion[(motion["layout"] == MEDIUM.name) & motion["danger"].notna()]
    by_danger = []
    for danger, part in medium.groupby("danger"):
        at = {p: part[part["p_chosen"] == p].iloc[0] for p in (P_CHOSEN, CERTAIN)}
        by_danger.append(
            [f"{danger:g}"]
            + [f"{percent(each['win_rate'])} ({percent(each['win_rate_low95'])} to "
               f"{percent(each['win_rate_high95'])})" for each in at.values()]
        )  # fmt: skip
    columns = ("maze", "strategy", "p", "won", "95%", "moves a game", "CPU a move")
    return [
        Section(
            "Motion: from noisy to certain",
            columns,
            rows,
            f"{n_games:,} games a row. p is the probability that Pacman moves as chosen; the "
            "report has 0.8, and the agents know p.",
            "llrrrrr",
        ),
        Section(
            "A* on medium by danger",
            ("danger", f"p = {P_CHOSEN:g}", f"p = {CERTAIN:g}"),
            by_danger,
            f"{n_games:,} games each. The report has 16% with noise and ca. "
            f"{REPORTED_CERTAIN:.0%} without (§3.2).",
        ),
    ]


def changes_sections(changes: pd.DataFrame) -> list[Section]:
    """Write what routes and the smaller map change."""
    n_games = int(changes["n_games"].min())

    def cells(row: Mapping[Any, Any]) -> list[str]:
        interval = f"{points(row['difference_low95'])} to {points(row['difference_high95'])}"
        rates = [percent(row["win_rate_plain"]), percent(row["win_rate"])]
        return [
            str(row["layout"]),
            str(row["strategy"]),
            *rates,
            points(row["difference"]),
            interval,
        ]

    routes = [
        [*(each := cells(row))[:2], f"{row['route_reward']:g}", *each[2:]]
        for row in changes[~changes["cut"]].to_dict("records")
    ]
    maps = [
        [*cells(row), f"{row['backups_ratio']:.3f}",
         f"{row['seconds_ratio']:.3f} ({row['seconds_ratio_low95']:.3f} to "
         f"{row['seconds_ratio_high95']:.3f})"]
        for row in changes[changes["cut"]].to_dict("records")
    ]  # fmt: skip
    return [
        Section(
            "A rewarded route to food (§4)",
            ("maze", "MDP", "extra reward", "without", "with", "difference, points", "95%"),
            routes,
            f"{n_games:,} games each, paired by seed; intervals of one maze are judged together. "
            "The cells of a shortest path to the nearest food have an extra reward, except in "
            "zones; food has 10.",
            "llrrrrr",
        ),
        Section(
            "A smaller map (§2.2, §4)",
            ("maze", "MDP", "whole map", "smaller", "difference, points", "95%",
             "backups, ratio", "CPU a move, ratio"),
            maps,
            f"{n_games:,} games each, paired by seed. Times are ratios of the two in turns on the "
            f"same seeds, means of {TIMED_ROUNDS} rounds of {TIMED_SEEDS} games.",
            "llrrrrrr",
        ),
    ]  # fmt: skip
