"""Measure what limits a study on many machines: durable writes, and games on Dask.

All figures are measured on this machine, in about a minute. Workers that would run on other
machines only sleep. The loop of a sweep, the storage and Dask's scheduler are real. Dask must be
installed.
"""

import argparse

import pandas as pd

from results.benchmarks.cluster.writes import PACE, write_rate
from results.benchmarks.command import say
from results.papers.paper import command, parser, whole
from thetafront import provenance
from thetafront.study.cluster.link import check_library
from thetafront.study.log.location import check_url
from thetafront.study.log.manifest import write_json

SLEEPING = ((256, 4), (1_024, 32))  # sleeping workers, and games per trial


def run(given: argparse.Namespace) -> None:
    """Measure, write and print."""
    check_library()
    from results.benchmarks.cluster.dask_games import sleeping_games  # noqa: PLC0415, needs Dask

    if given.storage is not None:
        check_url(given.storage)
    say("writes")
    urls, made_by = dict.fromkeys([None, given.storage]), provenance()
    writes = [write_rate(url, given.seconds / 4.0, pace) for url in urls for pace in (None, PACE)]
    say(f"sleeping Dask workers: {given.workers or SLEEPING}")
    sizes = [(given.workers, 4)] if given.workers else SLEEPING
    dask = [sleeping_games(n, games, given.seconds) for n, games in sizes]
    figures = {"writes": writes, "dask": dask}
    if given.output is not None:
        write_json({**made_by, **figures}, given.output / "cluster.json")
    for part, rows in figures.items():
        print(f"{part}\n{pd.DataFrame(rows).round(4).to_string(index=False)}\n")


if __name__ == "__main__":
    options = parser(__doc__ or "", output=None)
    options.add_argument("--storage", help="database URL, to measure its writes, too")
    options.add_argument(
        "--seconds", type=float, default=20.0, help="for each run with Dask; writes take a quarter"
    )
    options.add_argument(
        "--workers", type=whole(2, 10_000), help="sleeping workers; default: 256, then 1024"
    )
    command(run, options)
