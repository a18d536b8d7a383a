"""The Monte Carlo MDP agent: every spawn looked at, each valued by random games.

Notation
--------
===========  =======================================================================================
s            the board now; a an action; s′ a *node*: the board after a and one particular spawn
m            empty cells after a; P(s′|s, a) is 0.9/m for a node with a 2, 0.1/m for one with a 4
n(s′)        playouts of the node, given by the :class:`~agents.schedule.Schedule`
V(s′)        mean score of the best ⌈θ₆·n⌉ of its n playouts
===========  =======================================================================================

The choice is argmax over a of Σ P(s′|s, a)·V(s′).

Source: Ripstein (2023), §3.2, Algorithms 2 and 3, equation 2. Readings of ours:

- Algorithm 3 sorts in *ascending* order and then slices the front, but calls the slice "top". We keep
  the best. It returns the list; V is its mean.
- A playout's result is the score of the whole game, so what the action itself scores counts in V
  although equation 2 has no R. Points that are on the board already are the same for all actions; we
  count from the board now.
- The number kept is rounded up, so that every node keeps one playout at least.
- With a single legal action there is nothing to decide, and no playout is made.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Progress, progress_of
from agents.schedule import Schedule
from engine.jit import Integer, kernel
from engine.rng import PLAYOUT, SPAWN, stream
from engine.twenty48.board import EVERY_CELL, N_ACTIONS, afterstate, empty_cells, n_empty, spawn
from engine.twenty48.playout import playouts

__all__ = ["AUTHORS_THETA", "MonteCarloMDP"]

AUTHORS_THETA = (500.0, 54.0, 18.0, 9.0, 6.25, 1.0)
"""The author's untuned θ, from his published code."""

P_TWO = 0.9
P_FOUR = 0.1
MOST_NODES = N_ACTIONS * 15 * 2


@kernel
def sum_of_best(scores: npt.NDArray[np.int64], n_best: int) -> np.int64:
    """Add up the ``n_best`` largest scores, of which there must be so many.

    The threshold is found by bisection rather than by partitioning: counting what lies above a value
    is a loop without branches, which vectorizes, and often one of the first values tried has exactly
    ``n_best`` above it.
    """
    n = len(scores)
    if n_best == n:
        return np.int64(scores.sum())
    low = high = scores[0]
    for i in range(n):
        low = min(low, scores[i])
        high = max(high, scores[i])
    low -= 1
    while high - low > 1:  # n_best or more scores are above low, fewer are above high
        middle = (low + high) >> 1
        n_above = np.int64(0)
        for i in range(n):
            n_above += np.int64(scores[i] > middle)
        if n_above == n_best:
            high = middle
            break
        if n_above > n_best:
            low = middle
        else:
            high = middle
    total = np.int64(0)
    n_above = np.int64(0)
    for i in range(n):
        above = np.int64(scores[i] > high)
        total += scores[i] & -above
        n_above += above
    # What is missing stands at the threshold itself, several times perhaps.
    return np.int64(total + (n_best - n_above) * high)


@kernel
def monte_carlo_mdp_decision(
    board: np.uint64, schedule: npt.NDArray[np.int64], top_share: float, stream: np.uint64
) -> tuple[Integer, npt.NDArray[np.float64], Integer]:
    """Decide by equation 2.

    Parameters
    ----------
    board : uint64
        The state.
    schedule : int64, shape (2, 16)
        Playouts of a node: row 0 for a spawned 2, row 1 for a 4; column e for e empty cells.
    top_share : float
        θ₆.
    stream : uint64
        Random stream of this decision.

    Returns
    -------
    action : int
        The action of highest value, the first of equals; -1 if none is legal.
    values : float64, shape (4,)
        Each action's value, in points from ``board`` on; NaN for illegal ones, and for a single legal
        one, which is not looked at.
    n_playout_moves : int
        Actions taken in the playouts.
    """
    values = np.full(N_ACTIONS, np.nan)
    nodes = np.empty(MOST_NODES, np.uint64)
    counts = np.empty(MOST_NODES, np.int64)
    first_node = np.empty(N_ACTIONS + 1, np.int64)
    n_nodes = 0
    n_legal = 0
    best = -1
    for action in range(N_ACTIONS):
        first_node[action] = n_nodes
        after, _ = afterstate(board, action)
        if after == board:
            continue
        n_legal += 1
        best = action
        empty = empty_cells(after)
        m = n_empty(after)
        for position in range(16):
            cell = (EVERY_CELL & np.uint64(15)) << (np.uint64(4) * np.uint64(position))
            if empty & cell:
                for exponent in range(1, 3):
                    nodes[n_nodes] = after | (cell << np.uint64(exponent - 1))
                    counts[n_nodes] = schedule[exponent - 1, m]
                    n_nodes += 1
    first_node[N_ACTIONS] = n_nodes
    if n_legal <= 1:
        return best, values, 0

    scores, n_playout_moves = playouts(nodes[:n_nodes], counts[:n_nodes], stream)

    best = -1
    best_value = -np.inf
    offset = 0
    for action in range(N_ACTIONS):
        after, reward = afterstate(board, action)
        if after == board:
            continue
        m = n_empty(after)
        value = np.float64(reward)
        for node in range(first_node[action], first_node[action + 1]):
            n = counts[node]
            n_best = n
            if top_share < 1.0:
                # 1e-9: a product that is whole but for rounding, 7.000000000000001 say, stays whole.
                n_best = max(1, np.int64(math.ceil(top_share * n - 1e-9)))
            total = sum_of_best(scores[offset : offset + n], n_best)
            offset += n
            is_two = (node - first_node[action]) % 2 == 0
            value += (P_TWO if is_two else P_FOUR) / m * (total / n_best)
        values[action] = value
        if value > best_value:
            best_value = value
            best = action
    return best, values, n_playout_moves


