"""Learning: a network plays games by its own values. After each game it corrects these values.

Notation
--------
=========  =======================================================================================
s          an afterstate of the game
V(s)       its value: the sum of its m weights
s′, r      the next afterstate of the game, and the points of the action that leads to it
G(s)       the target of V(s): r + (1 − λ)·V(s′) + λ·G(s′), or 0 for the last afterstate. V(s′) is
           its value after its own correction: the old value plus the changes of its weights
δ          the error G(s) − V(s)
α          learning rate: each weight of s changes by α·δ/m
E, A       coherence of a weight: the sum of its errors, and the sum of their absolute values
=========  =======================================================================================

The afterstates of a game are corrected from the last one to the first. With *temporal coherence*, a
weight changes by α·|E|/A·δ/m, which is less than α·δ/m if its errors have had different signs.

Sources:

- Learning from afterstates: Szubert and Jaśkowski (2014), *Temporal difference learning of n-tuple
  networks for the game 2048*, §II.
- Coherence and λ: Jaśkowski (2017), *Mastering 2048 with delayed temporal coherence learning,
  multi-stage weight promotion, redundant encoding and carousel shaping*, §III. The carousel, games
  that start in later stages, is from the same paper.
- Optimistic start: Guei, Chen and Wu (2021), *Optimistic temporal difference learning for 2048*.
- Order of corrections, and restarts from the middle of a game: Matsuzaki (2017), *Developing a 2048
  player with backward temporal coherence learning and restart*.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thetafront.agents.twenty48.afterstate_value import value
from thetafront.agents.twenty48.ntuple.patterns import Network, Weights, put_indices, stage
from thetafront.engine.jit import inlined, kernel, prefetch
from thetafront.engine.rng import SPAWN, START, next_word, stream
from thetafront.engine.twenty48.board import N_ACTIONS, spawn_from_word, transpose, turned_for
from thetafront.engine.twenty48.rows import RowTables, slide_rows

MAX_MOVES = 1 << 18  # of a game: each spawn adds 2 or more, and sixteen 32768s sum to 2**19
AHEAD, RING = 4, 8  # weights are prefetched 4 corrections ahead; RING: a larger power of two
CAROUSEL = 4096  # boards that are kept of each stage

Boards = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]


@inlined
def best_afterstate(
    network: Network, tables: RowTables, board: np.uint64
) -> tuple[np.uint64, np.float32]:
    """Return the afterstate (in any orientation) and the points of the best action.

    The points are −1 if no action is legal.
    """
    transposed = transpose(board)
    best = np.float32(-np.inf)
    best_after, best_reward = board, np.float32(-1.0)
    for action in range(N_ACTIONS):
        turned = turned_for(board, transposed, action)
        after, reward = slide_rows(tables, turned)
        if after != turned:
            worth = reward + value(network, after)
            if worth > best:
                best, best_after, best_reward = worth, after, reward
    return best_after, best_reward


class Carousel(NamedTuple):
    """The afterstates with which games entered each stage; training games start from them, too.

    A game can enter a stage several times, because a merge of large tiles can lower the stage.
    What is played again after a restart is not recorded.
    """

    boards: Boards  # (n_stages, CAROUSEL); newer ones replace the oldest
    n_entered: Counts  # how many games entered each stage, (n_stages,)


def new_carousel(n_stages: int) -> Carousel:
    """Return a carousel without boards."""
    return Carousel(np.zeros((n_stages, CAROUSEL), np.uint64), np.zeros(n_stages, np.int64))


@inlined
def first_afterstate(carousel: Carousel, game: int) -> np.uint64:
    """Return the afterstate from which a game starts: the empty board, or one of its stage.

    Games take turns: of n consecutive games, one starts in each of n stages. It starts from the
    empty board while no game has entered its stage.
    """
    n_stages = len(carousel.n_entered)
    begun = game % n_stages
    n = min(carousel.n_entered[begun], CAROUSEL)
    if begun == 0 or n == 0:
        return np.uint64(0)
    found: np.uint64 = carousel.boards[begun, (game // n_stages) % n]
    return found


@inlined
def enter_stages(carousel: Carousel, start: np.uint64, path: Boards, n: int) -> None:
    """Put the afterstates with which a game entered stages into the carousel."""
    n_stages = np.uint64(len(carousel.n_entered))
    before = stage(start, n_stages)
    for k in range(n):
        entered = stage(path[k], n_stages)
        if entered > before:
            carousel.boards[entered, carousel.n_entered[entered] % CAROUSEL] = path[k]
            carousel.n_entered[entered] += 1
        before = entered


class WorkSpace(NamedTuple):
    """Arrays for one game of :func:`learn`; each thread has its own."""

    path: Boards  # the afterstates, (MAX_MOVES,)
    rewards: Weights  # points of the action that leads to each afterstate, (MAX_MOVES,)
    indices: Boards  # of the weights of the afterstates to be corrected next, (RING, m)


def work_space(m: int, n_moves: int = MAX_MOVES) -> WorkSpace:
    """Allocate the arrays for games of up to ``n_moves`` moves, with ``m`` weights per value."""
    return WorkSpace(
        np.empty(n_moves, np.uint64), np.empty(n_moves, np.float32), np.empty((RING, m), np.uint64)
    )


@inlined
def play_out(
    network: Network,
    tables: RowTables,
    board: np.uint64,
    words: np.uint64,
    space: WorkSpace,
    n: int,
) -> tuple[int, np.uint64, float]:
    """Play a game to its end, from the board after ``n`` moves.

    Return the total number of moves, the advanced stream, and the points since that board.
    """
    total: Any = 0.0
    while n < len(space.path):
        after, reward = best_afterstate(network, tables, board)
        if reward < np.float32(0.0):
            break
        space.path[n], space.rewards[n] = after, reward
        total += reward
        n += 1
        word, words = next_word(words)
        board = spawn_from_word(after, word)
    return n, words, total


@inlined
def correct(
    network: Network,
    coherence: Weights,
    space: WorkSpace,
    begin: int,
    end: int,
    rate: np.float32,
    decay: np.float32,
    coherent: bool,
) -> None:
    """Correct the values of a path's afterstates, from the one before ``end`` back to ``begin``."""
    m = space.indices.shape[1]
    rest = np.float32(1.0) - decay
    target: Any = np.float32(0.0)
    for k in range(end - 1 + AHEAD, begin - 1, -1):
        if k - AHEAD >= begin:
            coming = space.indices[(k - AHEAD) % RING]
            put_indices(network, space.path[k - AHEAD], coming)
            for i in range(m):
                prefetch(network.weights, coming[i])
                if coherent:
                    prefetch(coherence, coming[i])
        if k >= end:
            continue
        indices = space.indices[k % RING]
        before = np.float32(0.0)
        for i in range(m):
            before += network.weights[indices[i]]
        error = target - before
        step = rate * error
        after_update = before
        for i in range(m):
            j = indices[i]
            change = step
            if coherent:
                errors, magnitudes = coherence[j, 0], coherence[j, 1]
                share = abs(errors) / magnitudes  # NaN if both are 0; not used then
                change = step * (share if magnitudes != np.float32(0.0) else np.float32(1.0))
                coherence[j, 0] = errors + error
                coherence[j, 1] = magnitudes + abs(error)
            network.weights[j] += change
            after_update += change
        target = space.rewards[k] + rest * after_update + decay * target


