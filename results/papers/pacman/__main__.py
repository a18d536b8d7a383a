"""Pacman by value iteration: Verghese (2018), figures 1 to 7 and claims, played again.

Win rates against ghost radius, γ and sweeps in two mazes, beside random and A* play, and a verdict
on each claim; also motion without noise, rewarded routes to food and a smaller map.
"""

from collections.abc import Iterable

import pandas as pd

from results.papers import paper
from results.papers.pacman import design, tables
from results.papers.pacman.claims import claims_frame
from results.papers.pacman.design import BEST, BEST_ASTAR, MEDIUM, SMALL, Bars, Played
from results.papers.pacman.figures import all_figures
from results.papers.pacman.text import markdown
from thetafront import InputError
from thetafront.agents.agent import digest_of, identity
from thetafront.agents.pacman.agent import PacmanAgent
from thetafront.agents.pacman.mdp import PacmanMDP
from thetafront.study.estimate import Estimate

FIRST_TO_SELECT = 500_000  # seeds that select settings start so much later
FEWEST_GAMES = 2 * design.GAMES_A_TRIAL  # for the spread of trials
BATCH = 50  # games take milliseconds

Chosen = dict[str, dict[str, str]]  # digests of the selected agents by layout


def play(run: paper.Paper, agents: Iterable[PacmanAgent], seeds: range) -> Played:
    """Play what is missing."""
    rows = {", ".join(f"{name} {value}" for name, value in identity(each).items()): each
            for each in agents}  # fmt: skip
    games = run.play(rows, seeds, BATCH)
    return {agent: games[name] for name, agent in rows.items()}


def times_of(run: paper.Paper, chosen: Chosen, bars: Bars) -> dict[PacmanMDP, Estimate]:
    """Return the smaller map's times; those of the folder's last run if it timed the same games."""
    pairs = {changed: plain for *_, plain, changed in design.changes(bars) if changed.cut}
    path, earlier = run.output / "changes.csv", paper.earlier_manifest(run.output)
    if not path.exists() or (earlier.get("seed"), earlier.get("chosen")) != (run.seed, chosen):
        return {each: tables.time_ratio(each, pairs[each], run.seeds[0]) for each in pairs}
    try:
        rows = pd.read_csv(path).query("cut").filter(like="seconds_").to_numpy().tolist()
        return {each: Estimate(*row) for each, row in zip(pairs, rows, strict=True)}
    except (ValueError, TypeError, pd.errors.UndefinedVariableError):
        raise InputError(f"{path}: no table of this script; move it away") from None


def pacman(run: paper.Paper) -> None:
    """Select settings, play, and write tables, figures and text."""
    if run.n_games < FEWEST_GAMES:
        raise InputError(f"--games: {run.n_games} given, {FEWEST_GAMES} or more allowed")
    first = run.seeds[0]
    other_seeds = range(first + FIRST_TO_SELECT, first + FIRST_TO_SELECT + run.n_games)
    more_seeds = range(first, first + design.MORE * run.n_games)
    candidates = [agent for layout in (SMALL, MEDIUM) for agent in design.candidates(layout)]
    tried = play(run, candidates, other_seeds)
    selection = tables.select(tried)
    selected = [agent for agent, best in zip(tried, selection["chosen"], strict=True) if best]
    bars = {
        layout: design.strategies(layout, *(each for each in selected if each.layout == layout))
        for layout in (SMALL, MEDIUM)
    }
    chosen = {
        layout.name: {"mdp": digest_of(named[BEST]), "astar": digest_of(named[BEST_ASTAR])}
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
        "changes": tables.changes_frame(more, bars, times_of(run, chosen, bars)),
    }
    found["claims"] = claims_frame(played, points, bars, more, found["motion"])
    text = markdown(found, run.seeds, other_seeds)
    layouts = {layout.name: list(layout.rows) for layout in bars}
    selected_on = [other_seeds[0], other_seeds[-1]]
    contents = {"seeds_to_choose_on": selected_on, "chosen": chosen, "layouts": layouts}
    run.write("pacman", text, found, all_figures(found), **contents)


if __name__ == "__main__":
    paper.script(pacman, "pacman_report", 200)
