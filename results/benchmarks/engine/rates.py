"""Rates of kernels and agents, in millions a CPU second.

- *Random moves* are legal moves of random games of 2048, alone or as an agent's playouts.
- *Simulations* are those of tree search: m for each move with more than one legal action.
- *Games* are games of three dice by an optimal policy.
- *Backups* are backups of states by ``pacman_mdp``, over all sweeps of a game.
- *Decisions* are moves of the other agents of Pacman.

Counts inside an agent's games are divided by all CPU seconds of these games.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from results.benchmarks.command import say
from thetafront.agents.agent import Agent, warm
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.agents.twenty48.schedule import AUTHORS_THETA
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.pacman import Layout
from thetafront.engine.twenty48 import afterstate, initial, legal_actions, spawn
from thetafront.engine.twenty48.playout import playouts

RANDOM_MOVES = "random moves"
SECONDS_OF_PLAYOUTS, SECONDS_OF_AGENT_GAMES = 0.4, 0.5
# Sizes of batches that take some milliseconds each.
N_PLANES, N_DICE = 20_000, 20_000

Round = Callable[[int], tuple[int, float]]
"""Takes the number of the round; returns a count (of moves, say) and the CPU seconds spent."""


def repeated(work: Callable[[int], Any]) -> Round:
    """Return a round that repeats ``work`` (a few milliseconds) for long enough to measure it."""

    def play(number: int) -> tuple[int, float]:
        count = repetition = 0
        begin = time.thread_time()
        while (spent := time.thread_time() - begin) < SECONDS_OF_PLAYOUTS:
            count += int(work(1000 * number + repetition))
            repetition += 1
        return count, spent

    return play


def inside(agent: Agent, count_of: Callable[[Any], int]) -> Round:
    """Return a round of an agent's whole games; the time that ``count_of`` takes is left out."""

    def play(number: int) -> tuple[int, float]:
        warm(agent)
        count, spent, game = 0, 0.0, 0
        while spent < SECONDS_OF_AGENT_GAMES:
            played = agent.play(1000 * number + game)
            count += count_of(played)
            spent += played.seconds
            game += 1
        return count, spent

    return play


def simulations(leaf: LeafValue) -> Round:
    """Return a round of tree search; all rounds play the same games."""
    agent = UCT(n_simulations=100, depth=10, exploration=100.0, leaf_value=leaf)
    # Counting plays the game again, slowly, so counts are cached.
    count_of = cache(lambda seed: n_simulations_of_game(agent, seed))
    return lambda _: inside(agent, lambda game: count_of(game.seed))(0)


def n_simulations_of_game(agent: UCT, seed: int) -> int:
    """Count the simulations of a game: m for each move with more than one legal action."""
    n_decisions = sum(len(legal_actions(move.board)) > 1 for move in agent.moves(seed))
    return n_decisions * agent.n_simulations


def author_times(factor: float, top_share: float = 1.0) -> MonteCarloMDP:
    """Return `mcmdp` with the author's θ₁ … θ₄ multiplied by ``factor``."""
    theta1, theta2, theta3, theta4 = (round(factor * value) for value in AUTHORS_THETA[:4])
    return MonteCarloMDP(theta1, theta2, theta3, theta4, AUTHORS_THETA[4], top_share)


def all_rounds() -> dict[str, dict[str, Round]]:
    """Return all rounds, by unit and name."""
    boards = np.array([initial(seed) for seed in range(N_PLANES)], np.uint64)
    once = np.ones(N_PLANES, np.int64)
    optimal, medium = DiceAgent(gamma=1.0), Layout.named("medium")
    n_moves = attrgetter("n_playout_moves")

    return {
        RANDOM_MOVES: {
            "from the start, bit-planes": repeated(
                lambda seed: playouts(boards, once, np.uint64(seed), None)[1].sum()
            ),
            **{
                f"inside mcmdp, author's θ × {factor}, top share {share:g}": inside(
                    author_times(factor, share), n_moves
                )
                for factor in (1, 10)
                for share in (1.0, 0.25)
            },
            "inside pmcts, 100 playouts": inside(PureMonteCarlo(100), n_moves),
        },
        "simulations": {
            f"uct, m = 100, d = 10, leaf value {leaf}": simulations(leaf) for leaf in LeafValue
        },
        "games": {
            "three dice, optimal policy": repeated(
                lambda k: len(optimal.games(k * N_DICE, N_DICE).scores)
            )
        },
        "backups": {
            "inside pacman_mdp, medium": inside(PacmanMDP(layout=medium), attrgetter("n_backups"))
        },
        "decisions": {
            "pacman_random, medium": inside(PacmanRandom(layout=medium), attrgetter("n_moves")),
            "pacman_astar, medium": inside(PacmanAStar(layout=medium), attrgetter("n_moves")),
        },
    }


def median_rates(
    rounds: Mapping[str, Mapping[str, Round]], n_rounds: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Measure all rounds in turns, ``n_rounds`` times, after a first time that warms the caches.

    Return, by unit and name, ``median``, ``min`` and ``max`` over the rounds, in millions per CPU
    second.
    """
    rates: dict[str, dict[str, list[float]]] = {
        unit: {name: [] for name in named} for unit, named in rounds.items()
    }
    for number in range(n_rounds + 1):
        say(f"round {number} of {n_rounds}")
        for unit, named in rounds.items():
            for name, each in named.items():
                count, seconds = each(number)
                rates[unit][name].append(count / seconds / 1e6)
    return {
        unit: {name: spread(values[1:]) for name, values in named.items()}
        for unit, named in rates.items()
    }


def spread(values: list[float]) -> dict[str, float]:
    """Return the median of measurements, and their range."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def decision_microseconds(agent: MonteCarloMDP, n_decisions: int) -> dict[str, float]:
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
    percentiles = {f"p{p}": float(np.percentile(times, p)) * 1e6 for p in (50, 90, 99)}
    return {"n": len(times), **percentiles}
