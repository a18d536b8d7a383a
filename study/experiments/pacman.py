"""Experiments with Pacman, which ask how much planning at every move is enough to win.

The report's four parameters and a word of ours, in a maze each; the rest is as the report has it:

- γ from 0.5 to 0.99. By 1, values have no limit, since to be at food pays at every step: more
  sweeps would not settle them.
- the ghost radius r from 0, the ghost's own cell, to 4, as far as the report's rewards go.
- the tolerance δ from 0.001 to 10, the reward of food. The report has 0.1 and 0.2.
- at most N sweeps, from 1, with which Pacman sees no farther than the next cell, to 100, more steps
  than any shortest way through the mazes has.
- how steps from a ghost are counted: by Manhattan distance as in the report, through walls, or
  along true ways, which win more (``results/reference/pacman_report``).

No game wins less than none; and the other side of the reference point, 2 ms or 20,000 backups a
move on ``medium``, is some times what its dearest corner takes (100 sweeps of 110 states: 11,000
backups in 0.5 ms), a tenth of it on ``small``, which has 19 states.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018). The baselines are its settings: with these N = 100 is never
reached.
"""

from agents.pacman.agent import PacmanGame
from agents.pacman.rewards import Distance
from engine.pacman import LayoutName
from study.experiments.definition import Experiment
from study.experiments.game_summary import GameSummary
from study.experiments.objectives import BACKUPS, SECONDS, WIN_RATE
from study.experiments.space import Choice, Parameter, Space

SPACE = Space(
    (
        Parameter("gamma", 0.5, 0.99, symbol="γ"),
        Parameter("radius", 0, 4, integer=True, symbol="r"),
        Parameter("tolerance", 0.001, 10.0, log=True, symbol="δ"),
        Parameter("max_sweeps", 1, 100, integer=True, log=True, symbol="N"),
        Choice("distance", tuple(each.value for each in Distance), symbol="steps"),
    )
)


def in_maze(
    layout: LayoutName, name: str, radius: int, tolerance: float, scale: float
) -> Experiment:
    """Return the experiment in one maze, with the report's setting there; ``scale`` is that of the costs."""
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
