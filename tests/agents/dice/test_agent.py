"""The agent for dice: exact values of its policies, and its games."""

from math import sqrt
from typing import Any

import pytest

from tests.oracles import dice as oracle
from thetafront.agents.dice.agent import DiceAgent
from thetafront.engine.dice import Dice

BEST = DiceAgent()
OPTIMUM = 13.34827


def test_the_optimum_of_three_dice() -> None:
    """By linear equations, and by the sum over all games of up to 300 rerolls in plain Python."""
    assert BEST.solved.converged
    assert BEST.expected_score == pytest.approx(OPTIMUM, abs=5e-6)
    assert (BEST.n_sticking, BEST.rules.n_states) == (14, 56)
    start = BEST.rules.mdp.start
    assert start @ BEST.solved.values == pytest.approx(BEST.expected_score, abs=1e-8)
    policy = {roll: BEST.act(roll).held for roll in oracle.states()}
    exact = oracle.distribution(policy, 300)
    assert sum(exact.values()) == pytest.approx(1, abs=1e-12)
    mean = sum(score * p for score, p in exact.items())
    variance = sum((score - mean) ** 2 * p for score, p in exact.items())
    assert BEST.expected_score == pytest.approx(mean, abs=1e-9)
    assert BEST.score_sd == pytest.approx(sqrt(variance), abs=1e-9)


@pytest.mark.parametrize(("gamma", "expected"), [(0.95, 12.9739), (0.97, 13.1397)])
@pytest.mark.parametrize("tolerance", [0.01, 0.001, 0.0001])
def test_the_posts_hyperparameters(gamma: float, expected: float, tolerance: float) -> None:
    """The post's program, without its error, has the same policy after as many sweeps."""
    agent = DiceAgent(gamma, tolerance)
    assert agent.expected_score == pytest.approx(expected, abs=5e-5)
    policy, n_sweeps = oracle.of_the_post(gamma, tolerance, doubled=False)
    assert {roll: agent.act(roll).held for roll in oracle.states()} == policy
    assert agent.solved.n_sweeps == n_sweeps


def test_a_coin_by_hand() -> None:
    """Sticking on 1 wins 1; rolling again gives E = -1 + (2 + E)/2 = 0. So it always sticks."""
    coin = DiceAgent(n_dice=1, n_sides=2)
    assert coin.expected_score == 1.5
    assert coin.score_sd == 0.5
    assert coin.n_sticking == 2
    assert coin.act((1,)).values.tolist() == [0.5, 1.0]  # -1 + (1 + 2)/2 against 1


@pytest.mark.parametrize("rules", [Dice(), Dice(4, 6)])
def test_a_game_is_its_seeds(rules: Dice) -> None:
    """The same games one by one, in a row, and roll by roll by the agent's decisions."""
    agent = DiceAgent(0.97, 1e-4, rules.n_dice, rules.n_sides)
    games = agent.games(500, 40)
    for k in range(40):
        game = agent.play(500 + k)
        assert (game.seed, game.score, game.n_moves) == (500 + k, games.scores[k], games.n_moves[k])
        assert game.seconds >= 0
        by_hand = oracle.play(lambda roll: agent.act(roll).held, 500 + k, rules.n_dice)
        assert (game.score, game.n_moves, game.end_roll) == by_hand
        assert agent.act(game.end_roll).sticks


def test_decisions() -> None:
    decision = BEST.act((6, 3, 1))
    assert (decision.held, decision.sticks) == ((1,), False)
    assert decision.values.shape == (8,)
    assert decision.values[-1] == 10
    assert BEST.act((1, 1, 1)).sticks
    values = BEST.act((1, 1, 6)).values
    assert (values[1], values[5]) == (values[2], values[6])  # equal dice


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: BEST.games(2**63 - 1, 2), "seed must be between 0"),
        (lambda: BEST.games(0, 0), "n_games must be 1 or more (got 0)"),
        (lambda: BEST.solving_seconds(0), "n_times must be 1 or more (got 0)"),
        (lambda: BEST.act((1, 2)), "roll must have 3 dice (got 2)"),
    ],
)
def test_bad_input_is_named(call: Any, part: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        call()
    assert part in str(caught.value)
