"""Pacman by value iteration: Verghese (2018), figures 1 to 7 and claims, reproduced.

The script measures win rates in two mazes against γ, the number of sweeps, and the radius of the
zones around ghosts. It compares them with the win rates of random play and A*. It also judges each
claim of the report, and tries motion without noise, rewarded routes to food, and a smaller map.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Any

import pandas as pd

from results.papers import paper
from results.papers.pacman import claims, design, tables
from results.papers.pacman.design import BEST, BEST_ASTAR, MEDIUM, MOVERS, SMALL, Bars, Played
from results.papers.pacman.figures import all_figures
from thetafront import InputError
from thetafront.agents.agent import agent_digest, identity
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.study.estimate import Z95, Estimate
from thetafront.study.log.manifest import MANIFEST, earlier_manifest

FIRST_TO_SELECT = 500_000  # the seeds for selection begin this far after the first seed
MIN_GAMES = 2 * design.GAMES_A_TRIAL  # a standard deviation needs two trials
BATCH = 50  # games per task, because a game takes only milliseconds

Chosen = dict[str, dict[str, str]]  # digests of the selected agents by layout


def play(run: paper.Paper, agents: Iterable[PacmanAgent], seeds: range) -> Played:
    """Play the missing games, and return the games of each agent."""
    rows = {", ".join(f"{name} {value}" for name, value in identity(each).items()): each
            for each in agents}  # fmt: skip
    games = run.play(rows, seeds, BATCH)
    return {agent: games[name] for name, agent in rows.items()}


def measure_times(run: paper.Paper, chosen: Chosen, bars: Bars) -> dict[PacmanMDP, Estimate]:
    """Return the ratios of times with the smaller map to times with the whole map.

    They are those of the last run if it timed the same agents on the same seeds.
    """
    pairs = {changed: plain for *_, plain, changed in design.changes(bars) if changed.cut}
    columns = ["seconds_ratio", "seconds_ratio_low95", "seconds_ratio_high95"]
    earlier, found = earlier_manifest(run.output / MANIFEST), None
    if (earlier.get("seed"), earlier.get("chosen")) == (run.seed, chosen):
        types = {"cut": bool} | dict.fromkeys(columns, float)
        found = paper.kept(run.output / "changes.csv", types, "cut")
    if found is None or len(found) != len(pairs):
        return {each: tables.time_ratio(each, pairs[each], run.seeds[0]) for each in pairs}
    return {
        each: Estimate(*row) for each, row in zip(pairs, found[columns].to_numpy(), strict=True)
    }


def numbers(found: Mapping[str, pd.DataFrame], n_games: int) -> dict[str, Any]:
    """Return the numbers that the page's text needs besides those of the tables."""
    points, strategies, motion = (found[each] for each in ("points", "strategies", "motion"))
    middle = points[points["win_rate"].between(0.2, 0.8)]
    coin_sd = sqrt((middle["binomial_sd_of_ten_games"] ** 2).mean())
    n_trials = n_games // design.GAMES_A_TRIAL
    error = coin_sd / sqrt(n_trials)
    small = "layout == 'small' and max_sweeps in (10, 15) and radius in (1, 2)"
    medium = "layout == 'medium' and tolerance == 0.2 and distance == 'manhattan'"
    medium += " and gamma in (0.8, 0.9) and radius in (2, 3, 4)"
    movers = motion[motion["strategy"].isin(MOVERS)]
    astars = motion.query("layout == 'medium' and danger > 0").drop_duplicates("agent")
    noisy, certain = (astars[astars["p_chosen"] == p] for p in (0.8, 1.0))
    dangers = noisy.merge(certain, on="danger", suffixes=("", "_certain"))
    seconds = strategies.set_index(["strategy", "layout"])["seconds_per_move"]
    judged = claims.shown(found["claims"])
    return {
        "judged": judged,
        "verdicts": Counter(judged["verdict"]),
        "movers": movers.drop_duplicates(["layout", "strategy", "p_chosen"]),
        "dangers": dangers.sort_values("danger"),
        "routes": found["changes"].query("not cut"),
        "maps": found["changes"].query("cut"),
        "n_points": len(points),
        "n_cut": points["n_cut"].sum(),
        "n_trials": n_trials,
        "n_middle": len(middle),
        "sd": sqrt((middle["win_rate_sd_of_ten_games"] ** 2).mean()),
        "coin_sd": coin_sd,
        "error": error,
        "apart": Z95 * sqrt(2) * error,
        "small": points.query(small)["win_rate"].describe(),
        "medium": points.query(medium)["win_rate"].describe(),
        "sweep": paper.by(found["sweeps"], "{layout} {gamma:g} {n_sweeps}"),
        "best": paper.by(found["selection"], "{layout} {strategy} {chosen}"),
        "bar": paper.by(strategies, "{layout} {strategy}"),
        "farther": paper.by(found["distance"], "{layout} {radius}"),
        "times": seconds[BEST] / seconds[BEST_ASTAR],
        "n_more": motion["n_games"].min(),
    }


def pacman(run: paper.Paper) -> None:
    """Select settings, play, and write tables, figures and text."""
    if run.n_games < MIN_GAMES:
        raise InputError(f"--games must be {MIN_GAMES} or more (got {run.n_games})")
    first = run.seeds[0]
    others = range(first + FIRST_TO_SELECT, first + FIRST_TO_SELECT + run.n_games)
    more_seeds = range(first, first + design.MORE * run.n_games)
    candidates = [agent for layout in (SMALL, MEDIUM) for agent in design.candidates(layout)]
    tried = play(run, candidates, others)
    selection = tables.select(tried)
    selected = [agent for agent, best in zip(tried, selection["chosen"], strict=True) if best]
    bars = {
        layout: design.strategies(layout, *(each for each in selected if each.layout == layout))
        for layout in (SMALL, MEDIUM)
    }
    chosen = {
        layout.name: {"mdp": agent_digest(named[BEST]), "astar": agent_digest(named[BEST_ASTAR])}
        for layout, named in bars.items()
    }
    played = play(run, design.figure_agents(bars), run.seeds)
    more = play(run, design.question_agents(bars), more_seeds)
    points = tables.points_frame(played)
    found = {
        "points": points,
        "sweeps": tables.sweeps_frame(played),
        "distance": tables.distance_frame(tables.wins_frame(played), points),
        "strategies": tables.strategies_frame(played, bars),
        "selection": selection,
        "motion": tables.points_frame(more, design.movers(bars)),
        "changes": tables.changes_frame(more, bars, measure_times(run, chosen, bars)),
    }
    found["claims"] = claims.claims_frame(played, points, bars, more, found["motion"])
    layouts = {layout.name: list(layout.rows) for layout in bars}
    manifest = {"seeds_to_choose_on": [others[0], others[-1]], "chosen": chosen, "layouts": layouts}
    values = numbers(found, run.n_games) | {"first_other": others[0], "last_other": others[-1]}
    run.write("pacman", found, all_figures(found), manifest, **values)


if __name__ == "__main__":
    paper.script(pacman, "pacman_report", 200)
