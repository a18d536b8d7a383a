"""Equation 3 of Ripstein (2023), R(s, a) + γ·V(s′), against equation 2 with the same schedule.

Notation
--------
===========  =======================================================================================
R(s, a)      immediate reward of an action
G            points of a random game from s′ on: the mean of a node's best playouts
γ            discount
w            weight of R: an action's value is w·R(s, a) + γ·Σ P(s′|s, a)·G
===========  =======================================================================================

The paper does not define V in equation 3. Its Algorithm 3 returns the score of the *whole* game,
and §3.3 speaks of random games that "tend to end with a score only marginally higher than the
current score", so one reading of V is that score. The score before s is the same for all actions;
the reward of a is then in V and in R: w = 1 + γ. In the textbook V is the *remaining* score from s′
on: w = 1, and γ = 1 is equation 2 itself. Both readings are played.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from results.papers import paper
from results.papers.reproduction import Reproduction, Results, games_in, opened, settings_of
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, Table1
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.study import estimate as intervals
from thetafront.study.compare.scores import (
    estimate_columns,
    mean_columns,
    score_bars,
    scores_of,
    shown,
)
from thetafront.study.experiments.agent_parser import agent_of
from thetafront.study.report.sections import document, markdown_table
from thetafront.study.report.style import (
    BLACK,
    BLUE,
    GREY,
    RED,
    STYLE,
    caption,
    new_figure,
    points_axis,
)

GAMMAS = (0.5, 0.7, 0.9, 0.99, 1.0)
PAPERS_GAMMA = 0.9
EQUATION_2 = "equation 2"
PURE = "pure Monte Carlo, 100 playouts a direction"
REFERENCES = {"less_equation_2": EQUATION_2, "less_pure_monte_carlo": PURE}
READINGS = {"the whole game's score": True, "what remains": False}
SHARE_OF_GAMES = 0.4  # of policies that the paper does not mention


@dataclass(frozen=True)
class Policy:
    """A policy of the table."""

    name: str
    reading: str  # of V; empty for the two references
    gamma: float  # NaN for the references
    agent: Agent

    def seeds(self, seeds: Sequence[int]) -> Sequence[int]:
        """Return its seeds: all where the paper makes a statement, else the first 40%."""
        if not self.reading or self.gamma in {PAPERS_GAMMA, 1.0}:
            return seeds
        return seeds[: max(2, round(SHARE_OF_GAMES * len(seeds)))]


def policies_of(plain: MonteCarloMDP | Table1) -> list[Policy]:
    """Return equation 2 and pure Monte Carlo, then equation 3 by reading and γ.

    ``plain`` is equation 2, with the schedule and top share of all others but pure Monte Carlo.
    """
    found = [Policy(EQUATION_2, "", np.nan, plain), Policy(PURE, "", np.nan, PureMonteCarlo(100))]
    for reading, whole in READINGS.items():
        for gamma in GAMMAS:
            agent = replace(plain, gamma=gamma, reward_weight=1.0 + gamma if whole else 1.0)
            found.append(Policy(f"equation 3, V {reading}, γ = {gamma:g}", reading, gamma, agent))
    return found


def bellman_frame(
    policies: Sequence[Policy], games: Mapping[str, Sequence[Game2048]]
) -> pd.DataFrame:
    """Return one row a policy: its mean score, and its differences from the references.

    ``games`` by :attr:`Policy.name`, on the same seeds in the same order, or the first of them.
    Points, with 95% bootstrap intervals; differences are paired by seed.
    """
    scores = {name: scores_of(each) for name, each in games.items()}
    lines = []
    for policy in policies:
        mine = scores[policy.name]
        line = {
            "policy": policy.name,
            "V": policy.reading,
            "gamma": policy.gamma,
            "n_games": len(mine),
            **mean_columns(intervals.mean(mine)),
        }
        for key, other in REFERENCES.items():
            difference = intervals.difference(mine, scores[other][: len(mine)])
            line |= estimate_columns(key, difference)
        lines.append(line)
    return pd.DataFrame(lines)


def sign_of(row: Any, key: str) -> int:
    """Return the sign of a difference: 0 where its interval contains 0."""
    return int(row[f"{key}_low95_points"] > 0) - int(row[f"{key}_high95_points"] < 0)


def answer(frame: pd.DataFrame) -> str:
    """Say in a paragraph whether equation 3 falls back to pure Monte Carlo's level."""
    by_policy = frame.set_index("policy")
    sentences = [
        f"By equation 2 the agent scores {mean_of(by_policy.loc[EQUATION_2])}, pure Monte Carlo "
        f"{mean_of(by_policy.loc[PURE])}.",
        f"The paper says that equation 3 with γ = {PAPERS_GAMMA:g} falls back to the level of pure "
        "Monte Carlo.",
    ]
    for _, row in frame[frame["gamma"] == PAPERS_GAMMA].iterrows():
        change = ("not distinguishable from", "better than", "worse than")
        level = ("is not distinguishable from", "stays above", "falls below")
        sentences.append(
            f"With V as {row['V']} it scores {mean_of(row)}: "
            f"{change[sign_of(row, 'less_equation_2')]} equation 2, "
            f"{difference_of(row, 'less_equation_2')} on the same seeds, and it "
            f"{level[sign_of(row, 'less_pure_monte_carlo')]} pure Monte Carlo, "
            f"{difference_of(row, 'less_pure_monte_carlo')}."
        )
    return " ".join(sentences)


def mean_of(row: Any) -> str:
    """Write a mean with its interval and n."""
    return f"{shown(row, 'score_mean', 'score')[:-1]}, n = {row['n_games']:,.0f})"


