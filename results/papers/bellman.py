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
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import thetafront
from results.papers import paper
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP, Table1
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.study import estimate as intervals

GAMMAS = (0.5, 0.7, 0.9, 0.99, 1.0)
PAPERS_GAMMAS = (0.9, 1.0)  # of which the paper speaks: they have all games, the others 40%
SHARE_OF_GAMES = 0.4
EQUATION_2 = "equation 2"
PURE = "pure Monte Carlo, 100 playouts a direction"
REFERENCES = {"less_equation_2": EQUATION_2, "less_pure_monte_carlo": PURE}
READINGS = {"the whole game's score": True, "what remains": False}

ANSWER = """\
By equation 2 the agent scores {equation_2[score]}, pure Monte Carlo {pure[score]}. The paper says
that equation 3 with γ = 0.9 falls back to the level of pure Monte Carlo. With V as the whole
game's score it does fall, to {whole[score]}: {whole[less_equation_2]} compared with equation 2 on
the same seeds. But it stays above pure Monte Carlo, by {whole[less_pure_monte_carlo]}. With V as
what remains it scores {rest[score]}, which cannot be told from equation 2
({rest[less_equation_2]}), and is {rest[less_pure_monte_carlo]} compared with pure Monte Carlo."""


def policies(plain: MonteCarloMDP | Table1) -> dict[str, tuple[Agent, str, float]]:
    """Return agent, reading of V and γ of each policy: equation 2, pure Monte Carlo, equation 3."""
    found: dict[str, tuple[Agent, str, float]] = {
        EQUATION_2: (plain, "", np.nan),
        PURE: (PureMonteCarlo(100), "", np.nan),
    }
    for reading, whole in READINGS.items():
        for gamma in GAMMAS:
            agent = replace(plain, gamma=gamma, reward_weight=1.0 + gamma if whole else 1.0)
            found[f"equation 3, V {reading}, γ = {gamma:g}"] = (agent, reading, gamma)
    return found


