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

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.papers import paper
from results.papers.bellman import READINGS, draw_readings
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.switching import Switching
from thetafront.study import estimate as intervals

WHOLE, REMAINS = READINGS
GAMMAS = {WHOLE: (0.9, 1.0), REMAINS: (0.5, 0.9, 0.99, 1.0)}
PLAIN = "without expectimax"
THETAS = (
    Switching(100, 20, 10, 4, 5, 1, switch_at=3, depth=2, leaf_playouts=3000),
    Switching(switch_at=3, depth=2, leaf_playouts=4000),
)

METHOD = """\
A board is crowded if no action leaves more than k cells empty; there the agent decides by
expectimax to depth d with N playouts, elsewhere by equation 2. A reward after i spawns counts γⁱ,
and a leaf γᵈ. Seeds {first} to {last}, the same for all. In parentheses: 95% bootstrap intervals;
differences are paired by seed."""
ANSWER = """\
With {theta} the agent scores {plain} without expectimax. With expectimax, γ = 1 and V as what
remains it scores {expectimax}; the difference is {gain} on the same seeds. A discount then changes
the score by {rest[γ = 0.99]} at γ = 0.99, {rest[γ = 0.9]} at 0.9 and {rest[γ = 0.5]} at 0.5. With
V as the whole game's score the difference from γ = 1 and what remains is {whole[γ = 1]} at γ = 1
and {whole[γ = 0.9]} at 0.9, n = {n_whole:,} pairs."""
CONCLUSION = """\
At both θ, expectimax does not need the discount: γ of 0.9 and 0.99 cannot be told from 1, and 0.5
costs points. V as the whole game's score gains nothing."""


def theta_of(agent: Switching) -> str:
    """Write θ with the numbers of expectimax."""
    theta = (getattr(agent, f"theta{number}") for number in range(1, 7))
    numbers = ", ".join(f"{each:g}" for each in theta)
    return f"θ = ({numbers}), k = {agent.switch_at}, d = {agent.depth}, N = {agent.leaf_playouts:,}"


def policies(agent: Switching) -> dict[tuple[str, float], Agent]:
    """Return, by reading of V and γ, the agent without expectimax, then with it."""
    plain = MonteCarloMDP(*(getattr(agent, f"theta{number}") for number in range(1, 7)))
    return {("", np.nan): plain} | {
        (reading, gamma): replace(agent, gamma=gamma, whole_score=whole)
        for reading, whole in READINGS.items()
        for gamma in GAMMAS[reading]
    }


def name_of(reading: str, gamma: float) -> str:
    """Say how a policy decides on crowded boards."""
    return f"V {reading}, γ = {gamma:g}" if reading else PLAIN


def expectimax_frame(games: Mapping[str, Mapping[str, pd.DataFrame]]) -> pd.DataFrame:
    """Return one row a policy: its mean score and cost, and its differences, in points.

    ``games`` by θ and by :func:`name_of`, on the same seeds in the same order, or the first of
    them. ``less_plain`` is the difference from the same θ without expectimax, ``less_undiscounted``
    that from γ = 1 with V as what remains. Intervals are of 95% by bootstrap; differences are
    paired by seed.
    """
    references = {"less_plain": PLAIN, "less_undiscounted": name_of(REMAINS, 1.0)}
    lines = []
    for agent in THETAS:
        played = games[theta_of(agent)]
        for reading, gamma in policies(agent):
            mine = played[name_of(reading, gamma)]
            scores = paper.scores_of(mine)
            line: dict[str, Any] = {"theta": theta_of(agent), "policy": name_of(reading, gamma)}
            line |= {"V": reading, "gamma": gamma, "n_games": len(mine)}
            line |= paper.mean_columns(intervals.mean(scores))
            line["playout_moves_per_move"] = paper.costs_of(mine)["playout_moves_per_move"]
            for key, other in references.items():
                others = paper.scores_of(played[other][: len(mine)])
                line |= paper.estimate_columns(key, intervals.difference(scores, others))
            lines.append(line)
    return pd.DataFrame(lines)


