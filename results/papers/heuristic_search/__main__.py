"""Heuristic search: Kochenderfer, Wheeler, Wray (2022), §9.7 and §9.8.

Plain and labelled search beside value iteration, on three dice and on 2048 on small boards:
backups, CPU time and exact errors, by initial bound. ``--games`` are the runs of each solver.
"""

from rich.console import Console

from results.papers import paper
from results.papers.heuristic_search.run import reproduce


def heuristic_search(of: paper.Paper) -> None:
    """Run what is missing, and write the results."""
    out = Console(stderr=True, highlight=False)
    settings = {"seed": of.seed, "runs": of.n_games}
    print(reproduce(of.output, of.seeds, settings, out), end="")


if __name__ == "__main__":
    paper.script(heuristic_search, "heuristic_search", 10)