def bellman_frame(
    played: Mapping[str, tuple[Agent, str, float]], games: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Return one row a policy: its mean score, and its differences from the references.

    The games are on the same seeds in the same order, or the first of them. Points, with 95%
    bootstrap intervals; differences are paired by seed.
    """
    scores = {name: paper.scores_of(each) for name, each in games.items()}
    lines = []
    for name, (_, reading, gamma) in played.items():
        mine = scores[name]
        line: dict[str, Any] = {"policy": name, "V": reading, "gamma": gamma, "n_games": len(mine)}
        line |= paper.mean_columns(intervals.mean(mine))
        for key, other in REFERENCES.items():
            difference = intervals.difference(mine, scores[other][: len(mine)])
            line |= paper.estimate_columns(key, difference)
        lines.append(line)
    return pd.DataFrame(lines)


def shown(row: Any) -> dict[str, str]:
    """Write a row's mean score with n, and its differences."""
    score = f"{paper.shown(row, 'score_mean', 'score')[:-1]}, n = {row['n_games']:,})"
    return {"score": score} | {key: paper.shown(row, key, key, "+") for key in REFERENCES}


def text_of(frame: pd.DataFrame, seeds: range, what: str) -> str:
    """Write answer and table as Markdown; ``what`` names θ."""
    rows = []
    for row in frame.to_dict("records"):
        differences = [
            "-" if row["policy"] == name else paper.shown(row, key, key, "+")
            for key, name in REFERENCES.items()
        ]
        mean = paper.shown(row, "score_mean", "score")
        rows.append((row["policy"], f"{row['n_games']:,}", mean, *differences))
    at = {row["policy"]: shown(row) for row in frame.to_dict("records")}
    answer = ANSWER.format(
        equation_2=at[EQUATION_2],
        pure=at[PURE],
        whole=at["equation 3, V the whole game's score, γ = 0.9"],
        rest=at["equation 3, V what remains, γ = 0.9"],
    )
    differences = ["less equation 2, same seeds", "less pure Monte Carlo, same seeds"]
    return paper.document(
        "Equation 3 of Ripstein (2023) against equation 2",
        f"{what}. Seeds {seeds[0]} to {seeds[-1]}, or the first of them, the same for all "
        "policies. In parentheses: 95% bootstrap intervals; differences are paired by seed.",
        answer,
        paper.markdown_table(["policy", "n", "mean score", *differences], rows),
    )


def draw_readings(
    axes: Axes, frame: pd.DataFrame, references: Mapping[str, str], label: str
) -> None:
    """Draw mean score against γ by reading of V, and the level of reference policies.

    ``references`` are colours by policy; ``label`` is a curve's, with braces for the reading.
    """
    for name, colour in references.items():
        row = frame[frame["policy"] == name].iloc[0]
        low, high = row["score_low95_points"], row["score_high95_points"]
        axes.axhspan(low, high, color=colour, alpha=0.15, linewidth=0)
        axes.axhline(row["score_mean_points"], color=colour, linewidth=1.4, label=name)
    gammas = np.unique(frame["gamma"].dropna())
    colours = (paper.RED, paper.BLUE)
    for reading, colour, offset in zip(READINGS, colours, (-0.04, 0.04), strict=True):
        part = frame[frame["V"] == reading].sort_values("gamma")
        places = np.searchsorted(gammas, part["gamma"]) + offset
        style = {"fmt": "o-", "capsize": 3, "linewidth": 1.3}
        paper.score_bars(axes, places, part, color=colour, label=label.format(reading), **style)
    axes.set_xticks(range(len(gammas)), [f"{gamma:g}" for gamma in gammas])
    axes.grid(visible=False, axis="x")
    paper.points_axis(axes)
    axes.set_ylim(bottom=0)


@mpl.rc_context(paper.STYLE)
def bellman_figure(frame: pd.DataFrame, what: str) -> Figure:
    """Draw mean score against γ by reading of V, between equation 2 and pure Monte Carlo."""
    figure, axes = paper.new_figure(8.2, 5.0)
    references = {EQUATION_2: paper.BLACK, PURE: paper.GREY}
    draw_readings(axes, frame, references, "equation 3, V {}")
    title = "Equation 3: R + γ·V in place of V"
    axes.set(xlabel="γ", ylabel="mean score, points", title=title)
    axes.legend(loc="lower right", fontsize=8.5)
    fewest, most = int(frame["n_games"].min()), int(frame["n_games"].max())
    paper.caption(
        figure,
        f"{what}. {most:,} games for equation 2, pure Monte Carlo and equation 3 at γ = 0.9 and 1, "
        f"{fewest:,} elsewhere, on the same seeds; bars and bands: 95% intervals. With V as what "
        "remains, γ = 1 is equation 2 itself.",
    )
    return figure


def bellman(of: paper.Paper) -> None:
    """Play what is missing, and write the results."""
    plain: MonteCarloMDP | Table1 = Table1()
    what = "The schedule of the paper's Table 1, all playouts kept"
    if of.options.theta is not None:
        theta = {f"theta{k}": each for k, each in enumerate(of.options.theta, 1)}
        given = thetafront.agent("mcmdp", **theta)
        assert isinstance(given, MonteCarloMDP)
        plain, what = given, f"θ = ({', '.join(f'{each:g}' for each in of.options.theta)})"
    if of.options.reuse is not None and not (of.output / "games.csv").exists():
        sources = [of.options.reuse / name for name in ("games.csv", "agents.json")]
        for path in sources:
            if not path.is_file():
                raise thetafront.InputError(
                    f"reuse: {str(of.options.reuse)!r} given, a folder with {path.name} allowed"
                )
        for path in reversed(sources):  # games.csv last: it tells a later run that all is there
            shutil.copy(path, of.output / path.name)
    played, seeds = policies(plain), of.seeds
    few = seeds[: max(2, round(SHARE_OF_GAMES * len(seeds)))]
    agents = {name: agent for name, (agent, _, _) in played.items()}
    rare = {name for name, (_, _, gamma) in played.items() if gamma in {*GAMMAS} - {*PAPERS_GAMMAS}}
    games = of.play({name: agent for name, agent in agents.items() if name not in rare})
    games |= of.play({name: agents[name] for name in agents if name in rare}, few)
    frame = bellman_frame(played, games)
    figures = {"bellman": bellman_figure(frame, what)}
    of.write("bellman", text_of(frame, seeds, what), {"bellman": frame}, figures)


def six_numbers(text: str) -> list[float]:
    """Read θ: six numbers with commas."""
    numbers = [float(each) for each in text.split(",")]
    if len(numbers) != 6:
        raise argparse.ArgumentTypeError(f"{len(numbers)} values given, 6 allowed")
    return [int(each) if each.is_integer() else each for each in numbers]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add θ, and a folder whose games count."""
    parser.add_argument(
        "--theta", type=six_numbers, help="six numbers with commas; default: Table 1's schedule"
    )
    parser.add_argument(
        "--reuse", type=Path, help="folder of another script, whose games are copied at the start"
    )


if __name__ == "__main__":
    paper.script(bellman, "bellman", 1000, add=add_options)
