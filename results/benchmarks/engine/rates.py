"""Rates of kernels, alone and inside agents, in moves per CPU second."""

import statistics
import time
from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from results.benchmarks.engine.table_playout import row_tables, table_playouts
from thetafront.agents.agent import Agent, warm
from thetafront.agents.twenty48.agent import Agent2048
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.schedule import AUTHORS_THETA
from thetafront.engine.twenty48 import afterstate, initial, legal_actions, spawn
from thetafront.engine.twenty48.playout import playouts

BY_PLANES = "random games from the start, bit-planes"
BY_TABLE = "random games from the start, table lookup"

N_GAMES_FROM_START = 20_000  # a batch; see by_batch for others
N_GAMES_TABLE = 4_000
SECONDS_OF_PLAYOUTS = 0.4
SECONDS_OF_AGENT_GAMES = 0.5

NO_FLOORS: Mapping[str, float] = MappingProxyType({})

Round = Callable[[int], tuple[int, float]]
"""Takes the number of the round; returns a count (of moves, say) and the CPU seconds it took."""

playout_moves: Callable[[Any], int] = attrgetter("n_playout_moves")


def start_boards(n: int) -> npt.NDArray[np.uint64]:
    """Return the boards that n games start with, shape (n,)."""
    return np.array([initial(seed) for seed in range(n)], np.uint64)


def repeated(work: Callable[[int], int]) -> Round:
    """Return a round that repeats ``work``, a few milliseconds, long enough to measure it."""

    def play(number: int) -> tuple[int, float]:
        count = 0
        repetition = 0
        begin = time.thread_time()
        while (spent := time.thread_time() - begin) < SECONDS_OF_PLAYOUTS:
            count += work(1000 * number + repetition)
            repetition += 1
        return count, spent

    return play


def by_planes() -> Round:
    """Return a round of random games on bit-planes, refilling lanes and summing scores included."""
    boards = start_boards(N_GAMES_FROM_START)
    once = np.ones(len(boards), np.int64)
    return repeated(lambda seed: int(playouts(boards, once, np.uint64(seed), None)[1]))


def by_table() -> Round:
    """Return a round of the same games by table lookup."""
    boards = start_boards(N_GAMES_TABLE)
    tables = row_tables()
    return repeated(lambda seed: int(table_playouts(boards, tables, np.uint64(seed))[1]))


def inside(
    agent: Agent,
    seconds: float = SECONDS_OF_AGENT_GAMES,
    count_of: Callable[[Any], int] = playout_moves,
    n_side_by_side: int = 1,
) -> Round:
    """Return a round of an agent's whole games, over all their CPU seconds.

    No game begins after ``seconds`` of CPU time. ``count_of`` a finished game takes no counted
    time. Games are played alone, or so many side by side.
    """
    warm(agent)

    def next_games(first: int) -> tuple[Any, ...]:
        if n_side_by_side == 1:
            return (agent.play(first),)
        return agent.play_side_by_side(range(first, first + n_side_by_side))

    def play(number: int) -> tuple[int, float]:
        count = 0
        spent = 0.0
        game = 0
        while spent < seconds:
            played = next_games(1000 * number + game)
            count += sum(map(count_of, played))
            spent += sum(each.seconds for each in played)
            game += len(played)
        return count, spent

    return play


def author_times(factor: float, top_share: float = 1.0) -> MonteCarloMDP:
    """Return `mcmdp` with θ₁ … θ₄ a multiple of the author's."""
    theta1, theta2, theta3, theta4 = (round(factor * value) for value in AUTHORS_THETA[:4])
    return MonteCarloMDP(theta1, theta2, theta3, theta4, AUTHORS_THETA[4], top_share)


FEW_PLAYOUTS = MonteCarloMDP(35, 8, 10, 11, 3.15)
"""The cheapest point of the front that was published when games were first played side by side."""

SIDE_BY_SIDE = {
    name: f"mcmdp, {name}, 8 games side by side" for name in ("author's θ", "few playouts")
}
"""Names of the rounds of games side by side."""


