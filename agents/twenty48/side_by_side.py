"""Games of the Monte Carlo MDP agent side by side: their decisions share a batch of playouts.

:mod:`engine.twenty48.playout` plays many playouts in parallel, each in a *lane*. With the playouts
of a single decision, many lanes are idle towards the end of the batch. The playouts of eight games
together leave far fewer lanes idle than those of one game: side by side, an agent with few playouts
plays more than twice as many games per second as with one game at a time (``make bench``).

The spawns of each game come from its own seed. But the random bits of playouts belong to lanes,
which the games share. So a game played side by side differs from the game with the same seed played
alone, but the distribution of scores is the same. All of the games together can be replayed
exactly, given the agent, their seeds, and the order of the seeds.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thetafront.agents.agent import check_seed, column
from thetafront.agents.twenty48.agent import Game2048, next_chunk
from thetafront.agents.twenty48.expectation import (
    MAX_NODES,
    ExpectationSettings,
    choose,
    put_nodes,
)
from thetafront.engine.jit import Integer, kernel
from thetafront.engine.rng import SIDE_BY_SIDE, SPAWN, stream
from thetafront.engine.twenty48 import Rule, initial, largest_exponent, tile
from thetafront.engine.twenty48.board import N_ACTIONS, afterstate, spawn
from thetafront.engine.twenty48.playout import playouts
from thetafront.engine.twenty48.rule import BuiltRule


@dataclass(frozen=True)
class SideBySide2048(Game2048, kind="2048 side by side"):
    """One of several games of 2048 that were played side by side, with consecutive seeds.

    Attributes
    ----------
    seconds : float
        A share of the CPU seconds of all these games, in proportion to the game's moves. The game
        would take a different time if it were played alone, so no cost is computed from this time.
    first_seed : int
        The lowest seed of the games that were played side by side.
    n_side_by_side : int
        The number of these games.
    """

    first_seed: int = column()
    n_side_by_side: int = column()

    is_timed: ClassVar[bool] = False

    @property
    def is_possible(self) -> bool:
        return super().is_possible and self.seed in self.played_with and self.n_side_by_side > 1

    @property
    def played_with(self) -> range:
        return range(self.first_seed, self.first_seed + self.n_side_by_side)


@kernel
def play_on_side_by_side(
    settings: ExpectationSettings,
    seeds: npt.NDArray[np.uint64],
    boards: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
    n_steps: int,
    max_steps: int,
    rule: BuiltRule,
) -> int:
    """Play on until all games are over, or the total number of steps is ``max_steps``.

    A step makes one move in each game that is not over. ``n_steps`` is the number of steps before
    this call. The first of ``seeds`` selects the random streams of playouts. ``boards``, shape
    (K,), and ``counters``, shape (3, K), are changed in place. The rows of ``counters`` are scores,
    moves and playout moves so far. Return the new number of steps, which is below ``max_steps`` if
    and only if all games are over.
    """
    n_games = len(seeds)
    scores, n_moves, n_playout_moves = counters[0], counters[1], counters[2]
    nodes = np.empty(n_games * MAX_NODES, np.uint64)
    counts = np.empty(n_games * MAX_NODES, np.int64)
    first_node = np.empty((n_games, N_ACTIONS + 1), np.int64)
    n_legal = np.empty(n_games, np.int64)
    last = np.empty(n_games, np.int64)
    values = np.empty(N_ACTIONS, np.float64)
    while n_steps < max_steps:
        n_nodes: Integer = np.int64(0)
        n_playing = 0
        for k in range(n_games):
            n_before = n_nodes
            n_nodes, n_legal[k], last[k] = put_nodes(
                settings, boards[k], rule, nodes, counts, first_node[k], n_before
            )
            n_playing += n_legal[k] > 0
            if n_legal[k] <= 1:  # nothing to decide
                n_nodes = n_before
        if n_playing == 0:
            break
        of_this_step = stream(seeds[0], SIDE_BY_SIDE, np.uint64(n_steps))
        gained, lengths = playouts(nodes[:n_nodes], counts[:n_nodes], of_this_step, rule)
        begin = 0
        for k in range(n_games):
            if n_legal[k] == 0:
                continue
            action = last[k]
            if n_legal[k] > 1:
                end = begin + counts[first_node[k, 0] : first_node[k, N_ACTIONS]].sum()
                action = choose(
                    settings, boards[k], rule, counts, first_node[k], gained[begin:end], values
                )
                n_playout_moves[k] += lengths[begin:end].sum()
                begin = end
            after, reward = afterstate(boards[k], action, rule)
            boards[k] = spawn(after, stream(seeds[k], SPAWN, np.uint64(n_moves[k])))
            scores[k] += reward
            n_moves[k] += 1
        n_steps += 1
    return n_steps


def play_side_by_side(
    settings: ExpectationSettings, seeds: Sequence[int], rule: Rule
) -> tuple[SideBySide2048, ...]:
    """Play games with two or more consecutive seeds side by side. Kernels must be compiled already.

    ValueError if a seed is out of range, or the seeds are not consecutive.
    """
    first, n_games = seeds[0], len(seeds)
    if n_games < 2 or list(seeds) != list(range(first, first + n_games)):
        raise ValueError(f"seeds must be two or more consecutive numbers (got {list(seeds)})")
    for seed in seeds:
        check_seed(seed)
    boards = np.array([initial(seed) for seed in seeds], np.uint64)
    counters = np.zeros((3, n_games), np.int64)
    of_games = np.array(seeds, np.uint64)
    n_steps, chunk = 0, 1
    seconds = 0.0
    while True:
        target = n_steps + chunk
        begin = time.thread_time()
        n_steps = play_on_side_by_side(
            settings, of_games, boards, counters, n_steps, target, rule.built
        )
        spent = time.thread_time() - begin
        seconds += spent
        if n_steps < target:
            break
        chunk = next_chunk(chunk, spent)
    scores, n_moves, n_playout_moves = counters.tolist()
    return tuple(
        SideBySide2048(
            seed=seed,
            score=scores[k],
            n_moves=n_moves[k],
            seconds=seconds * n_moves[k] / sum(n_moves),
            n_playout_moves=n_playout_moves[k],
            max_tile=tile(largest_exponent(int(boards[k]))),
            end_board=int(boards[k]),
            first_seed=first,
            n_side_by_side=n_games,
        )
        for k, seed in enumerate(seeds)
    )