@kernel
def learn(
    network: Network,
    coherence: Weights,
    tables: RowTables,
    seed: np.uint64,
    first_game: int,
    n_games: int,
    max_moves: int,
    rate: float,
    decay: float,
    restart: int,
    coherent: bool,
    space: WorkSpace,
    carousel: Carousel,
) -> tuple[int, int, int, float]:
    """Play games and learn from each.

    Return the numbers of games and moves, the number of games from the empty board, and the sum of
    their scores. The weights, ``coherence`` and ``carousel`` are changed. ``coherence`` has E and A
    of each weight, shape (n_weights, 2); if ``coherent`` is false, it is not used. Learning ends
    early if it diverges.

    Several threads may call this function at the same time with the same network. They take no
    locks, so a change is lost occasionally, and the result depends on which thread was faster.

    Game g draws from stream number g of ``seed``, for the purposes ``START`` and ``SPAWN``. After a
    total of ``max_moves`` moves, no new game begins. ``rate`` and ``decay`` are α and λ. The number
    of rows of ``carousel`` is the number of stages in which games start. With one row, all games
    start from the empty board.

    If a finished game has at least ``restart`` moves, it is played again from its middle. If the
    part that was played again has at least this many moves, too, this is repeated from the middle
    of that part, and so on. 0: never. The sum of scores leaves out what is played again.
    """
    step_rate, carried = np.float32(rate / space.indices.shape[1]), np.float32(decay)
    n_played, n_moves, n_whole = 0, 0, 0
    n_stages = len(carousel.n_entered)
    total: Any = 0.0
    while n_played < n_games and n_moves < max_moves:
        game = first_game + n_played
        words = stream(seed, START, np.uint64(game))
        word, words = next_word(words)
        start = first_afterstate(carousel, game)
        board = spawn_from_word(start, word)
        if start == np.uint64(0):
            word, words = next_word(words)
            board = spawn_from_word(board, word)
        words = stream(seed, SPAWN, np.uint64(game))
        begin = 0
        n, words, score = play_out(network, tables, board, words, space, begin)
        n_played += 1
        if start == np.uint64(0):
            n_whole += 1
            total += score
        if n_stages > 1:
            enter_stages(carousel, start, space.path, n)
        if n == 0 and start == np.uint64(0):  # weights are NaN, so no action is the best
            break
        while True:
            n_moves += n - begin
            correct(network, coherence, space, begin, n, step_rate, carried, coherent)
            if restart == 0 or n - begin < max(restart, 2):
                break
            begin += (n - begin) // 2
            word, words = next_word(words)
            board = spawn_from_word(space.path[begin - 1], word)
            n, words, score = play_out(network, tables, board, words, space, begin)
    return n_played, n_moves, n_whole, total
