"""Pure Monte Carlo search: the best average of random games.

Source: Ripstein (2023), §3.1, Algorithm 1 and equation 1. Every playout begins with the action in
question and a spawn *of its own*, so that the average is over the chance of the spawn as well.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Progress, progress_of
from engine.jit import Integer, kernel
from engine.rng import PLAYOUT, SPAWN, stream, substream
from engine.twenty48.board import N_ACTIONS, afterstate, legal_actions, spawn
from engine.twenty48.playout import playouts
from engine.twenty48.rule import BuiltRule, Rule

__all__ = ["PureMonteCarlo"]

LARGEST_N_PLAYOUTS = 1_000_000


@kernel
def pure_monte_carlo_decision(
    board: np.uint64, n_playouts: int, stream: np.uint64, rule: BuiltRule
) -> tuple[Integer, npt.NDArray[np.float64], Integer]:
    """Decide by Algorithm 1.

    Returns
    -------
    action : int
        The action of highest value, the first of equals; -1 if none is legal. A single legal action
        is taken without playouts, its value NaN.
    values : float64, shape (4,)
        Mean reward of each action and the playouts after it; NaN for illegal ones.
    n_playout_moves : int
        Actions taken in the playouts.
    """
    values = np.full(N_ACTIONS, np.nan)
    actions = np.empty(N_ACTIONS, np.int64)
    n_legal = 0
    legal = legal_actions(board)
    for action in range(N_ACTIONS):
        if legal >> action & 1:
            actions[n_legal] = action
            n_legal += 1
    if n_legal == 0:
        return -1, values, 0
    if n_legal == 1:
        return actions[0], values, 0

    starts = np.empty(n_legal * n_playouts, np.uint64)
    spawns = substream(stream, SPAWN)
    for k in range(n_legal):
        after, _ = afterstate(board, actions[k], rule)
        for i in range(k * n_playouts, (k + 1) * n_playouts):
            starts[i] = spawn(after, substream(spawns, np.uint64(i)))
    once = np.ones(n_legal * n_playouts, np.int64)
    scores, n_playout_moves = playouts(starts, once, substream(stream, PLAYOUT), rule)

    best = actions[0]
    for k in range(n_legal):
        _, reward = afterstate(board, actions[k], rule)
        total = scores[k * n_playouts : (k + 1) * n_playouts].sum()
        values[actions[k]] = reward + total / n_playouts
        if values[actions[k]] > values[best]:
            best = actions[k]
    return best, values, n_playout_moves


@kernel
def pure_monte_carlo_moves(
    board: np.uint64,
    score: Integer,
    n_moves: int,
    n_playout_moves: Integer,
    n_playouts: int,
    seed: np.uint64,
    max_moves: int,
    rule: BuiltRule,
) -> tuple[np.uint64, Integer, Integer, Integer]:
    """Play by :func:`pure_monte_carlo_decision` until the end, or until ``max_moves`` are made."""
    while n_moves < max_moves:
        decision = stream(seed, PLAYOUT, np.uint64(n_moves))
        action, _, n_random = pure_monte_carlo_decision(board, n_playouts, decision, rule)
        if action < 0:
            break
        after, reward = afterstate(board, action, rule)
        score += reward
        n_playout_moves += n_random
        board = spawn(after, stream(seed, SPAWN, np.uint64(n_moves)))
        n_moves += 1
    return board, score, n_moves, n_playout_moves


@dataclass(frozen=True)
class PureMonteCarlo(Agent):
    """Takes the action whose random games end best on average (Ripstein 2023, §3.1).

    Parameters
    ----------
    n_playouts : int
        Playouts for each legal action, 1 to 1,000,000; the paper's table has 100.
    rule : Rule
        How tiles merge, in the game and in the playouts.

    Raises
    ------
    ValueError
        If ``n_playouts`` is out of range.
    """

    n_playouts: int = 100
    rule: Rule = Rule.COMMON

    def __post_init__(self) -> None:
        if not 1 <= self.n_playouts <= LARGEST_N_PLAYOUTS:
            raise ValueError(
                f"n_playouts: {self.n_playouts} given, 1 to {LARGEST_N_PLAYOUTS} allowed"
            )

    @classmethod
    def from_numbers(cls, n_playouts: int = 100, cascade: bool = False) -> "PureMonteCarlo":
        """Make the agent from what a command line has."""
        return cls(n_playouts, Rule.CASCADE if cascade else Rule.COMMON)

    @classmethod
    def warm_up(cls, rule: Rule) -> None:
        agent = cls(1, rule)
        agent.advance(Progress(0x11, 0, 0, 0), seed=0, max_moves=1)
        agent.decide(0x11, stream=0)

    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        board, score, n_moves, n_playout_moves = progress
        return progress_of(
            pure_monte_carlo_moves(
                np.uint64(board),
                score,
                n_moves,
                n_playout_moves,
                self.n_playouts,
                np.uint64(seed),
                max_moves,
                self.rule.built,
            )
        )

    def decide(self, board: int, stream: int) -> tuple[int, npt.NDArray[np.float64], int]:
        action, values, n_playout_moves = pure_monte_carlo_decision(
            np.uint64(board), self.n_playouts, np.uint64(stream), self.rule.built
        )
        return int(action), values, int(n_playout_moves)