def difference_of(row: Any, key: str) -> str:
    """Write a difference with its interval."""
    return shown(row, key, key, "+")


def bellman_markdown(frame: pd.DataFrame, seeds: Sequence[int], what: str) -> str:
    """Write answer and table as Markdown; ``what`` names θ."""
    rows = [
        (
            row["policy"],
            f"{row['n_games']:,}",
            shown(row, "score_mean", "score"),
            *(
                "-" if row["policy"] == name else difference_of(row, key)
                for key, name in REFERENCES.items()
            ),
        )
        for _, row in frame.iterrows()
    ]
    differences = ("less equation 2, same seeds", "less pure Monte Carlo, same seeds")
    return document(
        "Equation 3 of Ripstein (2023) against equation 2",
        f"{what}. Seeds {seeds[0]} to {seeds[-1]}, or the first of them, the same for all "
        "policies. In parentheses: 95% bootstrap intervals; differences are paired by seed.",
        answer(frame),
        markdown_table(("policy", "n", "mean score", *differences), rows),
    )


def draw_readings(
    axes: Axes, frame: pd.DataFrame, references: Mapping[str, str], label: str
) -> None:
    """Draw mean score against γ by reading of V, and the level of reference policies.

    Parameters
    ----------
    axes : Axes
        Where to draw.
    frame : DataFrame
        Rows with ``policy``, ``V``, ``gamma`` and the columns of a mean score.
    references : mapping of str to str
        Colours by policy.
    label : str
        Of a curve in the legend, with braces for the reading.
    """
    for name, colour in references.items():
        row = frame[frame["policy"] == name].iloc[0]
        low, high = row["score_low95_points"], row["score_high95_points"]
        axes.axhspan(low, high, color=colour, alpha=0.15, linewidth=0)
        axes.axhline(row["score_mean_points"], color=colour, linewidth=1.4, label=name)
    gammas = np.unique(frame["gamma"].dropna())
    for reading, colour, offset in zip(READINGS, (RED, BLUE), (-0.04, 0.04), strict=True):
        part = frame[frame["V"] == reading].sort_values("gamma")
        places = np.searchsorted(gammas, part["gamma"]) + offset
        style = {"fmt": "o-", "capsize": 3, "linewidth": 1.3}
        score_bars(axes, places, part, color=colour, label=label.format(reading), **style)
    axes.set_xticks(range(len(gammas)), [f"{gamma:g}" for gamma in gammas])
    axes.grid(visible=False, axis="x")
    points_axis(axes)
    axes.set_ylim(bottom=0)


@mpl.rc_context(STYLE)
def bellman_figure(frame: pd.DataFrame, what: str) -> Figure:
    """Draw mean score against γ by reading of V, between equation 2 and pure Monte Carlo."""
    figure, axes = new_figure(8.2, 5.0)
    draw_readings(axes, frame, {EQUATION_2: BLACK, PURE: GREY}, "equation 3, V {}")
    title = "Equation 3: R + γ·V in place of V"
    axes.set(xlabel="γ", ylabel="mean score, points", title=title)
    axes.legend(loc="lower right", fontsize=8.5)
    least, most = int(frame["n_games"].min()), int(frame["n_games"].max())
    caption(
        figure,
        f"{what}. {most:,} games for equation 2, pure Monte Carlo and equation 3 at γ = 0.9 and 1, "
        f"{least:,} elsewhere, on the same seeds; bars and bands: 95% intervals. With V as what "
        "remains, γ = 1 is equation 2 itself.",
    )
    return figure


def reproduce_bellman(
    run: Reproduction[Game2048],
    plain: MonteCarloMDP | Table1,
    what: str,
    seeds: Sequence[int],
    settings: Mapping[str, Any],
) -> str:
    """Play what is missing, write all files, and return the text; ``what`` names θ."""
    policies = policies_of(plain)
    played: dict[str, list[Game2048]] = {}
    for some_seeds in dict.fromkeys(policy.seeds(seeds) for policy in policies):
        some = {each.name: each.agent for each in policies if each.seeds(seeds) == some_seeds}
        played |= run.play(some, some_seeds)
    frame = bellman_frame(policies, played)
    text = bellman_markdown(frame, seeds, what)
    figures = {"bellman": bellman_figure(frame, what)}
    run.write(Results("bellman", text, {"bellman": frame}, figures), settings)
    return text


def bellman(of: paper.Paper) -> None:
    """Play what is missing, and write the results."""
    plain: MonteCarloMDP | Table1 = Table1()
    what = "The schedule of the paper's Table 1, all playouts kept"
    if of.options.theta is not None:
        given, values = agent_of("mcmdp", of.options.theta)
        assert isinstance(given, MonteCarloMDP)
        plain = given
        what = "θ = (" + ", ".join(f"{values[f'theta{k}']:g}" for k in range(1, 7)) + ")"
    for folder in of.options.reuse:
        games_in(folder)  # before anything is written
    with opened(of, Game2048) as run:
        run.reuse(of.options.reuse, [policy.agent for policy in policies_of(plain)])
        print(reproduce_bellman(run, plain, what, of.seeds, settings_of(of)), end="")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add θ, and folders whose games count."""
    parser.add_argument("--theta", help="six numbers with commas; by default Table 1's schedule")
    parser.add_argument(
        "--reuse",
        type=Path,
        action="append",
        default=[],
        help="folder of another paper's script: its games of the same agents count; repeatable",
    )


if __name__ == "__main__":
    paper.script(bellman, "bellman", 1000, add=add_options)