@kernel
def monte_carlo_mdp_moves(
    board: np.uint64,
    score: Integer,
    n_moves: int,
    n_playout_moves: Integer,
    schedule: npt.NDArray[np.int64],
    top_share: float,
    seed: np.uint64,
    max_moves: int,
) -> tuple[np.uint64, Integer, Integer, Integer]:
    """Play by :func:`monte_carlo_mdp_decision` until the end, or until ``max_moves`` are made."""
    while n_moves < max_moves:
        decision = stream(seed, PLAYOUT, np.uint64(n_moves))
        action, _, n_random = monte_carlo_mdp_decision(board, schedule, top_share, decision)
        if action < 0:
            break
        after, reward = afterstate(board, action)
        score += reward
        n_playout_moves += n_random
        board = spawn(after, stream(seed, SPAWN, np.uint64(n_moves)))
        n_moves += 1
    return board, score, n_moves, n_playout_moves


@dataclass(frozen=True)
class MonteCarloMDP(Agent):
    """Maximizes the expected mean of the best playouts over every spawn (Ripstein 2023, §3.2).

    Parameters
    ----------
    schedule : Schedule
        Playouts by empty cells and tile spawned.
    top_share : float
        θ₆, in (0, 1]: the share of a node's playouts, best first, whose mean is its value.

    Raises
    ------
    ValueError
        If ``top_share`` is out of range.
    """

    schedule: Schedule
    top_share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.top_share <= 1:
            raise ValueError(
                f"theta6: {self.top_share:g} given, a share above 0 and up to 1 allowed"
            )

    @classmethod
    def from_theta(
        cls,
        theta1: float = AUTHORS_THETA[0],
        theta2: float = AUTHORS_THETA[1],
        theta3: float = AUTHORS_THETA[2],
        theta4: float = AUTHORS_THETA[3],
        theta5: float = AUTHORS_THETA[4],
        theta6: float = AUTHORS_THETA[5],
        min_playouts: int = 3,
    ) -> "MonteCarloMDP":
        """Make the agent of the paper's six parameters; the author's untuned ones by default.

        See :meth:`agents.schedule.Schedule.from_theta` for θ₁ … θ₅ and ``min_playouts``.
        """
        theta: Sequence[float] = (theta1, theta2, theta3, theta4, theta5)
        return cls(Schedule.from_theta(theta, min_playouts), top_share=theta6)

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """The schedule as kernels take it: int64, shape (2, 16), column e for e empty cells."""
        return np.array([(0, *self.schedule.n_twos), (0, *self.schedule.n_fours)], np.int64)

    @classmethod
    def warm_up(cls) -> None:
        agent = cls(Schedule((1,) * 15, (1,) * 15))
        agent.advance(Progress(0x11, 0, 0, 0), seed=0, max_moves=1)
        agent.decide(0x11, stream=0)

    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        board, score, n_moves, n_playout_moves = progress
        return progress_of(
            monte_carlo_mdp_moves(
                np.uint64(board),
                score,
                n_moves,
                n_playout_moves,
                self.table,
                self.top_share,
                np.uint64(seed),
                max_moves,
            )
        )

    def decide(self, board: int, stream: int) -> tuple[int, npt.NDArray[np.float64], int]:
        action, values, n_playout_moves = monte_carlo_mdp_decision(
            np.uint64(board), self.table, float(self.top_share), np.uint64(stream)
        )
        return int(action), values, int(n_playout_moves)
