"""Agents for 2048 and the records of their games.

A game is played by compiled code, which releases the GIL. It is played in chunks of moves that are
short enough for Ctrl-C to take effect within a second, or after one move if it takes longer.
"""

import time
from abc import abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import Agent, Game, check_seed, column, warm
from thetafront.agents.policy_dispatch import Settings
from thetafront.agents.twenty48.loop import decide, play_on
from thetafront.engine.rng import PLAYOUT, SPAWN
from thetafront.engine.twenty48 import (
    Action,
    Rule,
    afterstate,
    initial,
    largest_exponent,
    legal_actions,
    spawn,
    stream,
    tile,
)

EMPTY_BOARD = 0
CHUNK_SECONDS = 0.1  # about how long a call of a kernel should take


@dataclass(frozen=True)
class Game2048(Game, kind="2048"):
    """One finished game of 2048. Its score is the sum of the rewards, an integer.

    Attributes
    ----------
    n_playout_moves : int
        Number of actions inside playouts. Unlike a time, it is the same on every machine.
    max_tile : int
        Face value of the largest tile at the end.
    end_board : int
        The packed board at the end.
    """

    score: int = column("score_points")
    n_playout_moves: int = column()
    max_tile: int = column()
    end_board: int = column(
        "end_board_hex", write="{:016x}".format, read=lambda digits: int(digits, 16)
    )

    @property
    def is_possible(self) -> bool:
        largest = tile(largest_exponent(self.end_board))
        counts = min(self.score, self.n_playout_moves)
        return super().is_possible and counts >= 0 and self.max_tile == largest


class Progress(NamedTuple):
    """The state of a game between two calls of kernels."""

    board: int
    score: int
    n_moves: int
    n_playout_moves: int


def next_chunk(n_moves: int, seconds: float) -> int:
    """Return how many moves to play in the next call of a kernel, which cannot be interrupted.

    The last call played ``n_moves`` in these CPU seconds.
    """
    return 2 * n_moves if seconds < CHUNK_SECONDS else max(1, n_moves // 2)


@dataclass(frozen=True)
class Decision2048:
    """An agent's decision on one board."""

    action: Action
    values: npt.NDArray[np.float64]  # (4,): points to be gained, or a heuristic's; NaN if unknown
    n_playout_moves: int  # actions inside playouts of this decision


class Move2048(NamedTuple):
    """A decision in a game, and the state of the game before it."""

    n_moves: int  # moves before the decision
    score: int  # points before the decision
    board: int  # the packed board before the decision
    decision: Decision2048


CASCADE = "whether merged tiles may merge again in the same move, as in the paper's program"


class Agent2048(Agent):
    """A policy for 2048. Subclasses are frozen dataclasses.

    Attributes
    ----------
    cascade : bool
        Whether a merged tile may merge again in the same action. In agents that support this, it is
        a parameter.
    purpose : int
        Number that selects the random streams of decisions: see :mod:`engine.rng`.
    first_chunk : int
        Number of moves after which :meth:`play` can be interrupted for the first time.
    """

    cascade: bool = False
    purpose: ClassVar[int] = int(PLAYOUT)
    first_chunk: ClassVar[int] = 1

    @property
    def rule(self) -> Rule:
        """The rule by which tiles merge in the agent's games."""
        return Rule.CASCADE if self.cascade else Rule.COMMON

    @property
    def built_for(self) -> Hashable:
        return self.rule

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """The parameters in the form that kernels take; their class selects the deciding kernel."""

    def warm_up(self) -> None:
        """Call each kernel once on an empty board, where there is nothing to decide."""
        self.decide(EMPTY_BOARD, stream=0)  # first, because its error names a missing kernel
        self.advance(Progress(EMPTY_BOARD, 0, 0, 0), seed=0, max_moves=1)
        largest_exponent(initial(0))

    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        """Play on until the game is over or has ``max_moves`` moves in total."""
        board, score, n_moves, n_playout_moves = play_on(
            self.settings,
            np.uint64(self.purpose),
            np.uint64(progress.board),
            progress.score,
            progress.n_moves,
            progress.n_playout_moves,
            np.uint64(seed),
            max_moves,
            self.rule.built,
        )
        return Progress(int(board), int(score), int(n_moves), int(n_playout_moves))

    def decide(self, board: int, stream: int) -> tuple[int, npt.NDArray[np.float64], int]:
        """Return the chosen action, the four values and the number of playout moves."""
        action, values, n_playout_moves = decide(
            self.settings, np.uint64(board), np.uint64(stream), self.rule.built
        )
        return int(action), values, int(n_playout_moves)

    def in_game(self) -> "Agent2048":
        """Return the agent for one game: this agent, unless it keeps a state between moves."""
        return self

    def play(self, seed: int) -> Game2048:
        check_seed(seed)
        warm(self)
        progress = Progress(board=initial(seed), score=0, n_moves=0, n_playout_moves=0)
        player = self.in_game()
        player.settings  # noqa: B018, computes tables before the clock starts
        seconds, chunk = 0.0, self.first_chunk
        while True:
            target = progress.n_moves + chunk
            begin = time.thread_time()
            progress = player.advance(progress, seed, target)
            spent = time.thread_time() - begin
            seconds += spent
            if progress.n_moves < target:
                break
            chunk = next_chunk(chunk, spent)
        return Game2048(
            seed=seed,
            score=progress.score,
            n_moves=progress.n_moves,
            seconds=seconds,
            n_playout_moves=progress.n_playout_moves,
            max_tile=tile(largest_exponent(progress.board)),
            end_board=progress.board,
        )

    def act(self, board: int, stream: int) -> Decision2048:
        """Decide on one packed board, with the given random stream.

        ValueError if no action is legal.
        """
        if not legal_actions(board):
            raise ValueError(f"board: no action is legal on {board:#018x}; the game is over")
        warm(self)
        action, values, n_playout_moves = self.decide(board, stream)
        return Decision2048(Action(action), values, n_playout_moves)

    def moves(self, seed: int) -> Iterator[Move2048]:
        """Play the same game as :meth:`play`, but slower; yield each decision before its move."""
        check_seed(seed)
        player = self.in_game()
        board, score, n_moves = initial(seed), 0, 0
        while legal_actions(board):
            decision = player.act(board, stream(seed, self.purpose, n_moves))
            yield Move2048(n_moves, score, board, decision)
            after, reward = afterstate(board, decision.action, self.rule)
            board = spawn(after, stream(seed, int(SPAWN), n_moves))
            score += reward
            n_moves += 1
