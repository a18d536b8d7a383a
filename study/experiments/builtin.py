"""The experiments of the package, one or more per game.

The agents declare which parameters are tuned, and give the reasons.

**2048.** In all experiments, the reference point is a score of 0 at one millisecond per move, so
the areas under their fronts can be compared.

**Dice**: how much solving is enough? A "game" solves the problem once (:mod:`agents.dice.solver`).
Its score is the exact expected score of the policy found; its cost is the solving time or the
number of sweeps. The reference point's score is 10 points; a policy that always sticks at once gets
10.5. The reference point costs 1 ms or 100 sweeps; the most expensive corner of the space takes 0.3
ms and 23 sweeps.

**Pacman**: how much planning per move is enough to win? There is one experiment per maze. Apart
from the maze, all parameters that are not tuned are as in Verghese's report (see below). The
reference point has a win rate of 0. In the ``medium`` maze, the reference point's cost is 2 ms or
20,000 backups per move; the most expensive corner of the space takes 0.5 ms and 11,000 backups (100
sweeps of 110 states). In the ``small`` maze, which has 19 states, the reference point costs a tenth
as much as in ``medium``.

The baselines of dice and Pacman are the settings of these sources:

*   Dice: P. Thanki, *Value iteration algorithm* (2021), the last row of its table.
*   Pacman: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman
    in a Non-Deterministic World* (2018). Its limit of 100 sweeps is never reached.
"""

from dataclasses import replace
from typing import Any

from thetafront.agents.dice.solver import DiceSolver
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.twenty48.expectimax import Expectimax
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.ntuple.learner import NTupleLearner
from thetafront.agents.twenty48.switching import Switching
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.pacman import LayoutName
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.objectives.costs import (
    BACKUPS,
    PLAYOUT_MOVES,
    SECONDS,
    SOLVING_SECONDS,
    SWEEPS,
)
from thetafront.study.experiments.objectives.goals import EXACT_SCORE, SCORE, WIN_RATE

DICE = Experiment.from_agent(
    DiceSolver,
    {"the post's": DiceSolver(gamma=0.97, tolerance=0.001)},
    name="dice",
    title="Three dice, solved by value iteration",
    goal=EXACT_SCORE,
    costs=(SOLVING_SECONDS, SWEEPS),
    reference_score=10.0,
    reference_costs={"solving_seconds": 0.001, "n_sweeps": 100.0},
)


def in_maze(
    layout: LayoutName, name: str, radius: int, tolerance: float, scale: float
) -> Experiment:
    """Return the experiment in one maze; ``scale`` multiplies the reference point's costs."""
    return Experiment.from_agent(
        PacmanMDP,
        {"the report's": PacmanMDP(gamma=0.6, radius=radius, tolerance=tolerance, max_sweeps=100)},
        name=name,
        title=f"Pacman, value iteration at every move, maze {layout}",
        goal=WIN_RATE,
        costs=(SECONDS, BACKUPS),
        reference_score=0.0,
        reference_costs={"seconds_per_move": 0.002 * scale, "backups_per_move": 20_000.0 * scale},
        fixed={"layout": layout.value},
    )


PACMAN = in_maze(LayoutName.MEDIUM, "pacman", radius=2, tolerance=0.2, scale=1.0)
PACMAN_SMALL = in_maze(LayoutName.SMALL, "pacman_small", radius=0, tolerance=0.1, scale=0.1)

BY_TIME: dict[str, Any] = {
    "goal": SCORE,
    "cost": SECONDS,
    "reference_score": 0.0,
    "reference_costs": {"seconds_per_move": 0.001},
}
BY_PLAYOUTS = BY_TIME | {
    "costs": (SECONDS, PLAYOUT_MOVES),
    "reference_costs": {"seconds_per_move": 0.001, "playout_moves_per_move": 1_000_000.0},
}

MCMDP = Experiment.from_agent(
    MonteCarloMDP,
    {"author's θ": MonteCarloMDP()},
    name="mcmdp",
    title="2048, Monte Carlo MDP agent",
    **BY_PLAYOUTS,
)

SWITCHING = Experiment.from_agent(
    Switching,
    {"author's θ, k = 3": Switching()},
    name="switching",
    title="2048, expectimax on crowded boards",
    **BY_PLAYOUTS,
)

TREE_SEARCH = Experiment.from_agent(
    UCT,
    {"the book's setting": UCT(k_state=30.0)},  # so large that all spawns are considered
    first="leaf_value",
    name="uct",
    title="2048, Monte Carlo tree search",
    **BY_PLAYOUTS,
)

HEURISTIC = Experiment.from_agent(
    Expectimax,
    {
        "weights of nneonneo/2048-ai": Expectimax(
            empty=135.0, merge=350.0, order=23.5, tiles=5.5, fours=4
        )
    },
    name="heuristic",
    title="2048, expectimax over a heuristic",
    **BY_TIME,
)

# The settings with which n-tuple programs usually begin: λ = 0, and a learning rate that is adapted
# to each weight (temporal coherence). The agent searches one ply or two. All networks are trained
# on games from the same seed, so a network's score depends on the luck of its training. Fresh games
# measure this one network; another seed for training might give the same θ another score.
UNTUNED = NTupleLearner(decay=0.0, restart=4100, fours=4)

NTUPLE = Experiment.from_agent(
    NTupleLearner,
    {"untuned": UNTUNED, "untuned, two plies": replace(UNTUNED, depth=2)},
    name="ntuple",
    title="2048, expectimax over learned values",
    fixed={"training_moves": 20_000_000},
    **BY_TIME,
)
