"""Values of leaves against plain Python, word by word."""

from itertools import pairwise

import numpy as np
import pytest

from tests.oracles import twenty48 as oracle
from tests.oracles import uct
from thetafront.agents.twenty48.leaf_value import WEIGHTS, LeafValue, leaf_value, rollout
from thetafront.engine.twenty48 import legal_actions, parse, worth

DEAD = "2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 8"
BOARDS = [
    "2 8 . 2 / 4 16 8 . / 64 32 16 4 / 256 128 8 2",
    "2 2 4 8 / 16 4 8 16 / 32 2 4 2 / 64 128 2 .",
    "2 . . . / . . . . / . . . . / . . . 2",
    "32768 32768 2 4 / 4 8 16 32 / 8 16 32 64 / 2 4 8 2",
    "4 4 2 8 / 8 2 16 4 / 16 4 2 8 / 2 16 4 4",
    DEAD,
]
RAMP = tuple(0.25 * i - 1.5 for i in range(16))
NONE = np.zeros(16)


@pytest.mark.parametrize("text", BOARDS)
@pytest.mark.parametrize("greedy", [False, True])
def test_rollouts_are_those_of_plain_python(text: str, greedy: bool) -> None:
    board = parse(text)
    for stream in range(30):
        for n_steps in (0, 1, 7, 60):
            expected = uct.rollout(oracle.from_packed(board), n_steps, oracle.words(stream), greedy)
            assert rollout(np.uint64(board), n_steps, greedy, np.uint64(stream)) == expected


def test_a_rollout_ends_with_its_game() -> None:
    for greedy in (False, True):
        _, n_moves = rollout(np.uint64(parse(BOARDS[2])), 100_000, greedy, np.uint64(5))
        assert 20 < n_moves < 3000


def exact_mean(faces: oracle.Board, n_steps: int, greedy: bool) -> float:
    """Mean of a rollout: allowed actions equally likely, spawns with their probabilities."""
    slides = oracle.slides(faces).values()
    if n_steps == 0 or not slides:
        return 0.0
    most = max(reward for _, reward in slides)
    allowed = [(after, reward) for after, reward in slides if reward == most or not greedy]
    total = sum(
        reward
        + sum(p * exact_mean(child, n_steps - 1, greedy) for child, p in oracle.spawns(after))
        for after, reward in allowed
    )
    return total / len(allowed)


@pytest.mark.parametrize("text", BOARDS[:5])
@pytest.mark.parametrize("greedy", [False, True])
def test_rollouts_have_the_mean_of_their_policy(text: str, greedy: bool) -> None:
    """Ties at random, illegal actions never: nothing here is told about words."""
    board = parse(text)
    n_steps = 2
    values = [rollout(np.uint64(board), n_steps, greedy, np.uint64(s))[0] for s in range(10_000)]
    expected = exact_mean(oracle.from_packed(board), n_steps, greedy)
    assert abs(np.mean(values) - expected) <= 4 * np.std(values) / 100 + 1e-9


@pytest.mark.parametrize("text", BOARDS)
def test_weights_and_scores(text: str) -> None:
    board = parse(text)
    faces = oracle.from_packed(board)
    for kind, weights in (*WEIGHTS.items(), (LeafValue.WEIGHTS_A, RAMP)):
        value, n_moves = leaf_value(
            np.uint64(board), 5, kind.code, np.array(weights, np.float64), np.uint64(0)
        )
        assert (value, n_moves) == uct.weights_leaf(weights)(faces, 5, iter(()))
    value, _ = leaf_value(np.uint64(board), 5, LeafValue.SCORE.code, NONE, np.uint64(0))
    assert value == uct.score_leaf(faces, 5, iter(()))[0]
    assert value == (worth(board) if legal_actions(board) else 0)


def test_a_state_without_an_action_is_worth_nothing() -> None:
    for kind in LeafValue:
        assert leaf_value(np.uint64(parse(DEAD)), 9, kind.code, np.ones(16), np.uint64(1)) == (0, 0)


def test_the_weights_that_have_names() -> None:
    snake = WEIGHTS[LeafValue.WEIGHTS_A]
    assert snake[:8] == (15, 14, 13, 12, 8, 9, 10, 11)
    assert sorted(snake) == list(range(16))
    order = sorted(range(16), key=lambda cell: snake[cell])
    steps = [abs(a // 4 - b // 4) + abs(a % 4 - b % 4) for a, b in pairwise(order)]
    assert steps == [1] * 15, "a snake moves to a neighbour"
    assert WEIGHTS[LeafValue.WEIGHTS_B][0] == 0
    assert WEIGHTS[LeafValue.WEIGHTS_B][15] == 6
