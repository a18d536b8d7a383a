"""The game of dice against plain Python that lists every roll, and games against their replay."""

import re
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest

from tests.oracles import dice as oracle
from thetafront.engine.dice import THREE_DICE, Dice, play_games

SIZES = [(1, 2), (2, 6), (3, 6), (4, 3), (3, 20)]


def played(dice: Dice, holds: Any, seed: int, n: int) -> list[np.ndarray]:
    results = [np.full(n, -99, np.int64) for _ in range(3)]
    play_games(dice.policy(holds), np.uint64(seed), *results)
    return results


def test_the_game_of_the_post() -> None:
    assert (THREE_DICE.n_states, THREE_DICE.n_holds, THREE_DICE.n_outcomes) == (56, 8, 7728)
    assert THREE_DICE.holds == tuple(oracle.ONE_AFTER_ANOTHER)
    assert THREE_DICE.final_score((1, 1, 1)) == 18 == THREE_DICE.final_scores.max()
    assert THREE_DICE.final_score((6, 6, 6)) == 3 == THREE_DICE.final_scores.min()
    assert THREE_DICE.final_score((1, 6, 1)) == 18  # only equal dice are flipped
    assert THREE_DICE.final_score((3, 4, 5)) == 12
    assert THREE_DICE.final_score((2, 2, 5)) == 15


@pytest.mark.parametrize(("n_dice", "n_sides"), SIZES)
def test_states_are_the_sorted_rolls(n_dice: int, n_sides: int) -> None:
    dice = Dice(n_dice, n_sides)
    states = oracle.states(n_dice, n_sides)
    assert list(dice.states) == states
    assert dice.n_states == len(states)
    assert [dice.state(state[::-1]) for state in states] == list(range(len(states)))
    scores = [oracle.final_score(state, n_sides) for state in states]
    assert dice.final_scores.tolist() == scores


@pytest.mark.parametrize(("n_dice", "n_sides"), SIZES[:4])
def test_probabilities_are_exact(n_dice: int, n_sides: int) -> None:
    """Each is the float nearest to an exact fraction; the fractions sum to 1."""
    dice = Dice(n_dice, n_sides)
    mdp = dice.mdp
    end = dice.n_states
    assert mdp.first_action.tolist() == [*range(0, end * 2**n_dice + 1, 2**n_dice), end * 2**n_dice]
    assert len(mdp.reward) == end * dice.n_holds
    assert len(mdp.outcome) == len(mdp.probability) == mdp.first_outcome[-1] == dice.n_outcomes
    for state, roll in enumerate(dice.states):
        for hold, positions in enumerate(dice.holds):
            action = mdp.first_action[state] + hold
            part = slice(mdp.first_outcome[action], mdp.first_outcome[action + 1])
            found = dict(zip(mdp.outcome[part].tolist(), mdp.probability[part], strict=True))
            if hold == dice.sticking:
                assert found == {end: 1.0}
                assert mdp.reward[action] == oracle.final_score(roll, n_sides)
                continue
            held = tuple(roll[position] for position in positions)
            chances = oracle.rolls(held, n_dice, n_sides)
            assert sum(chances.values()) == Fraction(1)
            assert found == {dice.state(after): float(p) for after, p in chances.items()}
            assert mdp.reward[action] == -1
    start = {dice.state(roll): float(p) for roll, p in oracle.rolls((), n_dice, n_sides).items()}
    assert mdp.start.tolist() == [start.get(state, 0.0) for state in range(end + 1)]


@pytest.mark.parametrize(("n_dice", "n_sides"), SIZES)
def test_games_are_those_of_the_oracle(n_dice: int, n_sides: int) -> None:
    """A random policy scores, moves and ends as in plain Python with the same random words."""
    dice = Dice(n_dice, n_sides)
    chance = np.random.default_rng(n_dice)
    holds = chance.integers(0, dice.sticking, dice.n_states)
    holds[chance.random(dice.n_states) < 0.4] = dice.sticking
    holds[::3] = dice.sticking
    holds[holds < dice.sticking] *= (
        chance.random((holds < dice.sticking).sum()) < 0.5
    )  # roll all again

    def hold(roll: oracle.Roll) -> oracle.Roll:
        return dice.held(roll, dice.holds[holds[dice.state(roll)]])

    for first in (0, 2**63 - 100):
        games = played(dice, holds, first, 100)
        expected = [oracle.play(hold, first + k, n_dice, n_sides) for k in range(100)]
        for k, (score, n_moves, roll) in enumerate(expected):
            assert [a[k] for a in games] == [score, n_moves, dice.state(roll)]
    assert max(n_moves for _, n_moves, _ in expected) > 1


def test_scores_have_the_exact_distribution() -> None:
    """With the post's policy: mean and frequency of each score, within five standard errors."""
    policy, _ = oracle.of_the_post(0.97, 1e-4, doubled=True)
    holds = [
        next(k for k, p in enumerate(THREE_DICE.holds) if THREE_DICE.held(roll, p) == policy[roll])
        for roll in THREE_DICE.states
    ]
    exact = oracle.distribution(policy, 200)
    assert sum(exact.values()) == pytest.approx(1, abs=1e-9)
    n = 1_000_000
    scores, n_moves, ends = played(THREE_DICE, holds, 10**9, n)
    mean = sum(score * p for score, p in exact.items())
    sd = sqrt(sum((score - mean) ** 2 * p for score, p in exact.items()))
    assert abs(scores.mean() - mean) < 5 * sd / sqrt(n)
    for score in range(5, 19):
        p = exact[score]
        assert abs((scores == score).mean() - p) < 5 * sqrt(p * (1 - p) / n)
    assert (scores == THREE_DICE.final_scores[ends] - (n_moves - 1)).all()
    # Games are independent.
    assert abs(np.corrcoef(scores[1:], scores[:-1])[0, 1]) < 5 / sqrt(n)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: Dice(0, 6), "n_dice must be 1 or more (got 0)"),
        (lambda: Dice(3, 1), "n_sides must be 2 or more (got 1)"),
        (lambda: Dice(7, 6), "(got 7 dice with 6 sides)"),
        (lambda: Dice(10**9, 6), "(got 1000000000 dice with 6 sides)"),
        (lambda: Dice(1, 10**9), "(got 1 dice with 1000000000 sides)"),
        (lambda: THREE_DICE.state((1, 2)), "roll must have 3 dice (got 2)"),
        (lambda: THREE_DICE.state((1, 2, 7)), "roll must have faces between 1 and 6 (got 7)"),
        (lambda: THREE_DICE.state((0, 2, 6)), "roll must have faces between 1 and 6 (got 0)"),
        (
            lambda: THREE_DICE.policy([7] * 55),
            "holds must be 56 integers (got shape (55,) of type int64)",
        ),
        (lambda: THREE_DICE.policy([0.5] * 56), "of type float64)"),
        (lambda: THREE_DICE.policy([7] * 55 + [8]), "holds must be between 0 and 7 (got 8)"),
        (lambda: THREE_DICE.policy([-1] + [7] * 55), "holds must be between 0 and 7 (got -1)"),
    ],
)
def test_bad_input_is_named(call: Any, part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)):
        call()