def answer(part: pd.DataFrame) -> str:
    """Return what expectimax and its discount do at one θ."""
    rows = part.set_index("policy").to_dict("index")
    plain, full = rows[PLAIN], rows[name_of(REMAINS, 1.0)]
    changes = {
        reading: {
            f"γ = {gamma:g}": paper.shown(
                rows[name_of(reading, gamma)], "less_undiscounted", "less_undiscounted", "+"
            )
            for gamma in gammas
        }
        for reading, gammas in GAMMAS.items()
    }
    return ANSWER.format(
        theta=part["theta"].iloc[0],
        plain=paper.shown(plain, "score_mean", "score"),
        expectimax=paper.shown(full, "score_mean", "score"),
        gain=paper.shown(full, "less_plain", "less_plain", "+"),
        rest=changes[REMAINS],
        whole=changes[WHOLE],
        n_whole=rows[name_of(WHOLE, 1.0)]["n_games"],
    )


def table(part: pd.DataFrame) -> str:
    """Write the table of one θ."""
    columns = ("on crowded boards", "n", "mean score", f"less {PLAIN}", "less γ = 1, what remains")
    rows = []
    for row in part.to_dict("records"):
        differences = [
            "-" if row["policy"] == own else paper.shown(row, key, key, "+")
            for key, own in (("less_plain", PLAIN), ("less_undiscounted", name_of(REMAINS, 1.0)))
        ]
        mean = paper.shown(row, "score_mean", "score")
        rows.append((row["policy"], f"{row['n_games']:,}", mean, *differences))
    return f"## {part['theta'].iloc[0]}\n\n{paper.markdown_table(columns, rows)}"


@mpl.rc_context(paper.STYLE)
def expectimax_figure(frame: pd.DataFrame) -> Figure:
    """Draw mean score against γ by reading of V, a panel for each θ."""
    figure = Figure(figsize=(11.4, 5.2), layout="constrained")
    parts = [part for _, part in frame.groupby("theta", sort=False)]
    panels = figure.subplots(1, len(parts), sharey=True)
    for axes, part in zip(panels, parts, strict=True):
        draw_readings(axes, part, {PLAIN: paper.BLACK}, "V {}")
        theta, numbers = str(part["theta"].iloc[0]).split("), ")
        axes.set_title(f"{theta}),\n{numbers}", fontsize=10.5)
        axes.set(xlabel="γ", ylabel="mean score, points" if axes is panels[0] else "")
    panels[0].set_ylim(0, 1.05 * frame["score_high95_points"].max())
    panels[0].legend(loc="lower right", fontsize=8.5)
    fewest, most = int(frame["n_games"].min()), int(frame["n_games"].max())
    paper.caption(
        figure,
        f"Expectimax on crowded boards with the discount γ of equation 4. {most:,} games a point, "
        f"{fewest:,} with V as the whole game's score, on the same seeds; bars and bands: 95% "
        "intervals. V is the value of a leaf: the score that remains to be won from it on, or the "
        "score of the whole game, in which the rewards before the leaf count once more.",
    )
    return figure


def expectimax(of: paper.Paper) -> None:
    """Play what is missing, and write the results."""
    seeds = of.seeds
    agents = {
        (theta_of(agent), name_of(*key)): (policy, key[0] == WHOLE)
        for agent in THETAS
        for key, policy in policies(agent).items()
    }
    games: dict[str, dict[str, pd.DataFrame]] = {theta_of(agent): {} for agent in THETAS}
    for halved, some in ((False, seeds), (True, seeds[: max(2, len(seeds) // 2)])):
        rows = {": ".join(key): each for key, (each, half) in agents.items() if half is halved}
        for name, played in of.play(rows, some).items():
            theta, _, policy = name.partition(": ")
            games[theta][policy] = played
    frame = expectimax_frame(games)
    parts = [part for _, part in frame.groupby("theta", sort=False)]
    text = paper.document(
        "Equation 4 of Ripstein (2023): the discount in expectimax",
        METHOD.format(first=seeds[0], last=seeds[-1]),
        *map(answer, parts),
        CONCLUSION,
        *map(table, parts),
    )
    figures = {"expectimax": expectimax_figure(frame)}
    of.write("expectimax", text, {"expectimax": frame}, figures)


if __name__ == "__main__":
    paper.script(expectimax, "expectimax", 400)
