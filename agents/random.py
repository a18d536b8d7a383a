"""Uniformly random legal actions: what no search at all is worth."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Progress, progress_of
from engine.jit import Integer, kernel
from engine.rng import POLICY, SPAWN, below, next_word, stream
from engine.twenty48.board import N_ACTIONS, afterstate, legal_actions, spawn
from engine.twenty48.rule import Rule

__all__ = ["RandomAgent"]


@kernel
def random_action(legal: int, stream: np.uint64) -> int:
    """Choose uniformly among the set bits of ``legal``, of which there is one at least."""
    n_legal = 0
    for action in range(N_ACTIONS):
        n_legal += legal >> action & 1
    word, _ = next_word(stream)
    remaining = np.int64(below(word, np.uint64(n_legal)))
    for action in range(N_ACTIONS):
        if legal >> action & 1:
            if remaining == 0:
                return action
            remaining -= 1
    return -1


@kernel
def random_moves(
    board: np.uint64, score: Integer, n_moves: int, seed: np.uint64, max_moves: int
) -> tuple[np.uint64, Integer, Integer, Integer]:
    """Play random actions until the end, or until ``max_moves`` moves are made."""
    while n_moves < max_moves:
        legal = legal_actions(board)
        if legal == 0:
            break
        action = random_action(legal, stream(seed, POLICY, np.uint64(n_moves)))
        after, reward = afterstate(board, action, None)
        score += reward
        board = spawn(after, stream(seed, SPAWN, np.uint64(n_moves)))
        n_moves += 1
    return board, score, n_moves, 0


@dataclass(frozen=True)
class RandomAgent(Agent):
    """Takes each legal action with the same probability. It has no parameters."""

    purpose: ClassVar[int] = int(POLICY)

    @classmethod
    def warm_up(cls, rule: Rule) -> None:
        agent = cls()
        agent.advance(Progress(0x11, 0, 0, 0), seed=0, max_moves=1)
        agent.decide(0x11, stream=0)

    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        board, score, n_moves, _ = progress
        return progress_of(
            random_moves(np.uint64(board), score, n_moves, np.uint64(seed), max_moves)
        )

    def decide(self, board: int, stream: int) -> tuple[int, npt.NDArray[np.float64], int]:
        legal = legal_actions(np.uint64(board))
        return int(random_action(legal, np.uint64(stream))), np.full(N_ACTIONS, np.nan), 0
