"""Dice as a problem to solve: exact worth."""

import pytest

from tests.oracles import dice as oracle
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.dice.solver import DiceSolver


@pytest.mark.parametrize(("gamma", "tolerance"), [(0.97, 0.001), (0.95, 0.01), (1.0, 0.5)])
def test_a_solution_is_worth_what_its_policy_is(gamma: float, tolerance: float) -> None:
    """By the oracle's sweeps, and by adding up all games of up to 300 rerolls in plain Python."""
    solution = DiceSolver(gamma, tolerance).play(7)
    policy, n_sweeps = oracle.of_the_post(gamma, tolerance, doubled=False)
    exact = oracle.distribution(policy, 300)
    mean = sum(score * p for score, p in exact.items())
    assert solution.score == pytest.approx(mean, abs=1e-9)
    assert (solution.n_sweeps, solution.n_moves, solution.seed) == (n_sweeps, 1, 7)
    assert solution.n_sticking == DiceAgent(gamma, tolerance).n_sticking
    assert 1e-6 < solution.seconds < 0.1
