"""Measure what limits a study on many machines (three minutes; needs Dask), writes of games, too.

Every figure is measured on this machine. Workers that would be elsewhere sleep, or are simulated;
the coordinator, the storage, Dask's scheduler and the sampler are real.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import optuna
from rich.console import Console

from results.benchmarks.cluster.proposals import proposal_times
from results.benchmarks.cluster.writes import PACE, write_rate
from results.benchmarks.command import command, parser, say
from thetafront.study.cluster.link import check_library
from thetafront.study.log.location import check_url
from thetafront.study.log.manifest import provenance, write_json
from thetafront.study.report.sections import Section

SLEEPING = ((256, 4), (1_024, 32))  # sleeping workers, and games a trial
SIMULATED = ((64, 4), (256, 4), (256, 16), (1_024, 32))
SHARE, MILLISECONDS = "{share_in_games:.1%}", "{cpu_ms_a_game:.3f} ms"
TABLES = {
    "writes": {
        "storage": "{storage}",
        "games/s asked": "{pace_games_per_second}",
        "written": "{games_per_second:,.0f}",
        "waits, 95%": "{wait_seconds_95:.3f} s",
        "longest": "{wait_seconds_longest:.3f} s",
        "CPU a game": MILLISECONDS,
        "core": "{share_of_a_core:.0%}",
    },
    "proposals": {
        "trials": "{n_trials:,}",
        "in flight": "{in_flight}",
        "at a time": "{q}",
        "CPU a proposal": "{milliseconds:.1f} ms",
        "of fits, besides": "{fit_milliseconds:.1f} ms",
    },
    "dask": {
        "sleeping workers": "{n_workers:,}",
        "games a trial": "{games_a_trial}",
        "games/s": "{games_per_second:,.0f}",
        "in games": SHARE,
        "CPU a game: client": "{client_ms:.2f} ms",
        "scheduler": "{scheduler_ms:.2f} ms",
        "workers": "{workers_ms:.2f} ms",
    },
    "coordinator": {
        "simulated workers": "{workers:,}",
        "games a trial": "{replicates}",
        "games/s": "{games_per_second:,.0f}",
        "in games": SHARE,
        "CPU a game": MILLISECONDS,
        "a proposal": "{proposal_ms:.2f} ms",
    },
}
"""Headings and formats of each part of the figures."""


def measured(given: argparse.Namespace) -> dict[str, list[Any]]:
    """Measure everything."""
    from results.benchmarks.cluster.coordinator import coordinate  # noqa: PLC0415, need Dask
    from results.benchmarks.cluster.dask_games import sleeping_games  # noqa: PLC0415

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seconds, urls = given.seconds, dict.fromkeys([None, given.storage])
    say("writes")
    writes = [write_rate(url, seconds / 4.0, pace) for url in urls for pace in (None, PACE)]
    say("proposals")
    proposals = list(proposal_times())
    dask = []
    for n_workers, replicates in SLEEPING:
        say(f"{n_workers:,} sleeping workers of Dask")
        dask.append(sleeping_games(n_workers, replicates, seconds))
    coordinator = []
    for n_workers, replicates in SIMULATED:
        say(f"the coordinator of {n_workers:,} workers, {replicates} games a trial")
        nearest = min(dask, key=lambda each: abs(each["games_a_trial"] - replicates))
        client_seconds = 1e-3 * nearest["client_ms"] * nearest["n_games"] / nearest["n_tasks"]
        coordinator.append(coordinate(n_workers, replicates, client_seconds, seconds))
    return {"writes": writes, "proposals": proposals, "dask": dask, "coordinator": coordinator}


def sections(figures: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Section]:
    """Lay the figures out for a terminal."""
    return [
        Section(part, list(forms), [[f.format_map(row) for f in forms.values()] for row in rows])
        for part, forms in TABLES.items()
        for rows in [figures[part]]
    ]


def run(given: argparse.Namespace) -> None:
    """Measure, write and print."""
    check_library()
    if given.storage is not None:
        check_url(given.storage)
    figures = measured(given)
    if given.output is not None:
        write_json({**provenance(), **figures}, given.output / "cluster.json")
    Console(width=112, highlight=False).print(*(each.table() for each in sections(figures)))


if __name__ == "__main__":
    options = parser(__doc__ or "", output=None)
    options.add_argument("--storage", help="URL of a database whose writes are measured, too")
    options.add_argument("--seconds", type=float, default=20.0, help="of each search")
    command(run, options)
