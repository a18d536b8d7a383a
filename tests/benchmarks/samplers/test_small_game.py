"""Exact scores of expectimax on a small board, against a recursion in plain Python."""

from functools import cache

import numpy as np
import pytest

from results.benchmarks.samplers.small_game import SECONDS_A_BOARD, SmallGame, all_truths
from results.benchmarks.samplers.truth import true_front
from tests.oracles.small_2048 import solved
from tests.oracles.twenty48 import Board, slides, spawns


class Search:
    """Expectimax on 2 × 2 cells, where every cell is a corner."""

    def __init__(self, depth: int, deeper_below: int, *levels: int) -> None:
        self.depth, self.deeper_below = depth, deeper_below
        self.empty, self.merge, self.corner = (3.0 ** (n - 1) if n else 0.0 for n in levels)
        self.n_visited = 0
        self.after = cache(self.after)

    def value(self, board: Board, plies: int) -> float:
        self.n_visited += 1
        if plies:
            return max(self.values(board, plies).values(), default=0.0)
        (a, b), (c, d) = board
        pairs = sum(one == other > 0 for one, other in ((a, b), (c, d), (a, c), (b, d)))
        largest = max(a, b, c, d)
        return self.empty * (a, b, c, d).count(0) + self.merge * pairs + self.corner * largest / 64

    def values(self, board: Board, plies: int) -> dict[int, float]:
        return {
            action: reward + sum(p * self.value(child, plies - 1) for child, p in spawns(after))
            for action, (after, reward) in slides(board).items()
        }

    def after(self, board: Board) -> np.ndarray:
        """Mean score, moves and visited boards of the rest of a game."""
        n_empty = sum(row.count(0) for row in board)
        self.n_visited = 0
        values = self.values(board, self.depth + (n_empty < self.deeper_below))
        if not values:
            return np.zeros(3)
        after, reward = slides(board)[max(values, key=lambda action: values[action])]
        own = np.array([reward, 1.0, self.n_visited])
        return own + sum(p * self.after(child) for child, p in spawns(after))


@pytest.mark.parametrize(
    "theta", [(1, 0, 1, 2, 3), (2, 0, 3, 1, 5), (1, 2, 4, 2, 0), (3, 1, 2, 0, 4), (2, 4, 0, 0, 0)]
)
def test_scores_and_costs_are_exact(theta: tuple[int, ...]) -> None:
    game, search = SmallGame(2, 2), Search(*theta)
    score, t = game.truth(game.policies(*theta[2:]), *theta[:2])
    deals = solved(2, 2).deals.items()
    expected, n_moves, n_visited = sum(p * search.after(board) for board, p in deals)
    assert score == pytest.approx(expected, rel=1e-9)
    assert t == pytest.approx(SECONDS_A_BOARD * n_visited / n_moves, rel=1e-9)
    assert score <= solved(2, 2).value_of_the_deal
    scores = game.scores(np.array(theta), 20_000, np.random.default_rng(0))
    assert scores.mean() == pytest.approx(score, abs=4 * scores.std() / 20_000**0.5)


def test_the_front_is_the_best_of_all() -> None:
    truth, every = true_front("small_2048"), all_truths().reshape(-1, 2)
    for budget, best in zip(truth.budgets, truth.best_within(truth.budgets), strict=True):
        assert best == every[every[:, 1] <= budget, 0].max()
