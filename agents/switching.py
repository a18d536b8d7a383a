"""The Monte Carlo MDP agent that looks deeper on crowded boards.

Where every legal action leaves at most k cells empty, it decides by expectimax to depth d
(:mod:`agents.expectimax`), with a number of playouts of its own at the leaves; elsewhere it decides as the plain
agent does (:mod:`agents.value_function`).

Source: Ripstein (2023), §5.2, "Dynamic policy switching", which was never tried. Readings of ours:

- It says "few tiles on the board", and gives the reason that few *open* cells leave few states to search: few
  open cells are meant.
- All actions of a decision are looked at equally deep, and so the switch is made by the action that leaves the
  most cells empty: values of different depths are no fair comparison, since at each further level a maximum
  takes the place of random play.
- A leaf reached only by spawns of 4s gets ⌈leaf playouts/θ₅⌉ playouts, as nodes of 4s do in the plain agent.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, Progress, progress_of
from agents.expectimax import decide_by_expectimax
from agents.schedule import AUTHORS_THETA, Schedule
from agents.value_function import decide_by_expectation
from engine.jit import Integer, kernel
from engine.rng import PLAYOUT, SPAWN, stream
from engine.twenty48.board import N_ACTIONS, afterstate, n_empty, spawn
from engine.twenty48.rule import Rule

__all__ = ["Switching"]

LARGEST_DEPTH = 5
LARGEST_COUNT = 1_000_000
MOST_LEAVES = 10_000_000
LEAVES_PER_CELL = 8  # four actions, two kinds of tiles


@kernel
def most_empty(board: np.uint64) -> Integer:
    """Return how many cells that legal action leaves empty which leaves the most; 0 if none is legal."""
    most: Integer = np.int64(0)
    for action in range(N_ACTIONS):
        after, _ = afterstate(board, action, None)
        if after != board:
            most = max(most, n_empty(after))
    return most


@kernel
def switching_decision(
    board: np.uint64,
    schedule: npt.NDArray[np.int64],
    top_share: float,
    switch_at: int,
    depth: int,
    leaf_counts: npt.NDArray[np.int64],
    stream: np.uint64,
) -> tuple[Integer, npt.NDArray[np.float64], Integer]:
    """Decide by expectimax on a crowded board, by the plain agent elsewhere; returns are as of both."""
    plain = depth == 1 or most_empty(board) > switch_at
    n_legal = 0
    for action in range(N_ACTIONS):
        n_legal += int(afterstate(board, action, None)[0] != board)
    if plain or n_legal <= 1:
        return decide_by_expectation(board, schedule, top_share, 1.0, 1.0, stream, None)
    action, values, n_playout_moves, _ = decide_by_expectimax(
        board, depth, leaf_counts[0], leaf_counts[1], top_share, stream
    )
    return action, values, n_playout_moves


@kernel
def switching_moves(
    board: np.uint64,
    score: Integer,
    n_moves: int,
    n_playout_moves: Integer,
    schedule: npt.NDArray[np.int64],
    top_share: float,
    switch_at: int,
    depth: int,
    leaf_counts: npt.NDArray[np.int64],
    seed: np.uint64,
    max_moves: int,
) -> tuple[np.uint64, Integer, Integer, Integer]:
    """Play by :func:`switching_decision` until the end, or until ``max_moves`` are made."""
    while n_moves < max_moves:
        decision = stream(seed, PLAYOUT, np.uint64(n_moves))
        action, _, n_random = switching_decision(
            board, schedule, top_share, switch_at, depth, leaf_counts, decision
        )
        if action < 0:
            break
        after, reward = afterstate(board, action, None)
        score += reward
        n_playout_moves += n_random
        board = spawn(after, stream(seed, SPAWN, np.uint64(n_moves)))
        n_moves += 1
    return board, score, n_moves, n_playout_moves


@dataclass(frozen=True)
class Switching(Agent):
    """Plays as :class:`~agents.mcmdp.MonteCarloMDP`, and by expectimax on crowded boards.

    Parameters
    ----------
    schedule : Schedule
        Playouts by empty cells and tile spawned, where it does not look deeper.
    top_share : float
        θ₆, in (0, 1]: the share of a node's or leaf's playouts, best first, whose mean is its value.
    switch_at : int
        k, 0 to 15: it looks deeper where no action leaves more cells empty.
    depth : int
        d, 1 to 5: chance nodes down to a leaf. At 1 it is the plain agent.
    n_after_two, n_after_four : int
        Playouts of a leaf that the spawn of a 2 leads to, and of one that only spawns of 4s do, each 1 to
        1,000,000.

    Raises
    ------
    ValueError
        If a number is out of range, or ``switch_at`` and ``depth`` together allow more than ten million
        leaves: (8k)ᵈ.
    """

    schedule: Schedule
    top_share: float = 1.0
    switch_at: int = 3
    depth: int = 2
    n_after_two: int = 4
    n_after_four: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.top_share <= 1:
            raise ValueError(
                f"theta6: {self.top_share:g} given, a share above 0 and up to 1 allowed"
            )
        if not 0 <= self.switch_at <= 15:
            raise ValueError(f"switch_at: {self.switch_at} given, 0 to 15 allowed")
        if not 1 <= self.depth <= LARGEST_DEPTH:
            raise ValueError(f"depth: {self.depth} given, 1 to {LARGEST_DEPTH} allowed")
        for name, count in (("n_after_two", self.n_after_two), ("n_after_four", self.n_after_four)):
            if not 1 <= count <= LARGEST_COUNT:
                raise ValueError(f"{name}: {count} given, 1 to {LARGEST_COUNT} allowed")
        if (LEAVES_PER_CELL * self.switch_at) ** self.depth > MOST_LEAVES:
            raise ValueError(
                f"depth: {self.depth} given with switch_at {self.switch_at}, which may mean "
                f"(8 x {self.switch_at})**{self.depth} leaves; up to {MOST_LEAVES:,} allowed"
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
        switch_at: int = 3,
        depth: int = 2,
        leaf_playouts: int = 4,
        min_playouts: int = 3,
    ) -> "Switching":
        """Make the agent of the paper's six parameters and three of its own.

        ``leaf_playouts`` is the number of a leaf that a 2 leads to; of one that only 4s do, ⌈that/θ₅⌉.
        """
        schedule = Schedule.from_theta((theta1, theta2, theta3, theta4, theta5), min_playouts)
        if not 1 <= leaf_playouts <= LARGEST_COUNT:
            raise ValueError(f"leaf_playouts: {leaf_playouts} given, 1 to {LARGEST_COUNT} allowed")
        n_after_four = math.ceil(leaf_playouts / theta5 - 1e-9)
        return cls(schedule, theta6, switch_at, depth, leaf_playouts, n_after_four)

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """The schedule as kernels take it: int64, shape (2, 16), column e for e empty cells."""
        return self.schedule.table()

    @cached_property
    def leaf_counts(self) -> npt.NDArray[np.int64]:
        """Playouts of a leaf, by the tile that leads to it: int64, shape (2,)."""
        return np.array([self.n_after_two, self.n_after_four], np.int64)

    @classmethod
    def warm_up(cls, rule: Rule) -> None:
        agent = cls(Schedule((1,) * 15, (1,) * 15))
        agent.advance(Progress(0x11, 0, 0, 0), seed=0, max_moves=1)
        agent.decide(0x11, stream=0)

    def advance(self, progress: Progress, seed: int, max_moves: int) -> Progress:
        board, score, n_moves, n_playout_moves = progress
        return progress_of(
            switching_moves(
                np.uint64(board),
                score,
                n_moves,
                n_playout_moves,
                self.table,
                float(self.top_share),
                self.switch_at,
                self.depth,
                self.leaf_counts,
                np.uint64(seed),
                max_moves,
            )
        )

    def decide(self, board: int, stream: int) -> tuple[int, npt.NDArray[np.float64], int]:
        action, values, n_playout_moves = switching_decision(
            np.uint64(board),
            self.table,
            float(self.top_share),
            self.switch_at,
            self.depth,
            self.leaf_counts,
            np.uint64(stream),
        )
        return int(action), values, int(n_playout_moves)
