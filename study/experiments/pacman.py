"""Experiments with Pacman, which ask how much planning a move is enough to win.

There is one experiment a maze, with all that is not tuned as in the report.

The reference point is a win rate of 0 and, on ``medium``, 2 ms or 20,000 backups a move, a few
times what the most expensive corner takes (100 sweeps of 110 states: 11,000 backups in 0.5 ms). On
``small``, with 19 states, costs are a tenth of that.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018). The baselines are its settings, with which N = 100 is never
reached.
"""

from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import LayoutName
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import GameSummary
from thetafront.study.experiments.objectives import BACKUPS, SECONDS, WIN_RATE


def in_maze(
    layout: LayoutName, name: str, radius: int, tolerance: float, scale: float
) -> Experiment:
    """Return the experiment in one maze, with the report's settings; ``scale`` is of the costs."""
    return Experiment.from_agent(
        PacmanMDP,
        {"the report's": PacmanMDP(gamma=0.6, radius=radius, tolerance=tolerance, max_sweeps=100)},
        name=name,
        title=f"Pacman, value iteration at every move, maze {layout}",
        goal=WIN_RATE,
        cost=SECONDS,
        costs=(SECONDS, BACKUPS),
        summary=GameSummary(PacmanGame),
        reference_score=0.0,
        reference_costs={"seconds_per_move": 0.002 * scale, "backups_per_move": 20_000.0 * scale},
        fixed={"layout": layout.value},
    )


PACMAN = in_maze(LayoutName.MEDIUM, "pacman", radius=2, tolerance=0.2, scale=1.0)
PACMAN_SMALL = in_maze(LayoutName.SMALL, "pacman_small", radius=0, tolerance=0.1, scale=0.1)
