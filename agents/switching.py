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
- "Its own number of playouts" is one number for a whole decision, shared out among the leaves, of which there may
  be twenty or twenty thousand: so it says what a decision costs, whatever k and d are. Every leaf gets one at
  least, and one that only spawns of 4s lead to θ₅ times fewer than the others, as nodes of 4s do in the plain
  agent.
"""

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
def crowdedness(board: np.uint64) -> tuple[Integer, Integer]:
    """Count the legal actions, and the cells left empty by the one that leaves the most."""
    n_legal = 0
    most: Integer = np.int64(0)
    for action in range(N_ACTIONS):
        after, _ = afterstate(board, action, None)
        if after != board:
            n_legal += 1
            most = max(most, n_empty(after))
    return n_legal, most


@kernel
def switching_decision(
    board: np.uint64,
    schedule: npt.NDArray[np.int64],
    top_share: float,
    switch_at: int,
    depth: int,
    leaf_playouts: int,
    two_to_four: float,
    stream: np.uint64,
) -> tuple[Integer, npt.NDArray[np.float64], Integer]:
    """Decide by expectimax on a crowded board, by the plain agent elsewhere; returns are as of both."""
    n_legal, most = crowdedness(board)
    if depth == 1 or n_legal <= 1 or most > switch_at:
        return decide_by_expectation(board, schedule, top_share, 1.0, 1.0, stream, None)
    deep_action, values, n_playout_moves, _ = decide_by_expectimax(
        board, depth, leaf_playouts, two_to_four, top_share, stream
    )
    return deep_action, values, n_playout_moves


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
    leaf_playouts: int,
    two_to_four: float,
    seed: np.uint64,
    max_moves: int,
) -> tuple[np.uint64, Integer, Integer, Integer]:
    """Play by :func:`switching_decision` until the end, or until ``max_moves`` are made."""
    while n_moves < max_moves:
        decision = stream(seed, PLAYOUT, np.uint64(n_moves))
        action, _, n_random = switching_decision(
            board, schedule, top_share, switch_at, depth, leaf_playouts, two_to_four, decision
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
    leaf_playouts : int
        Playouts of a deep decision, all leaves together, 1 to 1,000,000; every leaf gets one at least.
    two_to_four : float
        θ₅, 1 to 1,000,000: how many times more playouts a leaf gets that the spawn of a 2 leads to than one
        that only spawns of 4s do.

    Raises
    ------
    ValueError
        If a number is out of range, or ``switch_at`` and ``depth`` together may mean many million leaves: more
        than ten by the rule of thumb (8k)ᵈ, of which merges deeper down may make two or three times as many.
    """

    schedule: Schedule
    top_share: float = 1.0
    switch_at: int = 3
    depth: int = 2
    leaf_playouts: int = 4000
    two_to_four: float = AUTHORS_THETA[4]

    def __post_init__(self) -> None:
        if not 0 < self.top_share <= 1:
            raise ValueError(
                f"theta6: {self.top_share:g} given, a share above 0 and up to 1 allowed"
            )
        if not 0 <= self.switch_at <= 15:
            raise ValueError(f"switch_at: {self.switch_at} given, 0 to 15 allowed")
        if not 1 <= self.depth <= LARGEST_DEPTH:
            raise ValueError(f"depth: {self.depth} given, 1 to {LARGEST_DEPTH} allowed")
        for name, value in (("leaf_playouts", self.leaf_playouts), ("theta5", self.two_to_four)):
            if not 1 <= value <= LARGEST_COUNT:
                raise ValueError(f"{name}: {value:g} given, 1 to {LARGEST_COUNT} allowed")
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
        leaf_playouts: int = 4000,
        min_playouts: int = 3,
    ) -> "Switching":
        """Make the agent of the paper's six parameters and three of its own.

        See :meth:`agents.schedule.Schedule.from_theta` for θ₁ … θ₅ and ``min_playouts``.
        """
        schedule = Schedule.from_theta((theta1, theta2, theta3, theta4, theta5), min_playouts)
        return cls(schedule, theta6, switch_at, depth, leaf_playouts, theta5)

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """The schedule as kernels take it: int64, shape (2, 16), column e for e empty cells."""
        return self.schedule.table()

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
                self.leaf_playouts,
                float(self.two_to_four),
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
            self.leaf_playouts,
            float(self.two_to_four),
            np.uint64(stream),
        )
        return int(action), values, int(n_playout_moves)
