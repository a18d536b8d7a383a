"""Rates of the other two games, three dice and Pacman, in millions a CPU second of what each of them counts.

Notation
--------
===========  =======================================================================================
games        of three dice, from the first roll until one sticks, by an optimal policy: that of γ = 1
steps        of Pacman: turns of a game, in each of which he and all ghosts move
moves        the same, each decided by an agent
backups      states backed up by ``pacman_mdp`` at its default parameters, in all sweeps of a game
===========  =======================================================================================

Random steps are the engine's own, with nobody to decide. What is counted inside an agent's games is divided by all CPU
seconds of these games, their turns too.
"""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from agents.dice.agent import DiceAgent
from agents.pacman.agent import SMALL
from agents.pacman.astar import PacmanAStar
from agents.pacman.mdp import PacmanMDP
from engine.pacman import Layout, LayoutName, random_games
from study.bench.rates import SECONDS_OF_AGENT_GAMES, Round, inside, median_rates, repeated

DICE = "three dice, optimal policy"
RANDOM_SMALL = "Pacman at random, small"
RANDOM_MEDIUM = "Pacman at random, medium"
INSIDE_MDP = "inside pacman_mdp, medium"
ASTAR = "pacman_astar, medium"

FLOORS = {DICE: 5.0, RANDOM_MEDIUM: 1.0}
"""Millions a CPU second that are asked for."""

# Batches, some milliseconds each.
N_GAMES_OF_DICE = 20_000
N_GAMES_OF_PACMAN = 200

OPTIMAL = DiceAgent(gamma=1.0)
MEDIUM = Layout.named(LayoutName.MEDIUM)


def dice_games(number: int) -> int:
    """Play a batch of three dice, with seeds of its own; returns how many games."""
    games = OPTIMAL.games(number * N_GAMES_OF_DICE, N_GAMES_OF_DICE)
    return len(games.scores)


def random_steps(layout: Layout, number: int) -> int:
    """Play a batch of random games in a maze, with seeds of its own; returns how many steps Pacman took."""
    games = random_games(layout, N_GAMES_OF_PACMAN, number * N_GAMES_OF_PACMAN)
    return int(games.n_steps.sum())


def game_rounds(seconds: float) -> dict[str, dict[str, Round]]:
    """Return what is measured in turns, by what is counted and by name; in agents' games, so many seconds of them."""
    mdp, astar = PacmanMDP(layout=MEDIUM), PacmanAStar(layout=MEDIUM)
    return {
        "games": {DICE: repeated(dice_games)},
        "steps": {
            RANDOM_SMALL: repeated(partial(random_steps, SMALL)),
            RANDOM_MEDIUM: repeated(partial(random_steps, MEDIUM)),
        },
        "backups": {INSIDE_MDP: inside(mdp, seconds, attrgetter("n_backups"))},
        "moves": {ASTAR: inside(astar, seconds, attrgetter("n_moves"))},
    }


def game_rates(n_rounds: int, say: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """Measure both games in turns.

    Returns
    -------
    dict
        By name: ``unit``, what is counted; ``median``, ``min`` and ``max`` over the rounds, in millions of it a CPU
        second; and ``floor``, for those that have one.
    """
    by_unit = game_rounds(SECONDS_OF_AGENT_GAMES)
    rounds = {name: each for named in by_unit.values() for name, each in named.items()}
    rates = median_rates(rounds, n_rounds, say, "dice and Pacman", FLOORS)
    return {
        name: {"unit": unit, **rates[name]} for unit, named in by_unit.items() for name in named
    }
