"""Equation 4 of Ripstein (2023): the discount in expectimax on crowded boards.

Notation
--------
===========  =======================================================================================
γ            discount of equation 4: a reward after i spawns has the weight γⁱ, and the value of a
             leaf has the weight γᵈ
k            a board is crowded if no action leaves more than k cells empty; then expectimax decides
d, N         depth of expectimax, and number of its playouts per decision
===========  =======================================================================================

The paper's §5.2 gives no value of γ. In all our other results with this agent, `switching`, γ is 1.
As in equation 3 (:mod:`results.papers.bellman`), there are two readings of V, the value of a leaf:
the score that remains to be won, or the score of the whole game, which Algorithm 3 returns. Both
readings are played at two θ, and both θ are also played without expectimax, all on the same seeds.
With V as the score of the whole game, half as many games are played as with the other reading, and
only at γ = 1 and at γ = 0.9, which §3.3 mentions.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.papers import paper
from results.papers.bellman import REMAINS, WHOLE, Policy, draw_readings
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.switching import Switching

GAMMAS = {WHOLE: (0.9, 1.0), REMAINS: (0.5, 0.9, 0.99, 1.0)}
PLAIN, UNDISCOUNTED = "without expectimax", f"V {REMAINS}, γ = 1"
THETAS = {
    "θ = (100, 20, 10, 4, 5, 1), k = 3, d = 2, N = 3,000": Switching(
        100, 20, 10, 4, 5, 1, switch_at=3, depth=2, leaf_playouts=3000
    ),
    "θ = (500, 54, 18, 9, 6.25, 1), k = 3, d = 2, N = 4,000": Switching(
        switch_at=3, depth=2, leaf_playouts=4000
    ),
}


def policies(agent: Switching) -> dict[str, Policy]:
    """Return the agent without expectimax, then with expectimax for each reading of V and γ."""
    plain = MonteCarloMDP(*(getattr(agent, f"theta{number}") for number in range(1, 7)))
    found: dict[str, Policy] = {PLAIN: (plain, "", np.nan)}
    for reading, gammas in GAMMAS.items():
        for gamma in gammas:
            changed = replace(agent, gamma=gamma, whole_score=reading == WHOLE)
            found[f"V {reading}, γ = {gamma:g}"] = (changed, reading, gamma)
    return found


def expectimax_frame(games: paper.Games) -> pd.DataFrame:
    """Return one row per θ and policy: its mean score, its cost, and two differences of scores.

    The keys of ``games`` name θ and policy. ``less_plain`` is the difference from the same θ
    without expectimax. ``less_undiscounted`` is the difference from γ = 1 with V as the score that
    remains.
    """
    lines = []
    for theta, agent in THETAS.items():
        references = {"less_plain": PLAIN, "less_undiscounted": UNDISCOUNTED}
        rows = {key: f"{theta}: {name}" for key, name in references.items()}
        for policy, (_, reading, gamma) in policies(agent).items():
            name = f"{theta}: {policy}"
            line = {"theta": theta, "policy": policy, "V": reading, "gamma": gamma}
            line |= paper.score_columns(games[name])
            cost = "playout_moves_per_move"
            line |= {cost: paper.mean_costs(games[name])[cost]}
            lines.append(line | paper.less(games, name, **rows))
    return pd.DataFrame(lines)


def expectimax_figure(frame: pd.DataFrame) -> Figure:
    """Draw mean score against γ for each reading of V, one panel per θ."""
    figure, panels = paper.new_figure(11.4, 5.2, ncols=len(THETAS), sharey=True)
    for axes, theta in zip(panels, THETAS, strict=True):
        part = frame[frame["theta"] == theta]
        paper.level(axes, part.set_index("policy").loc[PLAIN], paper.BLACK, PLAIN)
        draw_readings(axes, part, "V {}")
        axes.set_title(theta.replace("), ", "),\n"))
    panels[0].set_ylim(0, 1.05 * frame["score_high95_points"].max())
    panels[0].set_ylabel("mean score, points")
    panels[0].legend(loc="lower right")
    return figure


def expectimax(of: paper.Paper) -> None:
    """Play the missing games, and write the results."""
    rows = {
        f"{theta}: {policy}": (played, reading == WHOLE)
        for theta, agent in THETAS.items()
        for policy, (played, reading, _) in policies(agent).items()
    }
    games: dict[str, pd.DataFrame] = {}
    for halved, seeds in ((False, of.seeds), (True, of.seeds[: max(2, of.n_games // 2)])):
        games |= of.play({name: one for name, (one, half) in rows.items() if half == halved}, seeds)
    frame = expectimax_frame(games)
    first, second = (frame[frame["theta"] == theta] for theta in THETAS)
    of.write(
        "expectimax",
        {"expectimax": frame},
        {"expectimax": expectimax_figure(frame)},
        low=first,
        author=second,
        lows=paper.by(first, "{policy}"),
        authors=paper.by(second, "{policy}"),
        n_whole=min(frame["n_games"]),
    )


if __name__ == "__main__":
    paper.script(expectimax, "expectimax", 400)
