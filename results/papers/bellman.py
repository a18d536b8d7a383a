"""Equation 3 of Ripstein (2023), R(s, a) + γ·V(s′), compared with equation 2.

Notation
--------
===========  =======================================================================================
R(s, a)      immediate reward of an action
G            mean score of the best random playouts from s′ on
γ            discount
w            weight of R: an action's value is w·R(s, a) + γ·Σ P(s′|s, a)·G
===========  =======================================================================================

The paper does not define V in equation 3. Its Algorithm 3 returns the score of the *whole* game,
and §3.3 speaks of random games that "tend to end with a score only marginally higher than the
current score", so V can be read as the score of the whole game. V then has three parts: the score
before s (the same for all actions), the reward of a, and G. The reward is counted in R and again in
γ·V, so w = 1 + γ. In textbooks, V is the score that *remains* to be won
from s′ on. Then w = 1, and γ = 1 gives equation 2 itself. Both readings are played.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from results.papers import paper
from thetafront.agents.agent import Agent
from thetafront.agents.twenty48.mcmdp import Table1
from thetafront.agents.twenty48.pmcts import PureMonteCarlo

GAMMAS = (0.5, 0.7, 0.9, 0.99, 1.0)
PAPERS_GAMMAS = (0.9, 1.0)  # the paper mentions these; the others have fewer games
SHARE_OF_GAMES = 0.4  # games at each of the other γ, as a share of --games
EQUATION_2, PURE = "equation 2", "pure Monte Carlo, 100 playouts a direction"
WHOLE, REMAINS = READINGS = ("the whole game's score", "what remains")

Policy = tuple[Agent, str, float]  # an agent, its reading of V, and its γ


def policies() -> dict[str, Policy]:
    """Return equation 2, pure Monte Carlo, and equation 3 for each reading and γ."""
    found: dict[str, Policy] = {
        EQUATION_2: (Table1(), "", np.nan),
        PURE: (PureMonteCarlo(100), "", np.nan),
    }
    for reading in READINGS:
        for gamma in GAMMAS:
            agent = Table1(gamma=gamma, reward_weight=1.0 + gamma * (reading == WHOLE))
            found[f"equation 3, V {reading}, γ = {gamma:g}"] = (agent, reading, gamma)
    return found


def bellman_frame(played: Mapping[str, Policy], games: paper.Games) -> pd.DataFrame:
    """Return one row per policy: its score, and its lead over equation 2 and pure Monte Carlo."""
    references = {"less_equation_2": EQUATION_2, "less_pure_monte_carlo": PURE}
    return pd.DataFrame(
        {"policy": name, "V": reading, "gamma": gamma}
        | paper.score_columns(games[name])
        | paper.less(games, name, **references)
        for name, (_, reading, gamma) in played.items()
    )


def draw_readings(axes: Axes, frame: pd.DataFrame, label: str) -> None:
    """Draw mean score against γ for each reading of V; ``label`` has ``{}`` for the reading."""
    gammas = np.unique(frame["gamma"].dropna())
    colours = (paper.RED, paper.BLUE)
    for reading, colour, offset in zip(READINGS, colours, (-0.04, 0.04), strict=True):
        part = frame[frame["V"] == reading].sort_values("gamma")
        places = np.searchsorted(gammas, part["gamma"]) + offset
        style = {"fmt": "o-", "capsize": 3, "linewidth": 1.3, "label": label.format(reading)}
        paper.score_bars(axes, places, part, color=colour, **style)
    paper.places_axis(axes, [f"{gamma:g}" for gamma in gammas])
    axes.set_xlabel("γ")
    paper.points_axis(axes)


def bellman_figure(frame: pd.DataFrame) -> Figure:
    """Draw mean score against γ for each reading of V, with equation 2 and pure Monte Carlo."""
    figure, axes = paper.new_figure(8.2, 5.0)
    rows = frame.set_index("policy").loc
    paper.level(axes, rows[EQUATION_2], paper.BLACK, EQUATION_2)
    paper.level(axes, rows[PURE], paper.GREY, PURE)
    draw_readings(axes, frame, "equation 3, V {}")
    axes.set_ylabel("mean score, points")
    axes.legend(loc="lower right")
    return figure


def bellman(of: paper.Paper) -> None:
    """Play the missing games, and write the results."""
    played, seeds = policies(), of.seeds
    few = seeds[: max(2, round(SHARE_OF_GAMES * len(seeds)))]
    agents = {name: agent for name, (agent, _, _) in played.items()}
    rare = {name for name, (_, _, gamma) in played.items() if gamma in {*GAMMAS} - {*PAPERS_GAMMAS}}
    games = of.play({name: agent for name, agent in agents.items() if name not in rare})
    games |= of.play({name: agents[name] for name in agents if name in rare}, few)
    frame = bellman_frame(played, games)
    figures = {"bellman": bellman_figure(frame)}
    at = paper.by(frame, "{policy}")
    of.write("bellman", {"bellman": frame}, figures, at=at, n_few=len(few))


if __name__ == "__main__":
    paper.script(bellman, "bellman", 1000)
