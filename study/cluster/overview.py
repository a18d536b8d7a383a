"""``thetafront cluster``: who is there, what may play, and how much it plays."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from thetafront.study.cluster.cluster import DaskCluster
from thetafront.study.cluster.remote import WorkerProbe
from thetafront.study.cluster.sources import sources_digest


@dataclass(frozen=True)
class MachineRow:
    """A machine as the cluster has it, with all of its processes.

    Attributes
    ----------
    host : str
        Its name.
    n_processes : int
        How many processes play there.
    machine_class, cpu, llvm_cpu : str
        See :class:`study.cluster.machine.Machine`.
    benchmark_seconds : float
        Likewise.
    sources : str
        Digest of its code.
    games_per_second : float
        Over the last minute at most.
    problem : str
        Why it gets no games; empty if it does.
    """

    host: str
    n_processes: int
    machine_class: str = ""
    cpu: str = ""
    llvm_cpu: str = ""
    benchmark_seconds: float | None = None
    sources: str = ""
    games_per_second: float = 0.0
    problem: str = ""


def machine_rows(cluster: DaskCluster) -> list[MachineRow]:
    """Ask all workers of a cluster, and return a row for each machine with one kind of them."""
    threads = cluster.client.nthreads()
    groups: dict[tuple[str, str, str], list[WorkerProbe]] = {}
    n_processes: Counter[tuple[str, str, str]] = Counter()
    for address, probe in cluster.probes_of(list(threads)).items():
        problem = cluster.objection_to(probe, threads[address])
        if isinstance(probe, str):
            group = (address.rpartition("/")[2].rpartition(":")[0], "", problem)
        else:
            group = (probe.machine.host, probe.machine.key, problem)
            groups.setdefault(group, []).append(probe)
        n_processes[group] += 1
    rows = []
    for group, n in sorted(n_processes.items()):
        host, _, problem = group
        if group not in groups:
            rows.append(MachineRow(host, n, problem=problem))
            continue
        probes = groups[group]
        machine, sources = probes[0].machine, probes[0].sources
        rate = round(sum(each.n_games / each.seconds for each in probes if each.n_games), 3)
        known = (machine.machine_class, machine.cpu, machine.llvm_cpu, machine.benchmark_seconds)
        rows.append(MachineRow(host, n, *known, sources, rate, problem))
    return rows


def cluster_json(cluster: DaskCluster, rows: list[MachineRow]) -> dict[str, Any]:
    """Return what there is as JSON data."""
    return {
        "scheduler": cluster.address,
        "dashboard": cluster.dashboard,
        "sources": sources_digest(),
        "machines": [asdict(each) for each in rows],
    }


def cluster_table(rows: list[MachineRow]) -> Table:
    """Lay out the machines."""
    table = Table(box=None, pad_edge=False, header_style="")
    for name in ("machine", "class", "processor"):
        table.add_column(name, overflow="fold")
    for name in ("processes", "benchmark", "games/s"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("code", no_wrap=True)
    table.add_column("", overflow="fold")
    for each in rows:
        seconds = each.benchmark_seconds
        table.add_row(
            each.host,
            each.machine_class or "-",
            f"{each.cpu}, {each.llvm_cpu}" if each.cpu else "-",
            str(each.n_processes),
            "-" if seconds is None else f"{1000 * seconds:.0f} ms",
            f"{each.games_per_second:.2f}",
            each.sources or "-",
            f"no games: {each.problem}" if each.problem else "",
        )
    return table
