"""MDPs with known optimal values, and values to begin a search with."""

from typing import Any

import numpy as np

from results.papers.heuristic_search.small_board import Small2048
from tests.agents.mdp.cases import mdp_of
from tests.oracles import finite_mdp as oracle
from tests.oracles import small_2048
from tests.oracles.twenty48 import Board
from thetafront.agents.mdp.finite_mdp import FiniteMDP
from thetafront.engine.twenty48 import tile, unpack

TINY = 1e-9


def random_mdp(seed: int, discount: float) -> tuple[FiniteMDP, oracle.Description, Any]:
    """A random MDP with its description and its optimal values."""
    description = oracle.random_description(seed)
    best = np.array(list(oracle.solve(description, discount)[0].values()))
    return mdp_of(description, discount), description, best


def loose(best: Any, seed: int, most: float) -> Any:
    """An upper bound that some backups raise."""
    bound = best + np.random.default_rng(seed).uniform(0, most, len(best))
    bound[-1] = 0
    return bound


def faces_of(game: Small2048, state: int) -> Board:
    """The face values of a state's board row by row, 0 for an empty cell."""
    exponents = unpack(int(game.boards[state]))[: game.n_rows, : game.n_columns]
    return tuple(tuple(map(tile, row)) for row in exponents.tolist())


def small_2048_values(game: Small2048) -> Any:
    """The optimal value of each state of a small board, the deal first."""
    best = small_2048.solved(game.n_rows, game.n_columns)
    boards = [faces_of(game, state) for state in range(1, game.mdp.n_states)]
    return np.array([best.value_of_the_deal, *(best.values[board] for board in boards)])


def action_values(faces: list[list[int]]) -> dict[int, float]:
    """The optimal value of each action on a small board."""
    best = small_2048.solved(len(faces), len(faces[0]))
    return best.action_values(tuple(map(tuple, faces)))
