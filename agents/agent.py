"""What every agent is: frozen parameters, and ``play(seed)``.

A game of 2048 runs in compiled code, in chunks of moves short enough that an interrupt is answered
within a second, with the GIL released.

*Seconds per move* is the CPU time of the thread that decides, divided by the moves of the game. It is
taken warm: an agent's kernels are compiled, or loaded from the cache, before the first clock starts.
"""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.twenty48 import Action, initial, largest_exponent, legal_actions, tile

__all__ = ["Agent", "Decision", "Game", "Progress"]

MOVES_PER_CHUNK = 32
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Game:
    """One finished game.

    Attributes
    ----------
    seed : int
        What the game was played with: the same agent and seed give the same game.
    score : int
        Sum of the rewards, in points.
    n_moves : int
        Actions taken.
    seconds : float
        CPU seconds of the deciding thread, all moves together.
    n_playout_moves : int
        Actions taken inside playouts: exact, and the same on every machine.
    max_tile : int
        Face value of the largest tile at the end.
    end_board : int
        The packed board at the end.
    """

    seed: int
    score: int
    n_moves: int
    seconds: float
    n_playout_moves: int
    max_tile: int
    end_board: int


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


@cache
def warm(agent_class: type["Agent"]) -> None:
    """Compile the kernels of a class of agents, or load them, outside every measured time."""
    agent_class.warm_up()


class Agent(ABC):
    """A policy for 2048 with its parameters. Subclasses are frozen dataclasses."""

    @classmethod
    @abstractmethod
    def warm_up(cls) -> None:
        """Run each kernel once, on as little work as possible."""

    @abstractmethod
    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        """Play on from ``progress`` until the end, or until ``max_moves`` moves are made in all."""

    @abstractmethod
    def decide(self, board: int, stream: int) -> tuple[int, npt.NDArray[np.float64], int]:
        """Choose an action: the action, the four values and the playout moves it took."""

    def play(self, seed: int) -> Game:
        """Play one game from its start to its end.

        Parameters
        ----------
        seed : int
            Names every random number of the game; 0 to 2⁶³ − 1.

        Returns
        -------
        Game
            The finished game; the same for the same agent and seed, ``seconds`` apart.

        Raises
        ------
        ValueError
            If the seed is out of range.
        """
        if not 0 <= seed <= LARGEST_SEED:
            raise ValueError(f"seed: {seed} given, 0 to 2**63 - 1 allowed")
        warm(type(self))
        progress = Progress(board=initial(seed), score=0, n_moves=0, n_playout_moves=0)
        seconds = 0.0
        while True:
            target = progress.n_moves + MOVES_PER_CHUNK
            begin = time.thread_time()
            progress = self.advance(progress, seed, target)
            seconds += time.thread_time() - begin
            if progress.n_moves < target:
                break
        return Game(
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
        warm(type(self))
        action, values, n_playout_moves = self.decide(board, stream)
        return Decision(Action(action), values, n_playout_moves)


def progress_of(result: tuple[Any, Any, Any, Any]) -> Progress:
    """Turn what a kernel returns into plain integers."""
    board, score, n_moves, n_playout_moves = result
    return Progress(int(board), int(score), int(n_moves), int(n_playout_moves))
