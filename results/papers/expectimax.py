"""Equation 4 of Ripstein (2023): the discount in expectimax on crowded boards.

Notation
--------
===========  =======================================================================================
γ            discount of equation 4; a reward after i spawns counts γⁱ, a leaf γᵈ
k, d, N      expectimax decides where no action leaves more than k cells empty; its depth and its
             playouts a decision
===========  =======================================================================================

The paper gives γ no value in §5.2. It is 1 in all our other results. As for equation 3
(:mod:`results.papers.bellman`), V of a leaf is what remains to be won, or the whole game's score,
which Algorithm 3 returns. Both are played, at two θ with and without expectimax, on the same seeds.
The latter has γ of 0.9, which §3.3 mentions, and 1, and half of the games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.papers import paper
from results.papers.bellman import (
    READINGS,
    difference_of,
    draw_readings,
    mean_of,
    sign_of,
)
from results.papers.reproduction import Reproduction, Results, opened, settings_of
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.agent import Game2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.schedule import AUTHORS_THETA
from thetafront.agents.twenty48.switching import Switching
from thetafront.study import estimate as intervals
from thetafront.study.compare.scores import estimate_columns, mean_columns, scores_of, shown
from thetafront.study.experiments.objectives import PLAYOUT_MOVES
from thetafront.study.report.sections import Section, document
from thetafront.study.report.style import BLACK, STYLE, caption
from thetafront.study.text import listed

GAMMAS = {"the whole game's score": (0.9, 1.0), "what remains": (0.5, 0.9, 0.99, 1.0)}
PLAIN = "without expectimax"
REMAINS = "what remains"
THETAS = (
    Switching(100, 20, 10, 4, 5, 1, switch_at=3, depth=2, leaf_playouts=3000),
    Switching(*AUTHORS_THETA, switch_at=3, depth=2, leaf_playouts=4000),
)


@dataclass(frozen=True)
class Policy:
    """A policy of the table."""

    theta: str
    reading: str  # of V; empty without expectimax
    gamma: float  # NaN without expectimax
    agent: Agent

    def seeds(self, seeds: Sequence[int]) -> Sequence[int]:
        """Return its seeds: the first half where V is the whole game's score, else all."""
        return seeds[: max(2, len(seeds) // 2)] if READINGS.get(self.reading) else seeds

    @property
    def what(self) -> str:
        """How it decides on crowded boards."""
        return f"V {self.reading}, γ = {self.gamma:g}" if self.reading else PLAIN

    @property
    def name(self) -> str:
        """The row's name, in progress and as a key."""
        return f"{self.theta}: {self.what}"


def theta_of(agent: Switching) -> str:
    """Write θ with the numbers of expectimax."""
    theta = (getattr(agent, f"theta{number}") for number in range(1, 7))
    numbers = ", ".join(f"{each:g}" for each in theta)
    return f"θ = ({numbers}), k = {agent.switch_at}, d = {agent.depth}, N = {agent.leaf_playouts:,}"


def policies_of(agent: Switching) -> list[Policy]:
    """Return the agent without expectimax, then with it by reading and γ."""
    theta = theta_of(agent)
    plain = MonteCarloMDP(*(getattr(agent, f"theta{number}") for number in range(1, 7)))
    found = [Policy(theta, "", np.nan, plain)]
    for reading, whole in READINGS.items():
        for gamma in GAMMAS[reading]:
            discounted = replace(agent, gamma=gamma, whole_score=whole)
            found.append(Policy(theta, reading, gamma, discounted))
    return found


POLICIES = [policy for agent in THETAS for policy in policies_of(agent)]


def expectimax_frame(games: Mapping[str, Sequence[Game2048]]) -> pd.DataFrame:
    """Return one row a policy: its mean score and cost, and its differences, in points.

    ``games`` by :attr:`Policy.name`, on the same seeds in the same order, or the first of them.
    ``less_plain`` is the
    difference from the same θ without expectimax, ``less_undiscounted`` that from γ = 1 with V as
    what remains. Intervals are of 95% by bootstrap; differences are paired by seed.
    """
    lines = []
    for policy in POLICIES:
        mine = games[policy.name]
        line: dict[str, Any] = {
            "theta": policy.theta,
            "policy": policy.what,
            "V": policy.reading,
            "gamma": policy.gamma,
            "n_games": len(mine),
            **mean_columns(intervals.mean(scores_of(mine))),
            "playout_moves_per_move": PLAYOUT_MOVES.of(mine),
        }
        for key, reading, gamma in (
            ("less_plain", "", np.nan),
            ("less_undiscounted", REMAINS, 1.0),
        ):
            other = Policy(policy.theta, reading, gamma, policy.agent).name
            others = scores_of(games[other][: len(mine)])
            difference = intervals.difference(scores_of(mine), others)
            line |= estimate_columns(key, difference)
        lines.append(line)
    return pd.DataFrame(lines)


def answer(part: pd.DataFrame) -> str:
    """Say what expectimax and its discount do at one θ."""
    rows = {(row["V"], row["gamma"]): row for _, row in part.iterrows() if row["V"]}
    plain = part[part["policy"] == PLAIN].iloc[0]
    undiscounted = rows[REMAINS, 1.0]
    change = ("not distinguishable from", "better than", "worse than")
    sentences = [
        f"With {part['theta'].iloc[0]}: {mean_of(plain)}, {PLAIN}; {mean_of(undiscounted)}, with "
        f"it at γ = 1: {change[sign_of(undiscounted, 'less_plain')]} the former, "
        f"{difference_of(undiscounted, 'less_plain')} on the same seeds."
    ]
    for reading, gammas in GAMMAS.items():
        others = [rows[reading, gamma] for gamma in reversed(gammas)]
        found = [
            f"{difference_of(row, 'less_undiscounted')} at γ = {row['gamma']:g}"
            for row in others
            if row is not undiscounted
        ]
        n = int(others[-1]["n_games"])
        sentences.append(
            f"Compared with γ = 1 and V as {REMAINS}, n = {n:,} pairs, V as {reading} has "
            f"{listed(found)}."
        )
    return " ".join(sentences)


def section(part: pd.DataFrame) -> Section:
    """Return the table of one θ."""
    columns = ("on crowded boards", "n", "mean score", f"less {PLAIN}", "less γ = 1, what remains")
    rows = [
        (
            row["policy"],
            f"{row['n_games']:,}",
            shown(row, "score_mean", "score"),
            "-" if row["policy"] == PLAIN else difference_of(row, "less_plain"),
            "-" if (row["V"], row["gamma"]) == (REMAINS, 1.0)
            else difference_of(row, "less_undiscounted"),
        )
        for row in part.to_dict("records")
    ]  # fmt: skip
    return Section(str(part["theta"].iloc[0]), columns, rows)


def expectimax_markdown(frame: pd.DataFrame, seeds: Sequence[int]) -> str:
    """Write answers and tables as Markdown."""
    parts = [part for _, part in frame.groupby("theta", sort=False)]
    return document(
        "Equation 4 of Ripstein (2023): the discount in expectimax",
        "A board is crowded if no action leaves more than k cells empty; there the agent decides "
        "by expectimax to depth d with N playouts, elsewhere by equation 2. A reward after i "
        f"spawns counts γⁱ, and a leaf γᵈ. Seeds {seeds[0]} to {seeds[-1]}, the same for all. In "
        "parentheses: 95% bootstrap intervals; differences are paired by seed.",
        *map(answer, parts),
        *map(section, parts),
    )


@mpl.rc_context(STYLE)
def expectimax_figure(frame: pd.DataFrame) -> Figure:
    """Draw mean score against γ by reading of V, a panel for each θ."""
    figure = Figure(figsize=(11.4, 5.2), layout="constrained")
    parts = [part for _, part in frame.groupby("theta", sort=False)]
    panels = figure.subplots(1, len(parts), sharey=True)
    for axes, part in zip(panels, parts, strict=True):
        draw_readings(axes, part, {PLAIN: BLACK}, "V {}")
        theta, numbers = str(part["theta"].iloc[0]).split("), ")
        axes.set_title(f"{theta}),\n{numbers}", fontsize=10.5)
        axes.set(xlabel="γ", ylabel="mean score, points" if axes is panels[0] else "")
    panels[0].set_ylim(0, 1.05 * frame["score_high95_points"].max())
    panels[0].legend(loc="lower right", fontsize=8.5)
    least, most = int(frame["n_games"].min()), int(frame["n_games"].max())
    caption(
        figure,
        f"Expectimax on crowded boards with the discount γ of equation 4. {most:,} games a point, "
        f"{least:,} with V as the whole game's score, on the same seeds; bars and bands: 95% "
        "intervals. V is the value of a leaf: the score that remains to be won from it on, or the "
        "score of the whole game, in which the rewards before the leaf count once more.",
    )
    return figure


def reproduce_expectimax(
    run: Reproduction[Game2048], seeds: Sequence[int], settings: Mapping[str, Any]
) -> str:
    """Play what is missing, write all files, and return the text."""
    played: dict[str, list[Game2048]] = {}
    for some_seeds in dict.fromkeys(each.seeds(seeds) for each in POLICIES):
        some = {each.name: each.agent for each in POLICIES if each.seeds(seeds) == some_seeds}
        played |= run.play(some, some_seeds)
    frame = expectimax_frame(played)
    text = expectimax_markdown(frame, seeds)
    figures = {"expectimax": expectimax_figure(frame)}
    run.write(Results("expectimax", text, {"expectimax": frame}, figures), settings)
    return text


def expectimax(of: paper.Paper) -> None:
    """Play what is missing, and write the results."""
    with opened(of, Game2048) as run:
        print(reproduce_expectimax(run, of.seeds, settings_of(of)), end="")


if __name__ == "__main__":
    paper.script(expectimax, "expectimax", 400)
