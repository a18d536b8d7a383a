"""The table of ``thetafront cluster``: which machines may play, and how many games they play."""

from typing import Any

from rich.table import Table

from thetafront.study.cluster.cluster import DaskCluster
from thetafront.study.cluster.remote import WorkerProbe
from thetafront.study.cluster.sources import sources_digest


def machine_rows(cluster: DaskCluster[Any]) -> list[dict[str, Any]]:
    """Ask all workers of a cluster, and return a row for each machine.

    If workers of a machine have different problems, there is a row for each problem. The fields of
    a row are those of ``thetafront cluster --json``: ``host``; ``n_processes``, the number of
    worker processes; ``machine_class``, ``cpu``, ``llvm_cpu`` and ``benchmark_seconds`` as in
    :class:`study.cluster.machine.Machine`; ``sources``, the digest of the workers' code;
    ``games_per_second`` in the last minute; and ``problem``, the reason why they get no games.
    """
    threads = cluster.client.nthreads()
    probes = cluster.probe_workers(list(threads))
    groups: dict[tuple[str, str, str], list[WorkerProbe | str]] = {}
    for address, probe in probes.items():
        problem = cluster.objection_to(probe, threads[address])
        if isinstance(probe, str):
            host, key = address.rpartition("/")[2].rpartition(":")[0], ""
        else:
            host, key = probe.machine.host, probe.machine.key
        groups.setdefault((host, key, problem), []).append(probe)
    rows = []
    for (host, _, problem), some in sorted(groups.items()):
        known = [each for each in some if isinstance(each, WorkerProbe)]
        machine = known[0].machine if known else None
        rate = sum(each.n_games / each.seconds for each in known if each.n_games)
        rows.append(
            {
                "host": host,
                "n_processes": len(some),
                "machine_class": machine.machine_class if machine else "",
                "cpu": machine.cpu if machine else "",
                "llvm_cpu": machine.llvm_cpu if machine else "",
                "benchmark_seconds": machine.benchmark_seconds if machine else None,
                "sources": known[0].sources if known else "",
                "games_per_second": round(rate, 3),
                "problem": problem,
            }
        )
    return rows


def cluster_json(cluster: DaskCluster[Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the rows as JSON data."""
    return {
        "scheduler": cluster.address,
        "dashboard": cluster.dashboard,
        "sources": sources_digest(),
        "machines": rows,
    }


def cluster_table(rows: list[dict[str, Any]]) -> Table:
    """Lay out the machines."""
    table = Table(box=None, pad_edge=False, header_style="")
    for name in ("machine", "class", "processor"):
        table.add_column(name, overflow="fold")
    for name in ("processes", "benchmark", "games/s"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("code", no_wrap=True)
    table.add_column("", overflow="fold")
    for each in rows:
        seconds = each["benchmark_seconds"]
        table.add_row(
            each["host"],
            each["machine_class"] or "-",
            f"{each['cpu']}, {each['llvm_cpu']}" if each["cpu"] else "-",
            str(each["n_processes"]),
            "-" if seconds is None else f"{1000 * seconds:.0f} ms",
            f"{each['games_per_second']:.2f}",
            each["sources"] or "-",
            f"no games: {each['problem']}" if each["problem"] else "",
        )
    return table