def kernel_rounds() -> dict[str, Round]:
    """Return the rounds of all kernels of 2048, by name."""
    return {
        BY_PLANES: by_planes(),
        BY_TABLE: by_table(),
        "inside mcmdp, author's θ": inside(author_times(1)),
        "inside mcmdp, author's θ, top share 0.25": inside(author_times(1, 0.25)),
        "inside mcmdp, author's θ × 10": inside(author_times(10)),
        "inside mcmdp, author's θ × 10, top share 0.25": inside(author_times(10, 0.25)),
        "inside mcmdp, few playouts": inside(FEW_PLAYOUTS),
        SIDE_BY_SIDE["author's θ"]: inside(author_times(1), n_side_by_side=8),
        SIDE_BY_SIDE["few playouts"]: inside(FEW_PLAYOUTS, n_side_by_side=8),
        "inside pmcts, 100 playouts": inside(PureMonteCarlo(100)),
    }


def median_rates(
    rounds: Mapping[str, Round],
    n_rounds: int,
    say: Callable[[str], None],
    what: str = "kernels",
    floors: Mapping[str, float] = NO_FLOORS,
) -> dict[str, dict[str, float]]:
    """Measure all rounds in turns, ``n_rounds`` times after one that warms the caches.

    By name: ``median``, ``min`` and ``max`` over the rounds, in millions a CPU second, and
    ``floor`` where one is required. ``say`` receives a line of progress as each round begins.
    """
    rates: dict[str, list[float]] = {name: [] for name in rounds}
    for each in rounds.values():
        each(0)
    for number in range(1, n_rounds + 1):
        say(f"{what}, round {number} of {n_rounds}")
        for name, each in rounds.items():
            count, seconds = each(number)
            rates[name].append(count / seconds / 1e6)
    return {
        name: {"median": statistics.median(values), "min": min(values), "max": max(values)}
        | ({"floor": floors[name]} if name in floors else {})
        for name, values in rates.items()
    }


def rates_by_unit(
    by_unit: Mapping[str, Mapping[str, Round]],
    n_rounds: int,
    say: Callable[[str], None],
    what: str,
    floors: Mapping[str, float] = NO_FLOORS,
) -> dict[str, dict[str, Any]]:
    """Measure rounds of several units in turns: :func:`median_rates`, and a ``unit``."""
    rounds = {name: each for named in by_unit.values() for name, each in named.items()}
    rates = median_rates(rounds, n_rounds, say, what, floors)
    return {
        name: {"unit": unit, **rates[name]} for unit, named in by_unit.items() for name in named
    }


def batch_rate(n_playouts: int) -> float:
    """Return the rate of batches of ``n_playouts``, in million moves a CPU second."""
    boards = start_boards(min(n_playouts, 1000))
    counts = np.full(len(boards), n_playouts // len(boards), np.int64)
    n_moves, seconds = repeated(
        lambda seed: int(playouts(boards, counts, np.uint64(seed), None)[1])
    )(0)
    return n_moves / seconds / 1e6


def decision_microseconds(agent: Agent2048, n_decisions: int) -> dict[str, Any]:
    """Time single decisions, one after the other, in the agent's own games.

    Returns wall-clock percentiles ``p50``, ``p90``, ``p99`` in microseconds over ``n`` decisions.
    """
    warm(agent)
    times: list[float] = []
    seed = 0
    board = initial(seed)
    while len(times) < n_decisions:
        if not legal_actions(board):
            seed += 1
            board = initial(seed)
        begin = time.perf_counter()
        action, _, _ = agent.decide(board, len(times))
        times.append(time.perf_counter() - begin)
        board = spawn(afterstate(board, action)[0], len(times))
    percentiles = np.percentile(np.array(times) * 1e6, [50, 90, 99])
    names = ("p50", "p90", "p99")
    return {"n": len(times), **dict(zip(names, percentiles.tolist(), strict=True))}
