"""All figures of ``results.benchmarks.cluster``, and their tables.

Every figure is measured on this machine. Workers that would be elsewhere sleep, or are simulated;
the coordinator, the storage, Dask's scheduler and the sampler are real.
"""

import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from rich.table import Table

from results.benchmarks.cluster.coordinator import CASES, Coordinated, coordinate
from results.benchmarks.cluster.dask_games import SleepingFigures, sleeping_games
from results.benchmarks.cluster.proposals import ProposalTime, proposal_times
from results.benchmarks.cluster.writes import PACE, WriteRate, measure
from thetafront.study.log.database import open_engine
from thetafront.study.log.location import Location, locate, make_folder
from thetafront.study.log.log import Log
from thetafront.study.log.tables import delete_rows

SECONDS_OF_WRITES = 5.0
SECONDS_OF_SEARCH = 20.0
SLEEPING = ((256, 4), (1_024, 32))
"""Sleeping workers, and games a trial."""


def new_study(storage: str | None, results: Path) -> Location:
    """Return a place for a study that is new, in a storage or in a folder's SQLite file."""
    where = locate(f"bench-{uuid.uuid4().hex[:12]}", results, storage)
    make_folder(where.folder)
    return where


def delete(where: Location) -> None:
    """Delete a study."""
    log = Log.find(open_engine(where, for_writing=True), where.name)
    if log is not None:
        with log.engine.begin() as connection:
            delete_rows(connection, log.study)


def cluster_figures(storage: str | None, on_step: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything; takes some three minutes.

    Parameters
    ----------
    storage : str, optional
        URL of a storage in which writes are measured, too, beside SQLite.
    on_step : callable
        Told what is measured next.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    writes = []
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder)
        for url in dict.fromkeys([None, storage]):
            for pace in (None, PACE):
                where = new_study(url, results)
                on_step(f"writes, {backend_of(where)}")
                rate = measure(where, SECONDS_OF_WRITES, pace)
                writes.append(write_record(rate, backend_of(where), pace))
                if url is not None:
                    delete(where)
        on_step("proposals")
        proposals = proposal_times()
        dask = []
        for n_workers, replicates in SLEEPING:
            on_step(f"{n_workers:,} sleeping workers of Dask")
            dask.append(sleeping_games(n_workers, games_a_trial=replicates))
        coordinated = []
        for n_workers, replicates in CASES:
            on_step(f"the coordinator of {n_workers:,} workers, {replicates} games a trial")
            seconds = client_seconds(dask, replicates)
            where = new_study(None, results)
            run = coordinate(n_workers, replicates, where, seconds, SECONDS_OF_SEARCH)
            coordinated.append(run)
    return {
        "writes": writes,
        "proposals": [asdict(each) for each in proposals],
        "dask": [asdict(each) for each in dask],
        "coordinator": [asdict(each) for each in coordinated],
    }


def client_seconds(dask: Sequence[SleepingFigures], replicates: int) -> float:
    """Return what Dask's client took for a task, of as many games a trial or the nearest number."""
    nearest = min(dask, key=lambda each: abs(each.games_a_trial - replicates))
    return 1e-3 * nearest.client_ms * nearest.n_games / nearest.n_tasks


def backend_of(where: Location) -> str:
    """Name a storage."""
    return "PostgreSQL" if where.is_on_postgresql else "SQLite"


def write_record(rate: WriteRate, storage: str, pace: float | None) -> dict[str, Any]:
    """Return what writing took as plain data."""
    p95, longest = np.quantile(rate.waits, [0.95, 1.0])
    return {
        "storage": storage,
        "pace_games_per_second": pace,
        "n_games": rate.n_games,
        "games_per_second": rate.games_per_second,
        "wait_seconds_95": float(p95),
        "wait_seconds_longest": float(longest),
        "cpu_ms_a_game": rate.cpu_ms_a_game,
        "share_of_a_core": rate.core,
    }


def cluster_tables(figures: dict[str, Any]) -> list[Table]:
    """Lay the figures out for a terminal."""
    return [
        of_writes(figures["writes"]),
        of_proposals([ProposalTime(**each) for each in figures["proposals"]]),
        of_dask([SleepingFigures(**each) for each in figures["dask"]]),
        of_coordinator([Coordinated(**each) for each in figures["coordinator"]]),
    ]


def of_writes(writes: Sequence[dict[str, Any]]) -> Table:
    """Lay out what writing took."""
    columns = ("storage", "games/s asked", "written", "waits, 95%", "longest", "CPU a game", "core")

    def cells(of: dict[str, Any]) -> Iterator[str]:
        pace = of["pace_games_per_second"]
        yield of["storage"]
        yield "as many as it takes" if pace is None else f"{pace:,.0f}"
        yield f"{of['games_per_second']:,.0f}"
        yield f"{1e3 * of['wait_seconds_95']:.0f} ms"
        yield f"{1e3 * of['wait_seconds_longest']:.0f} ms"
        yield f"{of['cpu_ms_a_game']:.3f} ms"
        yield f"{of['share_of_a_core']:.0%}"

    return table_of("Durable writes", columns, map(cells, writes))


def of_proposals(times: Sequence[ProposalTime]) -> Table:
    """Lay out what proposals took."""
    columns = ("trials", "in flight", "at a time", "CPU a proposal", "of fits, besides")

    def cells(of: ProposalTime) -> Iterator[str]:
        yield from (f"{of.n_trials:,}", f"{of.in_flight}", f"{of.q}")
        yield from (f"{of.milliseconds:.1f} ms", f"{of.fit_milliseconds:.1f} ms")

    return table_of("Proposals", columns, map(cells, times))


def of_dask(runs: Sequence[SleepingFigures]) -> Table:
    """Lay out what Dask took."""
    columns = ("workers", "games a trial", "games/s", "in games", "client", "scheduler", "workers'")

    def cells(of: SleepingFigures) -> Iterator[str]:
        yield from (f"{of.n_workers:,}", f"{of.games_a_trial}", f"{of.games_per_second:,.0f}")
        yield f"{of.share_in_games:.1%}"
        yield from (f"{ms:.2f} ms" for ms in (of.client_ms, of.scheduler_ms, of.workers_ms))

    return table_of("Sleeping workers of Dask; CPU a game", columns, map(cells, runs))


def of_coordinator(runs: Sequence[Coordinated]) -> Table:
    """Lay out what coordinators did."""
    columns = ("workers", "games a trial", "games/s", "in games", "CPU a game", "of proposals")

    def cells(of: Coordinated) -> Iterator[str]:
        yield from (f"{of.workers:,}", f"{of.replicates}", f"{of.games_per_second:,.0f}")
        yield f"{of.share_in_games:.1%}"
        yield from (f"{of.cpu_ms_a_game:.2f} ms", f"{of.proposal_ms / of.replicates:.2f} ms")

    return table_of("A search on simulated workers, games of 0.256 s", columns, map(cells, runs))


def table_of(title: str, columns: Sequence[str], rows: Iterable[Iterable[str]]) -> Table:
    """Return a table of numbers."""
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="right")
    for cells in rows:
        table.add_row(*cells)
    return table
