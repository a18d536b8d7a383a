"""The experiment with the game of dice, which asks how much solving is enough.

A game is one solution (:mod:`agents.dice.solver`): its score is the policy's exact expectation, and
its cost is what the sweeps take.

The reference point is 10 points, less than sticking at once is worth (10.5), and 1 ms or 100
sweeps, several times what the most expensive corner takes (0.3 ms and 23 sweeps).

Source: P. Thanki, *Value iteration algorithm* (2021). The baseline is the last row of its table.
"""

from thetafront.agents.dice.solver import DiceSolution, DiceSolver
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import GameSummary
from thetafront.study.experiments.objectives import EXACT_SCORE, SOLVING_SECONDS, SWEEPS

DICE = Experiment.from_agent(
    DiceSolver,
    {"the post's": DiceSolver(gamma=0.97, tolerance=0.001)},
    name="dice",
    title="Three dice, solved by value iteration",
    goal=EXACT_SCORE,
    cost=SOLVING_SECONDS,
    costs=(SOLVING_SECONDS, SWEEPS),
    summary=GameSummary(DiceSolution),
    reference_score=10.0,
    reference_costs={"solving_seconds": 0.001, "n_sweeps": 100.0},
)
