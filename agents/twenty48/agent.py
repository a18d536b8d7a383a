"""Agents for 2048: what every one of them is, and what a game of it leaves.

A game runs in compiled code, in chunks of moves short enough that an interrupt is answered
within a second, with the GIL released.
"""

import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Game, check_seed, column, warm
from agents.policy_dispatch import Settings
from agents.twenty48.loop import decide, play_on
from engine.rng import PLAYOUT, SPAWN
from engine.twenty48 import (
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


@dataclass(frozen=True)
class Game2048(Game, kind="2048"):
    """One finished game of 2048; its score, the sum of the rewards, is whole.

    Attributes
    ----------
    n_playout_moves : int
        Actions taken inside playouts: exact, and the same on every machine.
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
    """A game of 2048 between two chunks, as kernels take it and give it back."""

    board: int
    score: int
    n_moves: int
    n_playout_moves: int


@dataclass(frozen=True)
class Decision:
    """What an agent thinks of one board.

    Attributes
    ----------
    action : Action
        Its choice.
    values : float64, shape (4,)
        Each action's value, in points from here on; NaN where an agent did not look, or where the
        action is illegal.
    n_playout_moves : int
        Actions taken inside playouts to decide.
    """

    action: Action
    values: npt.NDArray[np.float64]
    n_playout_moves: int


class Move(NamedTuple):
    """A decision in a game.

    Attributes
    ----------
    n_moves, score : int
        Actions taken, and points won, before it.
    board : int
        The packed board before it.
    decision : Decision
        What the agent thinks and does.
    """

    n_moves: int
    score: int
    board: int
    decision: Decision


class Agent2048(Agent):
    """A policy for 2048 with its parameters. Subclasses are frozen dataclasses.

    Attributes
    ----------
    cascade : bool
        Whether a merged tile may merge again in the same action, as in the paper's program; a
        parameter of the agents that can play so.
    purpose : int
        What the random numbers of a decision are for, see :mod:`engine.rng`.
    moves_per_chunk : int
        Moves that :meth:`play` makes between two chances to interrupt it.
    """

    cascade: bool = False
    purpose: ClassVar[int] = int(PLAYOUT)
    moves_per_chunk: ClassVar[int] = 32

    @property
    def rule(self) -> Rule:
        """How tiles merge in its games."""
        return Rule.CASCADE if self.cascade else Rule.COMMON

    @property
    def built_for(self) -> Rule:
        return self.rule

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """The parameters as kernels take them, by whose class :mod:`agents.twenty48.loop` knows who decides."""

    def warm_up(self) -> None:
        """Call each kernel once where there is nothing to decide."""
        self.advance(Progress(EMPTY_BOARD, 0, 0, 0), seed=0, max_moves=1)
        self.decide(EMPTY_BOARD, stream=0)

    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        """Play on from ``progress`` until the end, or until ``max_moves`` moves are made in all."""
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
        """Choose an action: the action, the four values and the playout moves it took."""
        action, values, n_playout_moves = decide(
            self.settings, np.uint64(board), np.uint64(stream), self.rule.built
        )
        return int(action), values, int(n_playout_moves)

    def in_game(self) -> "Agent2048":
        """Return what plays one game: the agent itself, unless it keeps something from move to move."""
        return self

    def play(self, seed: int) -> Game2048:
        check_seed(seed)
        warm(self)
        progress = Progress(board=initial(seed), score=0, n_moves=0, n_playout_moves=0)
        player = self.in_game()
        seconds = 0.0
        while True:
            target = progress.n_moves + self.moves_per_chunk
            begin = time.thread_time()
            progress = player.advance(progress, seed, target)
            seconds += time.thread_time() - begin
            if progress.n_moves < target:
                break
        return Game2048(
            seed=seed,
            score=progress.score,
            n_moves=progress.n_moves,
            seconds=seconds,
            n_playout_moves=progress.n_playout_moves,
            max_tile=tile(largest_exponent(progress.board)),
            end_board=progress.board,
        )

    def act(self, board: int, stream: int) -> Decision:
        """Decide on one board.

        Parameters
        ----------
        board : int
            A packed board on which some action is legal.
        stream : int
            The random stream of this decision.

        Raises
        ------
        ValueError
            If no action is legal.
        """
        if not legal_actions(board):
            raise ValueError(f"board: no action is legal on {board:#018x}; the game is over")
        warm(self)
        action, values, n_playout_moves = self.decide(board, stream)
        return Decision(Action(action), values, n_playout_moves)

    def moves(self, seed: int) -> Iterator[Move]:
        """Play the game of a seed, decision by decision: slower than :meth:`play`, and the same game.

        Parameters
        ----------
        seed : int
            Names every random number of the game; 0 to 2⁶³ − 1.

        Yields
        ------
        Move
            Each decision, before it is carried out.

        Raises
        ------
        ValueError
            If the seed is out of range.
        """
        check_seed(seed)
        player = self.in_game()
        board, score, n_moves = initial(seed), 0, 0
        while legal_actions(board):
            decision = player.act(board, stream(seed, self.purpose, n_moves))
            yield Move(n_moves, score, board, decision)
            after, reward = afterstate(board, decision.action, self.rule)
            board = spawn(after, stream(seed, int(SPAWN), n_moves))
            score += reward
            n_moves += 1
