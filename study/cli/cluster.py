"""Commands for more than one machine: worker and cluster."""

import json
from typing import Annotated, Any

import typer

from thetafront.study.cli.options import JsonOption, SchedulerArgument, taking
from thetafront.study.cli.program import app, working
from thetafront.study.run.options import SweepOptions, whole
from thetafront.study.terminal.console import console, print_table


@app.command()
@taking("tls_ca", "tls_cert", "tls_key")
def worker(
    scheduler: SchedulerArgument,
    processes: Annotated[
        int | None,
        whole("Number of worker processes.", "--processes", show_default="one per physical core"),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the workers in Dask's dashboard.")
    ] = None,
    *,
    options: SweepOptions,
) -> None:
    """Play games on this machine for sweeps on others.

    Starts single-threaded Dask worker processes. If the scheduler ends, they are restarted when it
    is back. Ctrl-C ends them.
    """
    from thetafront.study.cluster.security import Tls
    from thetafront.study.cluster.worker_command import WorkerProcesses

    out = console()
    tls = Tls.from_mapping(options.tls)
    WorkerProcesses(scheduler, tls, processes, name, out.print).run()


@app.command()
@taking("tls_ca", "tls_cert", "tls_key")
def cluster(
    scheduler: SchedulerArgument,
    json_: JsonOption = False,
    *,
    options: SweepOptions,
) -> None:
    """Show a cluster's machines.

    Lists which machines may play, their classes, and how many games each plays per second. Only
    times on machines of the same class can be compared.
    """
    from thetafront.study.cluster.dask_workers import DaskWorkers
    from thetafront.study.cluster.overview import cluster_json, cluster_table, machine_rows
    from thetafront.study.cluster.security import Tls

    tls = Tls.from_mapping(options.tls)
    with DaskWorkers[Any](scheduler, tls) as found:
        with working(f"asking {scheduler}"):
            rows = machine_rows(found)
        if json_:
            print(json.dumps(cluster_json(found, rows), indent=2, ensure_ascii=False))
            return
        out = console()
        for line in found.drain_messages():
            out.print(line)
        if not rows:
            out.print(f"no worker is connected to {scheduler}; start thetafront worker {scheduler}")
            return
        print_table(out, cluster_table(rows))
        if found.dashboard:
            out.print(f"dashboard {found.dashboard}")
