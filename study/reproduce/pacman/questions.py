"""What the report leaves open: motion without noise, routes to food, and a smaller map.

*   **Motion** (§3.2): "ca. 87%" for A* "in the equivalent deterministic medium classic Pacman
    world". The strategies of figure 7 are played with other probabilities p that Pacman moves as
    chosen; the agents know p. On medium, A* is also played with every danger at p of 0.8 and 1.
*   **Routes** (§4): cells of a shortest path to food "could be rewarded". The report names no
    size; ours are 2, less than food, and 10, as much as food.
*   **Maps** (§2.2 and §4): the map is cut to a box around food, ghosts and Pacman, and "work would
    need to be done on how this affects the win rate".

Routes and maps are compared with the same agent without them, at the MDP's settings of figure 7.
These questions have ``MORE`` times the games of a figure's point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import pandas as pd

from thetafront.agents.pacman.agent import PacmanAgent, PacmanGame
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.engine.pacman import Layout
from thetafront.engine.pacman.motion import P_CHOSEN
from thetafront.study.estimate import t_interval
from thetafront.study.reproduce.pacman.design import (
    ASTAR,
    BEST,
    BEST_ASTAR,
    CODE,
    MEDIUM,
    RANDOM,
    SMALL,
    TEXT,
    WEAK_ASTAR,
    Bars,
    Played,
    astar_candidates,
)
from thetafront.study.reproduce.pacman.points import (
    agent_columns,
    columns_of,
    contrast,
    point_columns,
    won_by_seed,
)

MORE = 5

REPORTED_CERTAIN = 0.87
CERTAIN = 1.0
CHANCES = {SMALL: (P_CHOSEN, CERTAIN), MEDIUM: (0.6, 0.7, P_CHOSEN, 0.9, CERTAIN)}
MOVERS = (RANDOM, WEAK_ASTAR, ASTAR, BEST_ASTAR, CODE, BEST)

PLANNERS = (CODE, TEXT, BEST)
ROUTE_REWARDS = (2.0, 10.0)

TIMED_ROUNDS = 20
TIMED_SEEDS = 5  # a round's games; each round has other seeds


class Change(NamedTuple):
    """A setting of the MDP, and the same with something added."""

    layout: Layout
    planner: str  # the setting's name in figure 7
    route_reward: float
    cut: bool
    plain: PacmanMDP
    changed: PacmanMDP


def more_seeds(seeds: Sequence[int]) -> range:
    """Return the seeds of these questions; a figure's come first."""
    return range(seeds[0], seeds[0] + MORE * len(seeds))


def movers(bars: Bars) -> dict[tuple[Layout, str, float], PacmanAgent]:
    """Return the strategies by layout, name and p."""
    return {
        (layout, name, p): replace(bars[layout][name], p_chosen=p)
        for layout, chances in CHANCES.items()
        for name, p in product(MOVERS, chances)
    }


def dangers() -> dict[tuple[int, float], PacmanAgent]:
    """Return A* on medium by danger and p."""
    return {
        (astar.danger, p): replace(astar, p_chosen=p)
        for astar, p in product(astar_candidates(MEDIUM), (P_CHOSEN, CERTAIN))
    }


def changes(bars: Bars) -> list[Change]:
    """List the comparisons: each reward of a route, and the smaller map."""
    found = []
    for layout, name in product(CHANCES, PLANNERS):
        plain = bars[layout][name]
        assert isinstance(plain, PacmanMDP)
        for reward, cut in (*((each, False) for each in ROUTE_REWARDS), (0.0, True)):
            changed = replace(plain, route_reward=reward, cut=cut)
            found.append(Change(layout, name, reward, cut, plain, changed))
    return found


def all_agents(bars: Bars) -> list[PacmanAgent]:
    """List the agents of all questions, once each."""
    pairs = [agent for each in changes(bars) for agent in (each.plain, each.changed)]
    return list(dict.fromkeys([*movers(bars).values(), *dangers().values(), *pairs]))


def motion_frame(played: Played, bars: Bars) -> pd.DataFrame:
    """Return one row a strategy and p, and one a danger of A* and p: as figure 7's table."""
    named = [(name, agent) for (_, name, _), agent in movers(bars).items()]
    named += [(f"A*, danger {danger}", agent) for (danger, _), agent in dangers().items()]
    return pd.DataFrame(
        agent_columns(agent) | {"strategy": name} | point_columns(played[agent])
        for name, agent in named
    )


def moves_of(games: Sequence[PacmanGame]) -> int:
    """Count the moves of games."""
    return sum(game.n_moves for game in games)


def time_ratio(change: Change, first_seed: int) -> list[float]:
    """Measure CPU time a move with the change over that without, a number a round.

    The two take turns on the same few seeds, so that a change in the machine's speed affects both.
    """
    ratios = []
    for k in range(TIMED_ROUNDS):
        seeds = range(first_seed + k * TIMED_SEEDS, first_seed + (k + 1) * TIMED_SEEDS)
        pair = (change.changed, change.plain) if k % 2 else (change.plain, change.changed)
        cost = {}
        for agent in pair:
            games = [agent.play(seed) for seed in seeds]
            cost[agent] = sum(game.seconds for game in games) / moves_of(games)
        ratios.append(cost[change.changed] / cost[change.plain])
    return ratios


def changes_frame(
    played: Played, bars: Bars, times: Mapping[PacmanMDP, Sequence[float]]
) -> pd.DataFrame:
    """Return one row a comparison: wins, backups a move, and the time where it was measured.

    The rows of a layout that ask the same question are judged together.
    """
    lines = []
    for each in changes(bars):
        plain, changed = played[each.plain], played[each.changed]
        wins, others = (won_by_seed(played, [agent]) for agent in (each.changed, each.plain))
        n_together = len(PLANNERS) * (1 if each.cut else len(ROUTE_REWARDS))
        backups = [sum(game.n_backups for game in games) / moves_of(games)
                   for games in (changed, plain)]  # fmt: skip
        line = {
            "layout": each.layout.name,
            "strategy": each.planner,
            "route_reward": each.route_reward,
            "cut": each.cut,
            "n_games": len(plain),
            "win_rate_plain": sum(game.won for game in plain) / len(plain),
            "win_rate": sum(game.won for game in changed) / len(changed),
            **columns_of(contrast(wins, others, n_together), "difference"),
            "score_difference_points": sum(game.score for game in changed) / len(changed)
            - sum(game.score for game in plain) / len(plain),
            "backups_ratio": backups[0] / backups[1],
        }
        if each.changed in times:
            line |= columns_of(t_interval(times[each.changed]), "seconds_ratio")
        lines.append(line)
    return pd.DataFrame(lines)
