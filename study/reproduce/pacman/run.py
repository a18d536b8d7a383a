"""The report in one folder: select settings, play, and write tables, text and figures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thetafront.agents.agent import digest_of
from thetafront.agents.pacman.agent import PacmanAgent, PacmanGame
from thetafront.study.reproduce.pacman import (
    design,
    figures,
    pictures,
    points,
    question_figures,
    questions,
)
from thetafront.study.reproduce.pacman.claims import claims, claims_frame
from thetafront.study.reproduce.pacman.design import MEDIUM, SMALL, Played, Selected
from thetafront.study.reproduce.pacman.report import pacman_markdown, row_name
from thetafront.study.reproduce.pacman.selection import select, selection_frame, selection_seeds
from thetafront.study.reproduce.reproduction import Reproduction, Results


def play(
    run: Reproduction[PacmanGame], agents: Iterable[PacmanAgent], seeds: Sequence[int], what: str
) -> Played:
    """Play what is missing of some agents; ``what`` names them in progress."""
    rows = {row_name(agent): agent for agent in agents}
    games = run.play(rows, seeds, what)
    return {agent: games[name] for name, agent in rows.items()}


def reproduce_pacman(
    run: Reproduction[PacmanGame], seeds: Sequence[int], settings: Mapping[str, Any]
) -> str:
    """Play what is missing, write all files, and return the text; ``seeds`` ascend."""
    other_seeds = selection_seeds(seeds)
    mdps = {layout: design.mdp_candidates(layout) for layout in (SMALL, MEDIUM)}
    astars = {layout: design.astar_candidates(layout) for layout in mdps}
    candidates = [agent for layout in mdps for agent in (*mdps[layout], *astars[layout])]
    tried = play(run, candidates, other_seeds, "selecting settings")
    selected = {
        layout: Selected(select(tried, mdps[layout]), select(tried, astars[layout]))
        for layout in mdps
    }
    played = play(run, design.all_agents(selected), seeds, "points of the figures")

    bars = {layout: design.strategies(layout, ours) for layout, ours in selected.items()}
    seeds_of_more = questions.more_seeds(seeds)
    more = play(run, questions.all_agents(bars), seeds_of_more, "motion, routes and maps")
    times = {
        each.changed: questions.time_ratio(each, seeds_of_more[0])
        for each in questions.changes(bars)
        if each.cut
    }
    found = claims(played, bars, more)
    tables = {
        "points": points.points_frame(played),
        "sweeps": points.sweeps_frame(played),
        "distance": points.distance_frame(played),
        "strategies": points.strategies_frame(played, bars),
        "claims": claims_frame(found),
        "selection": selection_frame(tried, selected),
        "motion": questions.motion_frame(more, bars),
        "changes": questions.changes_frame(more, bars, times),
    }
    drawn = {
        "figure2": figures.small_figure(played, against_gamma=False),
        "figure3": figures.small_figure(played, against_gamma=True),
        "figure4": figures.sweeps_figure(played, tables["sweeps"], SMALL),
        "figure5": figures.medium_figure(played),
        "figure6": figures.sweeps_figure(played, tables["sweeps"], MEDIUM),
        "figure7": figures.strategies_figure(played, tables["strategies"]),
        "distance": figures.distance_figure(played),
        "figure1": pictures.rewards_figure(),
        "values": pictures.values_figure(),
        "motion": question_figures.motion_figure(tables["motion"]),
        "changes": question_figures.changes_figure(tables["changes"]),
    }
    text = pacman_markdown(tables, found, selected, seeds, other_seeds)
    contents = {
        **settings,
        "seeds_to_choose_on": [other_seeds[0], other_seeds[-1]],
        "seeds_of_more": [seeds_of_more[0], seeds_of_more[-1]],
        "chosen": {
            layout.name: {"mdp": digest_of(ours.mdp), "astar": digest_of(ours.astar)}
            for layout, ours in selected.items()
        },
        "layouts": {layout.name: list(layout.rows) for layout in selected},
    }
    run.write(Results("pacman", text, tables, drawn), contents)
    return text
