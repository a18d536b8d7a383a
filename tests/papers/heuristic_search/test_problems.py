"""Problems: bounds that are bounds, exact values of policies against dense linear equations."""

import numpy as np
import pytest

from results.papers.heuristic_search.problems import Problem, best_luck, board, three_dice
from tests.agents.mdp.cases import mdp_of
from tests.oracles import small_2048
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.mdp.policy_evaluation import evaluate

TINY = 1e-9
SMALL = [three_dice(), board(2, 2)]


def test_best_luck_by_hand() -> None:
    """L(b) = -3, and L(a) = max(2 + ½·4, 1 + ½·(-3)), where luck prefers c to b."""
    mdp = mdp_of(
        {
            "a": {"dare": (2, {"b": 0.9, "c": 0.1}), "wait": (1, {"b": 1})},
            "c": {"win": (4, {"end": 0.5, "b": 0.5})},
            "b": {"pay": (-3, {"end": 1})},
            "end": {},
        },
        0.5,
    )
    assert best_luck(mdp.tables).tolist() == [4, 4, -3, 0]


@pytest.mark.parametrize("problem", SMALL, ids=lambda problem: problem.name)
def test_bounds_are_bounds_and_no_backup_raises_them(problem: Problem) -> None:
    for values in problem.bounds.values():
        assert (values >= problem.optimal_values - TINY).all()
        assert (problem.mdp.greedy(values)[0] <= values + TINY).all()
        assert not values[problem.mdp.terminal].any()


def test_optima_are_those_of_other_programs() -> None:
    dice, small = SMALL
    assert dice.optimum == pytest.approx(DiceAgent().expected_score, abs=TINY)
    assert small.optimum == pytest.approx(small_2048.solved(2, 2).value_of_the_deal, abs=TINY)
    assert small.optimum == pytest.approx(66.964, abs=5e-4)


@pytest.mark.parametrize("problem", SMALL, ids=lambda problem: problem.name)
def test_a_policys_value_is_that_of_linear_equations(problem: Problem) -> None:
    mdp = problem.mdp
    _, best = mdp.greedy(problem.optimal_values)
    assert problem.policy_value(best) == pytest.approx(problem.optimum, abs=TINY)
    chance = np.random.default_rng(3)
    for _ in range(5):
        policy = np.array([chance.choice(mdp.actions(s) or [-1]) for s in range(mdp.n_states)])
        if problem is SMALL[0]:  # stick in every second roll, so that it ends
            policy[::2][:28] = best[::2][:28]
        exact = evaluate(mdp, policy).mean[problem.start]
        assert problem.policy_value(policy) == pytest.approx(exact, abs=1e-6)


def test_rerolling_for_ever_costs_for_ever() -> None:
    dice = SMALL[0]
    first = np.where(dice.mdp.terminal, -1, dice.mdp.first_action[:-1])
    assert dice.policy_value(first) == -np.inf
