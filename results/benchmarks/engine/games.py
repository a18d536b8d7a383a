"""Rates of the other two games, three dice and Pacman, in millions a CPU second.

Notation
--------
===========  =======================================================================================
games        of three dice, by an optimal policy (γ = 1)
steps        of Pacman and all ghosts, at random: the engine's own games, without an agent
moves        the same, each decided by an agent
backups      states backed up by ``pacman_mdp`` at its default parameters, over all sweeps of a game
===========  =======================================================================================

Counts inside an agent's games are divided by all CPU seconds of these games.
"""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from results.benchmarks.engine.rates import (
    SECONDS_OF_AGENT_GAMES,
    Round,
    inside,
    rates_by_unit,
    repeated,
)
from thetafront.agents.dice.agent import DiceAgent
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import Layout, LayoutName, random_games

DICE = "three dice, optimal policy"
RANDOM_SMALL = "Pacman at random, small"
RANDOM_MEDIUM = "Pacman at random, medium"
INSIDE_MDP = "inside pacman_mdp, medium"
ASTAR = "pacman_astar, medium"

FLOORS = {DICE: 5.0, RANDOM_MEDIUM: 1.0}
"""Required rates, in millions a CPU second."""

# Batches, some milliseconds each.
N_GAMES_OF_DICE = 20_000
N_GAMES_OF_PACMAN = 200

OPTIMAL = DiceAgent(gamma=1.0)
MEDIUM = Layout.named(LayoutName.MEDIUM)


def dice_games(number: int) -> int:
    """Play a batch of three dice on seeds of its own; return the number of games."""
    return len(OPTIMAL.games(number * N_GAMES_OF_DICE, N_GAMES_OF_DICE).scores)


def random_steps(layout: Layout, number: int) -> int:
    """Play a batch of random games of Pacman on seeds of its own; return the number of steps."""
    games = random_games(layout, N_GAMES_OF_PACMAN, number * N_GAMES_OF_PACMAN)
    return int(games.n_steps.sum())


def game_rounds(seconds: float) -> dict[str, dict[str, Round]]:
    """Return the rounds, by unit and name; agents play for so many CPU seconds a round."""
    mdp, astar = PacmanMDP(layout=MEDIUM), PacmanAStar(layout=MEDIUM)
    return {
        "games": {DICE: repeated(dice_games)},
        "steps": {
            RANDOM_SMALL: repeated(partial(random_steps, Layout.named("small"))),
            RANDOM_MEDIUM: repeated(partial(random_steps, MEDIUM)),
        },
        "backups": {INSIDE_MDP: inside(mdp, seconds, attrgetter("n_backups"))},
        "moves": {ASTAR: inside(astar, seconds, attrgetter("n_moves"))},
    }


def game_rates(n_rounds: int, say: Callable[[str], None]) -> dict[str, dict[str, Any]]:
    """Measure both games in turns: :func:`~.rates.rates_by_unit`."""
    rounds = game_rounds(SECONDS_OF_AGENT_GAMES)
    return rates_by_unit(rounds, n_rounds, say, "dice and Pacman", FLOORS)
