"""Small boards against rules on lists of face values, and all their states against a recursion."""

import random

import numpy as np
import pytest

from results.papers.heuristic_search.problems import best_luck
from results.papers.heuristic_search.small_board import (
    DEAL,
    DEALING,
    small_2048,
    small_afterstates,
)
from tests.oracles import small_2048 as optimal
from tests.oracles import twenty48 as oracle
from tests.papers.heuristic_search.cases import faces_of
from thetafront.agents.mdp.kernels import backup
from thetafront.engine.jit import kernel
from thetafront.engine.twenty48 import Action, afterstate, pack

SHAPES = [(1, 2), (2, 1), (1, 4), (2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 2), (4, 4)]


def packed(board: oracle.Board) -> int:
    grid = np.zeros((4, 4), np.int64)
    exponents = [[tile.bit_length() - 1 if tile else 0 for tile in row] for row in board]
    grid[: len(board), : len(board[0])] = exponents
    return pack(grid)


@pytest.mark.parametrize(("n_rows", "n_columns"), SHAPES)
def test_slides(n_rows: int, n_columns: int) -> None:
    chance = random.Random(n_rows * 10 + n_columns)
    for _ in range(300):
        tiles = [0, 0, 2, 2, 4, 8, 64]
        board = tuple(tuple(chance.choice(tiles) for _ in range(n_columns)) for _ in range(n_rows))
        given = np.array([packed(board)], np.uint64)
        (afters,), (rewards,) = small_afterstates(given, n_rows, n_columns)
        for action in Action:
            after, reward = oracle.slide(board, action)
            found = int(afters[action]), rewards[action]
            assert found == (packed(after), reward)
            if (n_rows, n_columns) == (4, 4):
                assert found == afterstate(packed(board), action)


@kernel
def backwards(tables, values):  # type: ignore[no-untyped-def]
    """Outcomes have higher numbers: one sweep from the last state to the first is all it takes."""
    for state in range(len(values) - 1, -1, -1):
        values[state], _ = backup(tables, values, state)


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "n_states"), [(1, 2, 9), (2, 2, 663), (1, 4, 444), (2, 3, 85845)]
)
def test_states_and_values_are_those_of_the_recursion(
    n_rows: int, n_columns: int, n_states: int
) -> None:
    game = small_2048(n_rows, n_columns)
    best = optimal.solved(n_rows, n_columns)
    boards = [faces_of(game, state) for state in range(1, game.mdp.n_states)]
    assert set(boards) == set(best.values)
    assert len(boards) == len(best.values)
    assert game.mdp.n_states == n_states
    values = np.zeros(game.mdp.n_states)
    backwards(game.mdp.tables, values)
    expected = [best.value_of_the_deal] + [best.values[board] for board in boards]
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    for bound in (game.upper_bound(), best_luck(game.mdp.tables)):
        assert (bound >= values - 1e-9).all()
        assert (game.mdp.greedy(bound)[0] <= bound + 1e-9).all()
    assert (best_luck(game.mdp.tables) <= game.upper_bound() + 1e-9).all()
    sources = np.repeat(np.arange(game.mdp.n_states), np.diff(game.mdp.first_action))
    sources = np.repeat(sources, np.diff(game.mdp.first_outcome))
    assert (game.mdp.outcome > sources).all()


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "step"), [(2, 2, 1), (1, 3, 1), (2, 3, 101), (3, 2, 707)]
)
def test_actions_rewards_and_spawns(n_rows: int, n_columns: int, step: int) -> None:
    game = small_2048(n_rows, n_columns)

    def children(number: int) -> dict[oracle.Board, float]:
        outcomes, probabilities = game.mdp.outcomes(number)
        boards = [faces_of(game, child) for child in outcomes.tolist()]
        return dict(zip(boards, probabilities.tolist(), strict=True))

    for state in range(1, game.mdp.n_states, step):
        expected = oracle.slides(faces_of(game, state)).items()
        for number, (action, (after, reward)) in zip(
            game.mdp.actions(state), expected, strict=True
        ):
            assert (game.actions[number], game.mdp.reward[number]) == (action, reward)
            assert children(number) == pytest.approx(dict(oracle.spawns(after)))
    assert list(game.mdp.actions(DEAL)) == [0]
    assert game.actions[0] == DEALING
    assert not any(map(any, faces_of(game, DEAL)))
    assert children(0) == pytest.approx(optimal.solved(n_rows, n_columns).deals)


def test_the_worth_of_the_largest_board() -> None:
    """The largest board comes up, and no board is worth more: 32 16 8 4 on four cells."""
    game = small_2048(2, 2)
    assert game.state([[32, 16], [4, 8]]) > 0
    assert game.upper_bound()[DEAL] == 4 * 32 + 3 * 16 + 2 * 8 + 1 * 4
    assert (
        max(tile for s in range(game.mdp.n_states) for row in faces_of(game, s) for tile in row)
        == 32
    )


def test_boards_that_no_game_reaches() -> None:
    game = small_2048(2, 2)
    for faces, message in (
        ([[3, 0], [0, 2]], r"board tiles must be powers of two"),
        ([[32, 32], [0, 2]], "reaches"),
    ):
        with pytest.raises(ValueError, match=message):
            game.state(faces)
