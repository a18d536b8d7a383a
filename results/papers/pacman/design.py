"""The agents of each figure, and the settings that are ours because the report does not give them.

The report's text does not give the values on the axes of its figures, so all lists of γ and of
numbers of sweeps are ours. An agent with a fixed number of sweeps has this number as its maximum,
and a tolerance of 0.

Our figure 7 also has an MDP and an A* that the report does not have. We selected them from several
candidates, on seeds that no figure uses. In each maze, the candidates have values of γ close to
those that won most in 400 preliminary games for each value. The preliminary games have seeds from
2,000,000 on, which are used for nothing else. On medium, γ = 0.99 took four times as long as 0.95
and did not win more.

For three questions that the report leaves open, an agent plays ``MORE`` times as many games as for
a point in a figure:

* **Motion** (§3.2): the report gives a win rate of "ca. 87%" for A* "in the equivalent
  deterministic medium classic Pacman world". The strategies of figure 7 play with other values of
  p, the probability that Pacman moves as chosen. The agents know p. On medium, A* also plays with
  each of ten dangers (numbers of steps within which a ghost makes it flee), at p = 0.8 and p = 1.
* **Routes** (§4): cells of a shortest path to food "could be rewarded". The report does not say by
  how much; we try rewards of 2 (less than food) and 10 (as much as food).
* **Maps** (§2.2 and §4): the report cuts its map to a box around food, ghosts and Pacman. It says
  that "work would need to be done on how this affects the win rate".

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018), §2 to §4.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pandas as pd

from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.agents.pacman.rewards import MAX_RADIUS, Distance
from thetafront.engine.pacman import Layout

GAMES_A_TRIAL = 10  # as in the report

SMALL, MEDIUM = Layout.named("small"), Layout.named("medium")
TOLERANCES = {SMALL: 0.1, MEDIUM: 0.2}  # the report's

RADII = tuple(range(MAX_RADIUS + 1))
SMALL_GAMMAS = (0.2, 0.4, 0.6, 0.8, 0.9)
PANEL_SWEEPS = (5, 10, 15)
SWEEPS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 40, 50)
SWEEP_GAMMAS = (0.6, 0.9)
SWEEP_RADIUS = {SMALL: 1, MEDIUM: 2}
MEDIUM_GAMMAS = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95)
ZONE_RADII = RADII[1:]  # at radius 0, both distances give only the ghost's cell
CANDIDATE_GAMMAS = {SMALL: (0.8, 0.9, 0.95, 0.99), MEDIUM: (0.7, 0.8, 0.9, 0.95)}
DANGERS = range(1, 11)

RANDOM = "random"
ASTARS = (WEAK_ASTAR, ASTAR, BEST_ASTAR) = ("A*, danger 1", "A*, danger 4", "A*, chosen by us")
CODE, TEXT = "MDP, the report's code", "MDP, the report's text"
BEST = "MDP, chosen by us"
PLANNERS = (CODE, TEXT, BEST)

MORE = 5
CHANCES = {SMALL: (0.8, 1.0), MEDIUM: (0.6, 0.7, 0.8, 0.9, 1.0)}
MOVERS = (RANDOM, *ASTARS, CODE, BEST)
ROUTE_REWARDS = (2.0, 10.0)

Played = Mapping[PacmanAgent, pd.DataFrame]
"""Games of each agent, in the order of the seeds."""
Bars = Mapping[Layout, Mapping[str, PacmanAgent]]
"""The strategies of figure 7 by name."""


def after_sweeps(layout: Layout, gamma: float, radius: int, n_sweeps: int) -> PacmanMDP:
    """Return the report's agent with a fixed number of sweeps a move."""
    return PacmanMDP(layout=layout, gamma=gamma, radius=radius, tolerance=0.0, max_sweeps=n_sweeps)


def to_tolerance(
    layout: Layout, gamma: float, radius: int, distance: Distance = Distance.MANHATTAN
) -> PacmanMDP:
    """Return the agent that sweeps until it reaches the report's tolerance for a layout."""
    return PacmanMDP(gamma, radius, TOLERANCES[layout], distance=distance, layout=layout)


def candidates(layout: Layout) -> list[PacmanAgent]:
    """List the MDP's settings and the dangers of A* to select from."""
    settings = product(CANDIDATE_GAMMAS[layout], ZONE_RADII, Distance)
    astars = [PacmanAStar(layout=layout, danger=danger) for danger in DANGERS]
    return [*(to_tolerance(layout, *each) for each in settings), *astars]


def strategies(layout: Layout, mdp: PacmanAgent, astar: PacmanAgent) -> dict[str, PacmanAgent]:
    """Return the bars of figure 7, with the MDP and the A* that were selected.

    The report's text does not give the γ and radius of figure 7. Its code has γ = 0.6, with radius
    0 on small and 2 on medium. Its text recommends γ = 0.8, where its plateau of win rates
    begins, and radius 2 in both mazes.
    """
    return {
        RANDOM: PacmanRandom(layout=layout),
        WEAK_ASTAR: PacmanAStar(layout=layout, danger=1),
        ASTAR: PacmanAStar(layout=layout, danger=4),
        BEST_ASTAR: astar,
        CODE: to_tolerance(layout, 0.6, 0 if layout == SMALL else 2),
        TEXT: to_tolerance(layout, 0.8, 2),
        BEST: mdp,
    }


def figure_agents(bars: Bars) -> list[PacmanAgent]:
    """List the agents of all figures, once each."""
    panels = product(PANEL_SWEEPS, RADII, SMALL_GAMMAS)
    agents: list[PacmanAgent] = [after_sweeps(SMALL, gamma, r, n) for n, r, gamma in panels]
    for layout, named in bars.items():
        radius = SWEEP_RADIUS[layout]
        agents += named.values()
        agents += [after_sweeps(layout, g, radius, n) for g, n in product(SWEEP_GAMMAS, SWEEPS)]
        agents += [to_tolerance(layout, 0.9, *zone) for zone in product(ZONE_RADII, Distance)]
    agents += [to_tolerance(MEDIUM, gamma, 2) for gamma in MEDIUM_GAMMAS]
    agents += [to_tolerance(MEDIUM, *each) for each in product((0.8, 0.9), RADII)]
    return list(dict.fromkeys(agents))


def movers(bars: Bars) -> list[tuple[str, PacmanAgent]]:
    """List the strategies for each layout and p, then A* on medium for each danger and p."""
    chances = [(layout, name, p) for layout in bars for name in MOVERS for p in CHANCES[layout]]
    strategies = [(name, replace(bars[layout][name], p_chosen=p)) for layout, name, p in chances]
    return strategies + [
        (f"A*, danger {danger}", PacmanAStar(layout=MEDIUM, danger=danger, p_chosen=p))
        for danger, p in product(DANGERS, CHANCES[SMALL])
    ]


def changes(bars: Bars) -> list[tuple[Layout, str, PacmanMDP, PacmanMDP]]:
    """List comparisons of a plain MDP with one that rewards routes or uses the smaller map."""
    found = []
    for layout, name in product(bars, PLANNERS):
        plain = bars[layout][name]
        assert isinstance(plain, PacmanMDP)
        routes = [replace(plain, route_reward=reward) for reward in ROUTE_REWARDS]
        found += [(layout, name, plain, each) for each in (*routes, replace(plain, cut=True))]
    return found


def question_agents(bars: Bars) -> list[PacmanAgent]:
    """List the agents of the open questions, once each."""
    pairs = [agent for _, _, *pair in changes(bars) for agent in pair]
    return list(dict.fromkeys([*(agent for _, agent in movers(bars)), *pairs]))
