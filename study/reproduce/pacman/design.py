"""The agents of each figure, and the settings that are ours because the report does not give them.

The report's text names no values of its axes. Ours:

*   **Small** (figures 2 and 3): γ of 0.2, 0.4, 0.6, 0.8, 0.9; radii 0 to 4; 5, 10 and 15 sweeps.
*   **Sweeps** (figures 4 and 6): 1 to 50, at γ of 0.6, as in the report's code, and of 0.9; radius
    1 on small, 2 on medium.
*   **Medium** (figure 5): (a) γ of 0.2 to 0.95 at radius 2; (b) radii 0 to 4 at γ of 0.8 and 0.9;
    to the report's tolerance, 0.2.

A fixed number of sweeps is a tolerance of 0 and that number as the maximum.

Figure 7 also has an MDP (γ, radius, distance) and an A* (danger) that we select on other seeds. The
candidates' discounts surround those that won most in each maze in 400 preliminary games each, on
seeds from 2,000,000 on, used for nothing else. On medium γ = 0.99 to the tolerance took four times
as long as 0.95, and won no more.

Source: Verghese, *Using a Markov Decision Process and Value Iteration Algorithm to Win Pacman in a
Non-Deterministic World* (2018), §3.
"""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

from thetafront.agents.pacman.agent import PacmanAgent, PacmanGame
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.agents.pacman.rewards import LARGEST_RADIUS, Distance
from thetafront.engine.pacman import LAYOUTS, Layout

GAMES_A_TRIAL = 10  # as in the report

MAZES = {name: Layout.named(name) for name in LAYOUTS}
SMALL, MEDIUM = MAZES["small"], MAZES["medium"]
TOLERANCES = {SMALL: 0.1, MEDIUM: 0.2}  # the report's

RADII = tuple(range(LARGEST_RADIUS + 1))
SMALL_GAMMAS = (0.2, 0.4, 0.6, 0.8, 0.9)
PANEL_SWEEPS = (5, 10, 15)

SWEEPS = (1, 2, 3, 5, 7, 10, 14, 20, 30, 40, 50)
SWEEP_GAMMAS = (0.6, 0.9)
SWEEP_RADIUS = {SMALL: 1, MEDIUM: 2}

MEDIUM_GAMMAS = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95)
MEDIUM_RADIUS = 2
MEDIUM_RADIUS_GAMMAS = (0.8, 0.9)

DISTANCE_GAMMA = 0.9
DISTANCE_RADII = RADII[1:]  # at radius 0 both distances give the ghost's cell

CANDIDATE_GAMMAS = {SMALL: (0.8, 0.9, 0.95, 0.99), MEDIUM: (0.7, 0.8, 0.9, 0.95)}
CANDIDATE_RADII = RADII[1:]
CANDIDATE_DANGERS = tuple(range(1, 11))

CODE = "MDP, the report's code"
TEXT = "MDP, the report's text"
BEST = "MDP, chosen by us"
WEAK_ASTAR = "A*, danger 1"
ASTAR = "A*, danger 4"
BEST_ASTAR = "A*, chosen by us"
RANDOM = "random"
CODE_GAMMA, TEXT_GAMMA = 0.6, 0.8
CODE_RADIUS = {SMALL: 0, MEDIUM: 2}
TEXT_RADIUS = 2

Played = Mapping[PacmanAgent, list[PacmanGame]]
"""Games of each agent, in the order of the seeds."""
Bars = Mapping[Layout, Mapping[str, PacmanAgent]]
"""The strategies of figure 7 by name."""


class Selected(NamedTuple):
    """The agents that we selected in a maze."""

    mdp: PacmanMDP
    astar: PacmanAStar


def after_sweeps(layout: Layout, gamma: float, radius: int, n_sweeps: int) -> PacmanMDP:
    """Return the report's agent with a fixed number of sweeps a move."""
    return PacmanMDP(layout=layout, gamma=gamma, radius=radius, tolerance=0.0, max_sweeps=n_sweeps)


def to_tolerance(
    layout: Layout, gamma: float, radius: int, distance: Distance = Distance.MANHATTAN
) -> PacmanMDP:
    """Return the agent that sweeps to the report's tolerance for a layout."""
    tolerance = TOLERANCES[layout]
    return PacmanMDP(
        layout=layout, gamma=gamma, radius=radius, tolerance=tolerance, distance=distance
    )


def mdp_candidates(layout: Layout) -> list[PacmanMDP]:
    """List the MDP's settings to select from."""
    return [
        to_tolerance(layout, gamma, radius, distance)
        for gamma, radius, distance in product(CANDIDATE_GAMMAS[layout], CANDIDATE_RADII, Distance)
    ]


def astar_candidates(layout: Layout) -> list[PacmanAStar]:
    """List the dangers of A* to select from."""
    return [PacmanAStar(layout=layout, danger=danger) for danger in CANDIDATE_DANGERS]


def strategies(layout: Layout, selected: Selected) -> dict[str, PacmanAgent]:
    """Return the bars of figure 7.

    The report's text names no γ and no radius for it. Its code has γ = 0.6, and radius 0 on small
    and 2 on medium. Its text recommends γ = 0.8, where the plateau begins, and radius 2 on both.
    """
    return {
        RANDOM: PacmanRandom(layout=layout),
        WEAK_ASTAR: PacmanAStar(layout=layout, danger=1),
        ASTAR: PacmanAStar(layout=layout, danger=4),
        BEST_ASTAR: selected.astar,
        CODE: to_tolerance(layout, CODE_GAMMA, CODE_RADIUS[layout]),
        TEXT: to_tolerance(layout, TEXT_GAMMA, TEXT_RADIUS),
        BEST: selected.mdp,
    }


def all_agents(selected: Mapping[Layout, Selected]) -> list[PacmanAgent]:
    """List the agents of all figures, once each."""
    panels = product(PANEL_SWEEPS, RADII, SMALL_GAMMAS)
    agents: list[PacmanAgent] = [after_sweeps(SMALL, gamma, r, n) for n, r, gamma in panels]
    for layout, ours in selected.items():
        agents += strategies(layout, ours).values()
        agents += [
            after_sweeps(layout, gamma, SWEEP_RADIUS[layout], n)
            for gamma, n in product(SWEEP_GAMMAS, SWEEPS)
        ]
        agents += [
            to_tolerance(layout, DISTANCE_GAMMA, radius, distance)
            for radius, distance in product(DISTANCE_RADII, Distance)
        ]
    agents += [to_tolerance(MEDIUM, gamma, MEDIUM_RADIUS) for gamma in MEDIUM_GAMMAS]
    agents += [to_tolerance(MEDIUM, *each) for each in product(MEDIUM_RADIUS_GAMMAS, RADII)]
    return list(dict.fromkeys(agents))
