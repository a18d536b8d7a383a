"""Trials of ten games, as the report has them."""

from collections.abc import Sequence

from rich.console import Console

from agents.pacman.agent import PacmanAgent, PacmanGame
from study.run import play_missing as rows
from study.store.ledger import Ledger

GAMES_A_TRIAL = 10

Played = dict[PacmanAgent, list[PacmanGame]]
"""Games of each agent, in the order of the seeds."""


def play_missing(
    agents: Sequence[PacmanAgent],
    seeds: Sequence[int],
    ledger: Ledger[PacmanGame],
    jobs: int,
    out: Console,
    what: str,
) -> Played:
    """Play what a ledger lacks: see :func:`study.run.play_missing.play_missing`."""
    named = {str(agent): agent for agent in agents}
    played = rows.play_missing(named, seeds, ledger, jobs, out, GAMES_A_TRIAL, what)
    return {agent: played[name] for name, agent in named.items()}
