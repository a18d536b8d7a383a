"""Equation 3 of Ripstein (2023), the policy by R(s, a) + γ·V(s′), against equation 2 at the same schedule.

Notation
--------
===========  =======================================================================================
R(s, a)      what the action scores at once
G            what is won in a random game from s′ on: the mean of a node's best playouts
γ            discount
w            weight of R: an action's value is w·R(s, a) + γ·Σ P(s′|s, a)·G
===========  =======================================================================================

What V means in equation 3, the paper does not say. Its Algorithm 3 returns the score of the *whole* game, and
§3.3 speaks of random games that "tend to end with a score only marginally higher than the current score": so we
take V to be that. The score before s is the same for all actions; what a scores stands in V and in R, and so
w = 1 + γ. In the textbook's equation V is what *remains* to be won from s′ on, w = 1, and then γ = 1 is equation 2
itself. Both are played.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from agents.agent import Agent
from agents.twenty48.agent import Game2048
from agents.twenty48.mcmdp import MonteCarloMDP, Table1
from agents.twenty48.pmcts import PureMonteCarlo
from study import estimate as intervals
from study.report.scores import estimate_columns, mean_columns, score_bars, scores_of, shown
from study.report.style import BLACK, BLUE, GREY, RED, STYLE, caption, new_figure, points_axis

GAMMAS = (0.5, 0.7, 0.9, 0.99, 1.0)
PAPERS_GAMMA = 0.9
EQUATION_2 = "equation 2"
PURE = "pure Monte Carlo, 100 playouts a direction"
READINGS = {"the whole game's score": True, "what remains": False}
SHARE_OF_GAMES = 0.4  # of rows that the paper does not speak of


@dataclass(frozen=True)
class Row:
    """A policy.

    Attributes
    ----------
    name : str
        Which.
    reading : str
        What V means; empty for the two to compare with.
    gamma : float
        γ; NaN likewise.
    agent : Agent
        Who plays.
    """

    name: str
    reading: str
    gamma: float
    agent: Agent


def rows(plain: MonteCarloMDP | Table1) -> list[Row]:
    """Return the policies: equation 2 and pure Monte Carlo, then equation 3 by reading and γ.

    Parameters
    ----------
    plain : MonteCarloMDP or Table1
        The agent by equation 2, whose schedule and top share all others but pure Monte Carlo have.
    """
    found = [
        Row(EQUATION_2, "", np.nan, plain),
        Row(PURE, "", np.nan, PureMonteCarlo(100)),
    ]
    for reading, whole in READINGS.items():
        for gamma in GAMMAS:
            agent = replace(plain, gamma=gamma, reward_weight=1.0 + gamma if whole else 1.0)
            found.append(Row(f"equation 3, V {reading}, γ = {gamma:g}", reading, gamma, agent))
    return found


def seeds_of_row(row: Row, seeds: Sequence[int]) -> Sequence[int]:
    """Return what a row plays: all seeds where the paper says something, the first of them elsewhere."""
    if not row.reading or row.gamma in {PAPERS_GAMMA, 1.0}:
        return seeds
    return seeds[: max(2, round(SHARE_OF_GAMES * len(seeds)))]


def bellman_frame(policies: Sequence[Row], games: Mapping[str, Sequence[Game2048]]) -> pd.DataFrame:
    """Return one row a policy: mean score, and its differences from equation 2 and pure Monte Carlo.

    Parameters
    ----------
    policies : sequence of Row
        From :func:`rows`.
    games : mapping of str to sequence of Game2048
        By :attr:`Row.name`; all of the same seeds in the same order, or of the first of them.

    Returns
    -------
    DataFrame
        Points, with 95% intervals by bootstrap; differences in pairs of equal seeds.
    """
    scores = {name: scores_of(each) for name, each in games.items()}
    lines = []
    for row in policies:
        mine = scores[row.name]
        line = {
            "policy": row.name,
            "V": row.reading,
            "gamma": row.gamma,
            "n_games": len(mine),
            **mean_columns(intervals.mean(mine)),
        }
        for key, other in (("equation_2", EQUATION_2), ("pure_monte_carlo", PURE)):
            apart = intervals.difference(mine, scores[other][: len(mine)])
            line |= estimate_columns(f"less_{key}", apart)
        lines.append(line)
    return pd.DataFrame(lines)


def answer(frame: pd.DataFrame) -> str:
    """Say in a paragraph whether equation 3 falls back to pure Monte Carlo's level."""
    base = frame[frame["policy"] == EQUATION_2].iloc[0]
    pure = frame[frame["policy"] == PURE].iloc[0]
    sentences = [
        f"By equation 2 the agent scores {mean_of(base)}, pure Monte Carlo {mean_of(pure)}.",
        f"The paper says that equation 3 with γ = {PAPERS_GAMMA:g} falls back to the latter's level.",
    ]
    at = frame[frame["gamma"] == PAPERS_GAMMA]
    for _, row in at.iterrows():
        low, high = (
            row["less_pure_monte_carlo_low95_points"],
            row["less_pure_monte_carlo_high95_points"],
        )
        if low > 0:
            verdict = "it stays above pure Monte Carlo"
        elif high < 0:
            verdict = "it falls below pure Monte Carlo"
        else:
            verdict = "it is not told apart from pure Monte Carlo"
        drop = row["less_equation_2_high95_points"] < 0
        rise = row["less_equation_2_low95_points"] > 0
        change = "worse than" if drop else "better than" if rise else "not told apart from"
        sentences.append(
            f"With V as {row['V']} it scores {mean_of(row)}: {change} equation 2, "
            f"{gap_of(row, 'less_equation_2')} on the same seeds, and {verdict}, "
            f"{gap_of(row, 'less_pure_monte_carlo')}."
        )
    return " ".join(sentences)


