"""Rates of the tree search ``uct`` inside its own games, in simulations per CPU second.

Notation
--------
===========  =======================================================================================
m            simulations a decision, 100
d            depth: actions that a simulation looks ahead, 10
c            exploration, 100
===========  =======================================================================================

These are the settings of the example that :mod:`agents.twenty48.uct` follows. A move counts m
simulations if it had two legal actions or more; the time is all CPU seconds of the game.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from numba.core.runtime import _nrt_python, rtsys

from results.benchmarks.engine.rates import SECONDS_OF_AGENT_GAMES, Round, inside, median_rates
from thetafront.agents.twenty48.leaf_value import LeafValue
from thetafront.agents.twenty48.uct import UCT
from thetafront.engine.twenty48 import legal_actions

SEARCH = UCT(n_simulations=100, depth=10, exploration=100.0)

FLOORS = {LeafValue.RANDOM.value: 0.2, LeafValue.SCORE.value: 0.3}
"""Required rates, in million simulations a CPU second, by leaf value."""

N_BOARDS = 100


def n_simulations_of_game(agent: UCT, seed: int) -> int:
    """Count the simulations of a game: m for each move that had a choice."""
    n_decisions = sum(len(legal_actions(move.board)) > 1 for move in agent.moves(seed))
    return n_decisions * agent.n_simulations


def inside_games(agent: UCT, seconds: float) -> Round:
    """Return a round of whole games, in simulations; all rounds play the same games."""
    # Counting plays the game again, slowly: once is enough.
    count_of = cache(lambda seed: n_simulations_of_game(agent, seed))
    play = inside(agent, seconds, lambda game: count_of(game.seed))
    return lambda _: play(0)


def simulation_rates(n_rounds: int, say: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """Measure all leaf values in turns: :func:`~.rates.median_rates`, by leaf value."""
    rounds = {
        leaf.value: inside_games(replace(SEARCH, leaf_value=leaf), SECONDS_OF_AGENT_GAMES)
        for leaf in LeafValue
    }
    return median_rates(rounds, n_rounds, say, "simulations", FLOORS)


def allocations(agent: UCT, boards: Sequence[int]) -> int:
    """Count the allocations of compiled code in decisions, one a board, in a game's tree."""
    player = agent.in_game()
    player.decide(boards[0], 0)  # compiled
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats().alloc
        for number, board in enumerate(boards):
            player.decide(board, number)
        return int(rtsys.get_allocation_stats().alloc - before)
    finally:
        _nrt_python.memsys_disable_stats()


def allocations_per_simulation(agent: UCT = SEARCH, n_boards: int = N_BOARDS) -> float:
    """Return the allocations that m simulations make beyond those of one, over those m − 1.

    So what a decision allocates for its answer, whatever m is, does not count.
    """
    boards = [m.board for m in agent.moves(0) if len(legal_actions(m.board)) > 1][:n_boards]
    one = replace(agent, n_simulations=1)
    more = allocations(agent, boards) - allocations(one, boards)
    return more / (len(boards) * (agent.n_simulations - 1))
