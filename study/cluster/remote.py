"""Code that runs in the processes of a cluster: games, and a worker's description of itself.

Each task says which code its worker must have, and which class of machine. A worker that differs
plays nothing, and answers with the reason. So no worker plays a wrong game, even if it gets a task
before the coordinator has asked for its description.
"""

import os
import time
from collections import deque
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import joblib

from thetafront.agents.agent import Agent, ChangedError, identity
from thetafront.agents.catalog import build_identified
from thetafront.agents.external.program import Program, ProgramAgent
from thetafront.agents.external.python import PythonAgent
from thetafront.agents.external.source import read_stamps
from thetafront.study.cluster.machine import Machine, this_machine
from thetafront.study.cluster.sources import sources_digest, versions
from thetafront.study.run.worker import Finished, Task, unplayed
from thetafront.study.run.worker import play as play_task

STARTED = time.monotonic()
SECONDS_REMEMBERED = 60.0
THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Wanted:
    """The code and the machine that a worker must have."""

    sources: str  # digest of its code
    machine_class: str = ""  # the class of its machine; empty if any may play


@dataclass(frozen=True)
class Refusal:
    """What a worker answers to a task that it may not play."""

    worker: str  # its address
    objection: str  # why it may not play at all


@dataclass(frozen=True)
class WorkerProbe:
    """A worker's description of itself."""

    machine: Machine  # the machine that it runs on
    sources: str  # digest of its code
    objection: str  # why it may not play; empty if it may
    # The number of games in the last minute, and the length of this time in seconds, which is less
    # than a minute for a new worker.
    n_games: int
    seconds: float
    # How many games can be played at once without disturbing each other's times; 0 if unknown.
    n_cores: int = 0
    cpus: tuple[int, ...] = ()  # the logical CPUs that it may use; empty if unknown


PLAYED: deque[tuple[float, int]] = deque()
"""Tasks of the last minute in this process: when each ended, and its number of games."""


@cache
def prepare() -> None:
    """Limit each library to one thread, once per process, because each core has its own worker."""
    from threadpoolctl import threadpool_limits

    for name in THREADS:
        os.environ[name] = "1"
    threadpool_limits(1)


def objection(wanted: Wanted, agent: Agent | None) -> str:
    """Say why this process may not play; empty if it may."""
    if sources_digest() != wanted.sources:
        return f"its code is {sources_digest()} ({versions()}), not {wanted.sources}"
    machine = this_machine()
    if wanted.machine_class and machine.machine_class != wanted.machine_class:
        return (
            f"its class is {machine.machine_class} ({machine.cpu}, compiled for "
            f"{machine.llvm_cpu}), not {wanted.machine_class}"
        )
    return "" if agent is None else definition_objection(agent)


def definition_objection(agent: Agent) -> str:
    """Say why an agent that depends on files cannot be played here; empty if it can."""
    if isinstance(agent, PythonAgent) and agent.source is not None:
        try:
            found = agent.source.digest
        except (ValueError, OSError) as error:
            return f"it lacks the definition: {error}"
        return "" if found == agent.digest else f"its {agent.source} is {found}, not {agent.digest}"
    if isinstance(agent, ProgramAgent):
        try:
            found = found_here(agent.program).digest
        except (ValueError, OSError) as error:
            return f"it lacks the program: {error}"
        program, wanted = agent.program.command[0], agent.program.digest
        return "" if found == wanted else f"its {program} is {found}, not {wanted}"
    if agent.is_ours and agent.depends_on:
        try:
            build_identified(identity(agent))
        except ValueError as error:
            return f"it lacks what {agent.name} reads: {error}"
    return ""


FOUND: dict[Program, Program] = {}
"""Programs by those that were sent, with the stamps and the digest of this machine's files."""


def found_here(program: Program) -> Program:
    """Return a program with its files on this machine, read again if they have changed.

    They may have other paths here. ValueError if there is no such program.
    """
    found = FOUND.get(program)
    if found is None or read_stamps(found.stamps) != found.stamps:
        found = FOUND[program] = replace(program)
    return found


def packed(agent: Agent) -> Agent:
    """Return an agent as it is sent: a program has the digest of the coordinator's files."""
    if isinstance(agent, ProgramAgent):
        agent.program.digest  # noqa: B018, is stored in the program
    return agent


def play(wanted: Wanted, task: Task[Any]) -> Finished[Any] | Refusal:
    """Play a task's games, timed by this machine's clocks."""
    if why := objection(wanted, task.agent):
        return Refusal(address(), why)
    prepare()
    try:
        if isinstance(task.agent, ProgramAgent):
            here = replace(task.agent, program=found_here(task.agent.program))
            task = replace(task, agent=here)
        finished = play_task(task)
    except ChangedError as error:
        return Refusal(address(), str(error))
    except Exception as error:
        finished = unplayed(task, error)
    remember(len(finished.games))
    return replace(finished, machine=this_machine().key)


def probe(wanted: Wanted, agent: Agent | None) -> WorkerProbe:
    """Describe this process, and say whether it may play."""
    prepare()
    machine, why = this_machine(), objection(wanted, agent)
    remember(0)
    seconds = min(SECONDS_REMEMBERED, time.monotonic() - STARTED)
    n_games = sum(n for _, n in PLAYED)
    cpus = tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()
    return WorkerProbe(
        machine, sources_digest(), why, n_games, seconds, int(joblib.cpu_count()), cpus
    )


def remember(n_games: int) -> None:
    """Count games, and forget games that ended more than a minute ago."""
    now = time.monotonic()
    PLAYED.append((now, n_games))
    while PLAYED[0][0] < now - SECONDS_REMEMBERED:
        PLAYED.popleft()


@cache
def address() -> str:
    """Return the address of this worker; empty outside of a cluster."""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return ""
