"""2048 on 2 × 3 cells, played by expectimax: a real game whose true front is known exactly.

All 85,845 boards are listed (:mod:`results.papers.heuristic_search.small_board`). Boards that can
follow a board have larger numbers, so one pass from the last board to the first gives the exact
mean score of a policy. The same pass gives its mean numbers of moves and of boards that the search
visits. There are 3,240 θ, and the truth of all of them is computed in about ten CPU seconds.

Notation
--------
============  ====================================================================================
depth         plies of the search, 1 to 3
deeper_below  the search takes one more ply if fewer cells are empty, 0 to 4
empty         level of the weight of an empty cell
merge         level of the weight of two equal tiles side by side
corner        level of the weight of the largest tile's face value, if the tile is in a corner
level         0 to 5: level 0 is a weight of 0, level k of 3 to the power of (k − 1) points; for
              ``corner``, the weight is divided by 64
t             10 ns times the mean number of boards that are visited in a game, divided by the mean
              number of moves
============  ====================================================================================
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from results.papers.heuristic_search.small_board import DEAL, small_2048
from thetafront import NumericParameter
from thetafront.agents.mdp.kernels import NO_ACTION, Indices, Tables
from thetafront.engine.jit import kernel
from thetafront.engine.twenty48.notation import SIZE

Floats = npt.NDArray[np.float64]

ENDS = {"depth": (1, 3), "deeper_below": (0, 4), "empty": (0, 5), "merge": (0, 5), "corner": (0, 5)}
PARAMETERS = tuple(NumericParameter(name, *ends, integer=True) for name, ends in ENDS.items())
LOWEST = np.array([low for low, _ in ENDS.values()])
SHAPE = tuple(high - low + 1 for low, high in ENDS.values())
MAX_PLIES = ENDS["depth"][1] + 1
SECONDS_A_BOARD = 1e-8


@kernel
def expected(tables: Tables, policy: Indices, gains: Floats) -> Floats:
    """Return mean sums of gains over a game from the deal, shape (m,).

    ``gains`` has the m gains of each action number, shape (n_actions, m).
    """
    values = np.zeros((len(policy), gains.shape[1]))
    for state in range(len(policy) - 1, -1, -1):
        action = policy[state]
        if action == NO_ACTION:
            continue
        values[state] = gains[action]
        for k in range(tables.first_outcome[action], tables.first_outcome[action + 1]):
            for m in range(gains.shape[1]):
                values[state, m] += tables.probability[k] * values[tables.outcome[k], m]
    found: Floats = values[DEAL].copy()
    return found


@kernel
def played(tables: Tables, policy: Indices, uniforms: Floats) -> Floats:
    """Play games, one for each row of uniform numbers, and return their scores, shape (n,)."""
    scores = np.zeros(len(uniforms))
    for game in range(len(uniforms)):
        state, n_moves = DEAL, 0
        while policy[state] != NO_ACTION:
            action = policy[state]
            scores[game] += tables.reward[action]
            k, left = tables.first_outcome[action], uniforms[game, n_moves]
            while left >= tables.probability[k] and k + 1 < tables.first_outcome[action + 1]:
                left -= tables.probability[k]
                k += 1
            state, n_moves = tables.outcome[k], n_moves + 1
    return scores


class SmallGame:
    """2048 on a small board, played by expectimax."""

    def __init__(self, n_rows: int, n_columns: int) -> None:
        found = small_2048(n_rows, n_columns)
        self.mdp, self.n_cells = found.mdp, n_rows * n_columns
        cells = [4 * (SIZE * r + c) for r in range(n_rows) for c in range(n_columns)]
        exponents = (found.boards[:, None] >> np.array(cells, np.uint64)) & np.uint64(15)
        tiles = exponents.astype(np.int64).reshape(-1, n_rows, n_columns)
        self.n_empty = (tiles == 0).sum(axis=(1, 2))  # per state
        pairs = np.zeros(len(tiles))
        for one, other in ((tiles[:, 1:], tiles[:, :-1]), (tiles[:, :, 1:], tiles[:, :, :-1])):
            pairs += ((one == other) & (one > 0)).sum(axis=(1, 2))
        largest = tiles.max(axis=(1, 2))
        corners = tiles[:, :: max(1, n_rows - 1), :: max(1, n_columns - 1)]
        in_corner = (corners == largest[:, None, None]).any(axis=(1, 2)) * 2.0**largest
        self.terms = np.array([self.n_empty, pairs, in_corner / 64.0])  # (3, n_states)
        self.states = np.repeat(np.arange(self.mdp.n_states), np.diff(self.mdp.first_action))
        of_outcomes = np.repeat(self.states, np.diff(self.mdp.first_outcome))
        # Boards visited by searches of 0 to 4 plies, (5, n_states).
        self.visited = np.zeros((MAX_PLIES + 1, self.mdp.n_states))
        for plies in range(MAX_PLIES):
            each = 1.0 + self.visited[plies][self.mdp.outcome]
            self.visited[plies + 1] = np.bincount(of_outcomes, each, self.mdp.n_states)

    def policies(self, *levels: int) -> Indices:
        """Return the action number in each state after 1 to 4 plies, shape (4, n_states)."""
        weights = [3.0 ** (level - 1) if level else 0.0 for level in levels]
        values, found = np.array(weights) @ self.terms, []
        for _ in range(MAX_PLIES):
            values, actions = self.mdp.greedy(values)
            found.append(actions)
        return np.array(found)

    def plies(self, depth: int, deeper_below: int) -> Indices:
        """Return how many plies are searched in each state."""
        return np.where(self.n_empty < deeper_below, depth + 1, depth)

    def truth(self, policies: Indices, depth: int, deeper_below: int) -> tuple[float, float]:
        """Return the exact mean score and t."""
        plies, states = self.plies(depth, deeper_below), np.arange(self.mdp.n_states)
        visited = np.where(self.states == DEAL, 0.0, self.visited[plies, states][self.states])
        gains = np.column_stack([self.mdp.reward, np.minimum(visited, 1.0), visited])
        policy = policies[plies - 1, states]
        score, n_moves, n_visited = expected(self.mdp.tables, policy, gains)
        return float(score), SECONDS_A_BOARD * float(n_visited / n_moves)

    def scores(self, theta: Indices, n: int, rng: np.random.Generator) -> Floats:
        """Play n games with a θ, shape (5,); return their scores, shape (n,)."""
        depth, deeper_below, *levels = theta.tolist()
        plies = self.plies(depth, deeper_below)
        policy = self.policies(*levels)[plies - 1, np.arange(self.mdp.n_states)]
        # Each spawn adds 2 or more to the sum of all tiles, which is below 2^(n_cells + 2).
        return played(self.mdp.tables, policy, rng.random((n, 2 ** (self.n_cells + 1))))


@cache
def game() -> SmallGame:
    """Return the game on 2 × 3 cells."""
    return SmallGame(2, 3)


@cache
def all_truths() -> Floats:
    """Return the mean score and t of all θ, shape (3, 5, 6, 6, 6, 2)."""
    found = np.empty((*SHAPE, 2))
    for levels in np.ndindex(SHAPE[2:]):
        policies = game().policies(*levels)
        for depth, deeper_below in np.ndindex(SHAPE[:2]):
            truth = game().truth(policies, depth + LOWEST[0], deeper_below)
            found[(depth, deeper_below, *levels)] = truth
    return found


def true(_: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return true scores and seconds a move of θ in their own units, shape (n, 5)."""
    found = all_truths()[tuple((x.astype(np.int64) - LOWEST).T)]
    return found[:, 0], found[:, 1]


def factors(u: Floats, x: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Return the scores of n games with a θ in its own units, shape (5,), divided by their mean."""
    return game().scores(x.astype(np.int64), n, rng) / true(u[None], x[None])[0]
