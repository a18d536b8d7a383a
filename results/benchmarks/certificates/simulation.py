"""The command line of simulations that compare studies with the truth."""

from argparse import Namespace
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pandas as pd

from results.benchmarks.command import Runs, add_seeds, parse_seeds, publish
from results.papers.paper import command, parser

Rows = list[dict[str, Any]]


def main(
    description: str,
    name: str,
    surfaces: Collection[str],
    n_seeds: int,
    play: Callable[[tuple[str, int]], Rows],
    tables: Callable[[pd.DataFrame], str],
) -> None:
    """Simulate the studies of all surfaces and seeds that are missing, then write the tables.

    ``play`` simulates the studies of a surface with a seed, and ``tables`` writes all rows as
    Markdown. ``name`` is that of the folder and of the file with the tables.
    """

    def run(given: Namespace) -> None:
        runs = Runs(given.output / "studies.jsonl", "surface", "seed", "arm")
        wanted = [(each, seed) for seed in parse_seeds(given) for each in given.surface or surfaces]
        runs.play(wanted, lambda rows: (rows[0]["surface"], rows[0]["seed"]), play, given.jobs)
        rows = pd.DataFrame([row for rows in runs.records for row in rows])
        publish(given.output, name, tables(rows), {})

    options = parser(description, Path("results", name))
    add_seeds(options, n_seeds)
    options.add_argument(
        "--surface", action="append", choices=surfaces, help="repeatable; default: all"
    )
    command(run, options)
