"""Heuristic search: Kochenderfer, Wheeler, Wray (2022), §9.7 and §9.8.

Plain and labelled search beside value iteration, on three dice and on 2048 on small boards:
backups, CPU time and exact errors, by initial bound. ``--games`` are the runs of each solver.
"""

from results.papers import paper
from results.papers.heuristic_search.run import heuristic_search

if __name__ == "__main__":
    paper.script(heuristic_search, "heuristic_search", 10)
