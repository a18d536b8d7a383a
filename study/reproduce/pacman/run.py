"""The report in one folder: select settings, play, and write tables, text and figures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.agent import digest_of
from agents.pacman.agent import PacmanAgent, PacmanGame
from study.reproduce.pacman.claims import claims, claims_frame
from study.reproduce.pacman.design import (
    MEDIUM,
    SMALL,
    Played,
    Selected,
    all_agents,
    astar_candidates,
    mdp_candidates,
    strategies,
)
from study.reproduce.pacman.figures import (
    distance_figure,
    medium_figure,
    small_figure,
    strategies_figure,
    sweeps_figure,
)
from study.reproduce.pacman.points import (
    distance_frame,
    points_frame,
    strategies_frame,
    sweeps_frame,
)
from study.reproduce.pacman.report import pacman_markdown, row_name
from study.reproduce.pacman.selection import select, selection_frame, selection_seeds
from study.reproduce.reproduction import Reproduction, Results


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
    mdps = {layout: mdp_candidates(layout) for layout in (SMALL, MEDIUM)}
    astars = {layout: astar_candidates(layout) for layout in mdps}
    candidates = [agent for layout in mdps for agent in (*mdps[layout], *astars[layout])]
    tried = play(run, candidates, other_seeds, "selecting settings")
    selected = {
        layout: Selected(select(tried, mdps[layout]), select(tried, astars[layout]))
        for layout in mdps
    }
    played = play(run, all_agents(selected), seeds, "points of the figures")

    bars = {layout: strategies(layout, ours) for layout, ours in selected.items()}
    found = claims(played, bars)
    tables = {
        "points": points_frame(played),
        "sweeps": sweeps_frame(played),
        "distance": distance_frame(played),
        "strategies": strategies_frame(played, bars),
        "claims": claims_frame(found),
        "selection": selection_frame(tried, selected),
    }
    figures = {
        "figure2": small_figure(played, against_gamma=False),
        "figure3": small_figure(played, against_gamma=True),
        "figure4": sweeps_figure(played, tables["sweeps"], SMALL),
        "figure5": medium_figure(played),
        "figure6": sweeps_figure(played, tables["sweeps"], MEDIUM),
        "figure7": strategies_figure(played, tables["strategies"]),
        "distance": distance_figure(played),
    }
    text = pacman_markdown(tables, found, selected, seeds, other_seeds)
    contents = {
        **settings,
        "seeds_to_choose_on": [other_seeds[0], other_seeds[-1]],
        "chosen": {
            layout.name: {"mdp": digest_of(ours.mdp), "astar": digest_of(ours.astar)}
            for layout, ours in selected.items()
        },
        "layouts": {layout.name: list(layout.rows) for layout in selected},
    }
    run.write(Results("pacman", text, tables, figures), contents)
    return text