def mean_of(row: "pd.Series[float]") -> str:
    """Write a mean with its interval and its n."""
    return (
        f"{row['score_mean_points']:,.0f} ({row['score_low95_points']:,.0f} to "
        f"{row['score_high95_points']:,.0f}, n = {row['n_games']:,.0f})"
    )


def gap_of(row: "pd.Series[float]", key: str) -> str:
    """Write a difference with its interval."""
    return shown(row, key, key, "+")


def bellman_markdown(frame: pd.DataFrame, seeds: Sequence[int], what: str) -> str:
    """Write paragraph and table as Markdown; ``what`` says at which θ."""
    lines = [
        "# Equation 3 of Ripstein (2023) against equation 2",
        "",
        f"{what}. Seeds {seeds[0]} to {seeds[-1]}, or the first of them, the same for all policies; in parentheses "
        "95% intervals by bootstrap, differences in pairs of equal seeds.",
        "",
        answer(frame),
        "",
        "| policy | n | mean score | less equation 2, same seeds | less pure Monte Carlo, same seeds |",
        "|---|---:|---:|---:|---:|",
    ]
    for _, row in frame.iterrows():
        gaps = [
            "-" if row["policy"] == name else gap_of(row, key)
            for name, key in ((EQUATION_2, "less_equation_2"), (PURE, "less_pure_monte_carlo"))
        ]
        lines.append(
            f"| {row['policy']} | {row['n_games']:,} | {shown(row, 'score_mean', 'score')} | "
            f"{gaps[0]} | {gaps[1]} |"
        )
    return "\n".join(lines) + "\n"


@mpl.rc_context(STYLE)
def bellman_figure(frame: pd.DataFrame, what: str) -> Figure:
    """Draw mean score against γ by reading of V, between equation 2 and pure Monte Carlo."""
    figure, axes = new_figure(8.2, 5.0)
    for name, colour in ((EQUATION_2, BLACK), (PURE, GREY)):
        row = frame[frame["policy"] == name].iloc[0]
        axes.axhspan(
            row["score_low95_points"],
            row["score_high95_points"],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
        axes.axhline(row["score_mean_points"], color=colour, linewidth=1.4, label=name)
    for (reading, colour), offset in zip(
        zip(READINGS, (RED, BLUE), strict=True), (-0.04, 0.04), strict=True
    ):
        part = frame[frame["V"] == reading].sort_values("gamma")
        score_bars(
            axes,
            np.arange(len(part)) + offset,
            part,
            fmt="o-",
            color=colour,
            capsize=3,
            linewidth=1.3,
            label=f"equation 3, V {reading}",
        )
    axes.set_xticks(range(len(GAMMAS)), [f"{gamma:g}" for gamma in GAMMAS])
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("γ")
    axes.set_ylabel("mean score, points")
    points_axis(axes)
    axes.set_ylim(bottom=0)
    axes.set_title("Equation 3: R + γ·V in place of V")
    axes.legend(loc="lower right", fontsize=8.5)
    least, most = int(frame["n_games"].min()), int(frame["n_games"].max())
    caption(
        figure,
        f"{what}. {most:,} games for equation 2, pure Monte Carlo and equation 3 at γ = 0.9 and 1, {least:,} elsewhere, on "
        "the same seeds; bars and bands: 95% intervals. With V as what remains, γ = 1 is equation 2 itself.",
    )
    return figure
