"""Machines, as far as the times of games depend on them.

Seconds of two machines do not convert into each other by one factor: it depends on θ, and on the
instructions that kernels are compiled for, even where the processor has one name. So machines are
of one *class* if LLVM compiles for them by the same CPU name and features, and if the processor has
the same name; hosts of one class are treated as equal. A fixed benchmark is stored beside the
class, and reveals exceptions, for example due to cooling or other load.
"""

import hashlib
import os
import platform
import socket
import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from thetafront.agents.agent import N_DIGITS
from thetafront.study.processor import cpu_model

BENCHMARK = "THETAFRONT_BENCHMARK"
"""Where processes of one machine find the benchmark of the first."""
N_GAMES = 3
MAX_RATIO = 1.25  # of benchmarks of one class


@dataclass(frozen=True)
class Machine:
    """A machine."""

    host: str  # its name
    cpu: str  # of the processor
    # What kernels are compiled for, by LLVM's names.
    llvm_cpu: str
    features: str
    benchmark_seconds: float  # CPU seconds of a fixed game

    @property
    def machine_class(self) -> str:
        """Digits that name its class; they depend on neither host nor measurements."""
        text = "\n".join((platform.machine(), self.cpu, self.llvm_cpu, self.features))
        return hashlib.sha256(text.encode()).hexdigest()[:N_DIGITS]

    @property
    def key(self) -> str:
        """Digits that name this host as one of its class."""
        text = f"{self.machine_class}\n{self.host}"
        return hashlib.sha256(text.encode()).hexdigest()[:N_DIGITS]

    @property
    def record(self) -> dict[str, Any]:
        """Its record in a study, as JSON data."""
        return {"class": self.machine_class, **asdict(self)}


@cache
def this_machine() -> Machine:
    """Return this machine."""
    from llvmlite import binding
    from numba import config

    # numba compiles for what these variables say, where they are set.
    cpu = config.CPU_NAME or binding.get_host_cpu_name()
    features = config.CPU_FEATURES
    if features is None:
        features = "" if config.CPU_NAME else binding.get_host_cpu_features().flatten()
    features = ",".join(each for each in features.split(",") if not each.startswith("-"))
    given = os.environ.get(BENCHMARK)
    seconds = float(given) if given else benchmark()
    return Machine(socket.gethostname(), cpu_model(), cpu, features, seconds)


def benchmark() -> float:
    """Return the CPU seconds of a fixed game of the Monte Carlo agent, the median of a few."""
    from thetafront.agents.agent import warm
    from thetafront.agents.twenty48.mcmdp import MonteCarloMDP

    agent = MonteCarloMDP(64, 32, 16, 8, 4.0, 1.0)
    warm(agent)
    agent.play(0)
    seconds = []
    for _ in range(N_GAMES):
        before = time.thread_time()
        agent.play(1)
        seconds.append(time.thread_time() - before)
    return round(statistics.median(seconds), 6)


def described(machines: Iterable[Mapping[str, Any]]) -> str:
    """Name the classes of machines, with their hosts."""
    hosts: dict[str, set[str]] = {}
    names: dict[str, str] = {}
    for each in machines:
        hosts.setdefault(each["class"], set()).add(each["host"])
        names[each["class"]] = f"{each['cpu']}, compiled for {each['llvm_cpu']}"
    return "; ".join(
        f"{key} ({names[key]}): {', '.join(sorted(some))}" for key, some in sorted(hosts.items())
    )


def unequal(machines: Iterable[Mapping[str, Any]]) -> str:
    """Warn of hosts of one class whose benchmarks differ; empty if none do."""
    some = sorted(machines, key=lambda each: float(each["benchmark_seconds"]))
    if not some or some[0]["benchmark_seconds"] * MAX_RATIO >= some[-1]["benchmark_seconds"]:
        return ""
    fast, slow = some[0], some[-1]
    return (
        f"warning: {slow['host']} takes {slow['benchmark_seconds']:.3f} s for a benchmark that "
        f"takes {fast['host']} {fast['benchmark_seconds']:.3f} s, though both are of class "
        f"{fast['class']}: times of games on them cannot be compared"
    )
