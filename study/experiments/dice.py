"""The experiment with the game of dice, which asks how much solving is enough.

A game is one solution (:mod:`agents.dice.solver`): its score is the policy's exact expectation, and
its cost is what the sweeps take. Both parameters trade score for sweeps:

- γ from 0.5, with which the policy sticks in 53 of 56 states, to 1, which finds the optimum,
  13.34827.
- the tolerance δ from 10⁻⁶, far below what separates the optimal policy from its neighbours, to 10
  points, which one sweep meets. The post has 10⁻⁴ to 10⁻².

The reference point is 10 points, less than sticking at once is worth (10.5), and 1 ms or 100
sweeps, several times what the most expensive corner takes (0.3 ms and 23 sweeps).

Source: P. Thanki, *Value iteration algorithm* (2021). The baseline is the last row of its table.
"""

from thetafront.agents.dice.solver import DiceSolution
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import GameSummary
from thetafront.study.experiments.objectives import EXACT_SCORE, SOLVING_SECONDS, SWEEPS
from thetafront.study.experiments.space import NumericParameter, Space

DICE = Experiment(
    name="dice",
    title="Three dice, solved by value iteration",
    agent="dice_solver",
    space=Space(
        (
            NumericParameter("gamma", 0.5, 1.0, symbol="γ"),
            NumericParameter("tolerance", 1e-6, 10.0, log=True, symbol="δ"),
        )
    ),
    goal=EXACT_SCORE,
    cost=SOLVING_SECONDS,
    costs=(SOLVING_SECONDS, SWEEPS),
    summary=GameSummary(DiceSolution),
    reference_score=10.0,
    reference_costs={"solving_seconds": 0.001, "n_sweeps": 100.0},
    baselines={"the post's": {"gamma": 0.97, "tolerance": 0.001}},
)
