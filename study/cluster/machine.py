"""Classes of machines on which games take the same time.

A game's time on one machine is not a fixed multiple of its time on another machine. The ratio of
the times depends on θ. Even for processors of the same name, it depends on the instructions that
kernels are compiled for. So two machines are of one *class* if their processors have the same name,
and LLVM compiles for the same CPU name and the same features on both. Machines of one class are
treated as equally fast. The time of a fixed benchmark is stored with the class. It reveals machines
that differ nevertheless, for example because of poor cooling or another load.
"""

import os
import platform
import socket
import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from thetafront.agents.agent import digits
from thetafront.study.log.manifest import cpu_model

BENCHMARK = "THETAFRONT_BENCHMARK"
"""The environment variable with the benchmark time that a machine's first process measured."""
N_GAMES = 3
MAX_RATIO = 1.25  # of benchmark times within one class


@dataclass(frozen=True)
class Machine:
    """A machine that plays games."""

    host: str  # its name
    cpu: str  # the processor's name
    # LLVM's names for the CPU and the features that kernels are compiled for.
    llvm_cpu: str
    features: str
    benchmark_seconds: float  # CPU seconds of a fixed game

    @property
    def machine_class(self) -> str:
        """Digits that identify its class; they depend on neither the host nor measurements."""
        return digits("\n".join((platform.machine(), self.cpu, self.llvm_cpu, self.features)))

    @property
    def key(self) -> str:
        """Digits that identify its class and its host together."""
        return digits(f"{self.machine_class}\n{self.host}")

    @property
    def record(self) -> dict[str, Any]:
        """Its record in a study, as JSON data."""
        return {"class": self.machine_class, **asdict(self)}


@cache
def this_machine() -> Machine:
    """Return this machine."""
    from llvmlite import binding
    from numba import config

    # If numba's variables for the CPU and its features are set, numba compiles for these.
    cpu = config.CPU_NAME or binding.get_host_cpu_name()
    features = config.CPU_FEATURES
    if features is None:
        features = "" if config.CPU_NAME else binding.get_host_cpu_features().flatten()
    features = ",".join(each for each in features.split(",") if not each.startswith("-"))
    given = os.environ.get(BENCHMARK)
    seconds = float(given) if given else benchmark()
    return Machine(socket.gethostname(), cpu_model(), cpu, features, seconds)


def benchmark() -> float:
    """Return the CPU seconds of a fixed game of the Monte Carlo agent, the median of three runs."""
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
    """Return the classes of machines as text, each with its hosts."""
    hosts: dict[str, set[str]] = {}
    names: dict[str, str] = {}
    for each in machines:
        hosts.setdefault(each["class"], set()).add(each["host"])
        names[each["class"]] = f"{each['cpu']}, compiled for {each['llvm_cpu']}"
    return "; ".join(
        f"{key} ({names[key]}): {', '.join(sorted(some))}" for key, some in sorted(hosts.items())
    )


def unequal(machines: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a warning for each class in which the benchmark times of hosts differ much.

    Only machines of one class are compared. If the cost is a count, machines of several classes may
    play, and their benchmark times are expected to differ.
    """
    classes: dict[str, list[Mapping[str, Any]]] = {}
    for each in machines:
        classes.setdefault(each["class"], []).append(each)
    warnings = []
    for name, some in sorted(classes.items()):
        some.sort(key=lambda each: float(each["benchmark_seconds"]))
        fast, slow = some[0], some[-1]
        if fast["benchmark_seconds"] * MAX_RATIO < slow["benchmark_seconds"]:
            warnings.append(
                f"warning: {slow['host']} takes {slow['benchmark_seconds']:.3f} s for the "
                f"benchmark, and {fast['host']} takes {fast['benchmark_seconds']:.3f} s, although "
                f"both are of class {name}, so game times on these machines cannot be compared"
            )
    return warnings
