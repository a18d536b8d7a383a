"""Experiments with Pacman, which ask how much planning a move is enough to win.

There is one experiment a maze. They tune the report's four parameters and one of ours, with all
else as in the report:

- γ from 0.5 to 0.99. At γ = 1 values have no limit, since standing on food pays at every step, and
  more sweeps would not converge.
- the ghost radius r from 0, the ghost's own cell, to 4, the largest in the report's rewards.
- the tolerance δ from 0.001 to 10, the reward of food. The report has 0.1 and 0.2.
- at most N sweeps, from 1, with which Pacman sees only the next cell, to 100, more than the steps
  of any shortest path in the mazes.
- how the distance to a ghost is measured: Manhattan distance, as in the report, which ignores
  walls, or distance in the maze, which wins more (``results/reference/pacman_report``).

The reference point is a win rate of 0 and, on ``medium``, 2 ms or 20,000 backups a move, a few
times what the most expensive corner takes (100 sweeps of 110 states: 11,000 backups in 0.5 ms). On
``small``, with 19 states, costs are a tenth of that.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018). The baselines are its settings, with which N = 100 is never
reached.
"""

from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.rewards import Distance
from thetafront.engine.pacman import LayoutName
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import GameSummary
from thetafront.study.experiments.objectives import BACKUPS, SECONDS, WIN_RATE
from thetafront.study.experiments.space import CategoricalParameter, NumericParameter, Space

SPACE = Space(
    (
        NumericParameter("gamma", 0.5, 0.99, symbol="γ"),
        NumericParameter("radius", 0, 4, integer=True, symbol="r"),
        NumericParameter("tolerance", 0.001, 10.0, log=True, symbol="δ"),
        NumericParameter("max_sweeps", 1, 100, integer=True, log=True, symbol="N"),
        CategoricalParameter("distance", tuple(each.value for each in Distance), symbol="steps"),
    )
)


def in_maze(
    layout: LayoutName, name: str, radius: int, tolerance: float, scale: float
) -> Experiment:
    """Return the experiment in one maze, with the report's settings; ``scale`` is of the costs."""
    return Experiment(
        name=name,
        title=f"Pacman, value iteration at every move, maze {layout}",
        agent="pacman_mdp",
        space=SPACE,
        goal=WIN_RATE,
        cost=SECONDS,
        costs=(SECONDS, BACKUPS),
        summary=GameSummary(PacmanGame),
        reference_score=0.0,
        reference_costs={"seconds_per_move": 0.002 * scale, "backups_per_move": 20_000.0 * scale},
        baselines={
            "the report's": {
                "gamma": 0.6,
                "radius": radius,
                "tolerance": tolerance,
                "max_sweeps": 100,
                "distance": Distance.MANHATTAN.value,
            }
        },
        fixed={"layout": layout.value},
    )


PACMAN = in_maze(LayoutName.MEDIUM, "pacman", radius=2, tolerance=0.2, scale=1.0)
PACMAN_SMALL = in_maze(LayoutName.SMALL, "pacman_small", radius=0, tolerance=0.1, scale=0.1)
