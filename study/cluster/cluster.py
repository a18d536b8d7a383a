"""A cluster that plays for one coordinator: its workers, and the connection to its scheduler.

A thread checks once a second which workers have joined or left; the loop of games only reads the
result. If the scheduler ends and is started again, Dask reconnects by itself.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

from thetafront.agents.agent import Agent
from thetafront.study.cluster import remote
from thetafront.study.cluster.link import (
    MAX_SECONDS_AWAY,
    check_library,
    connect,
    disconnect,
    silenced,
)
from thetafront.study.cluster.machine import described, unequal
from thetafront.study.cluster.remote import Wanted, WorkerProbe
from thetafront.study.cluster.security import Tls, check_address, warning
from thetafront.study.cluster.sources import sources_digest, versions
from thetafront.study.errors import InputError, RunError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.run.executor import Executor, Machines
from thetafront.study.text import counted

if TYPE_CHECKING:
    from distributed import Client

Key = TypeVar("Key")

POLL_INTERVAL = 1.0
SECONDS_FOR_THE_DASHBOARD = 2.0
SECONDS_FOR_A_FIRST_WORKER = 10.0
SECONDS_TO_ANSWER = 90.0  # a worker may compile kernels first
RETRY_SECONDS = 10.0  # until a refused worker is asked again; its files may have arrived by then


@dataclass(eq=False)
class Member:
    """A worker of the cluster."""

    n_threads: int  # how many games it plays at once
    probe: WorkerProbe | None = None  # its description of itself; None if it has given none
    objection: str = ""  # why it may not play
    # Whether it gets games. If seconds are the cost, only one worker per core gets games.
    plays: bool = False
    asked: "Future[WorkerProbe | str] | None" = None  # its pending answer, if it has been asked
    ask_at: float = 0.0  # time on the monotonic clock at which to ask it again if it may not play

    @property
    def may_play(self) -> bool:
        """Whether it has described itself, and there is no objection."""
        return self.probe is not None and not self.objection


class DaskCluster(Executor[Key]):
    """The workers of a scheduler, and which of them may play.

    Each process may play at most ``most_threads`` games at once.
    """

    def __init__(self, address: str, tls: Tls | None = None, most_threads: int = 1) -> None:
        super().__init__()
        self.address, self.tls, self.most_threads = check_address(address, tls), tls, most_threads
        check_library()
        self.wanted = Wanted(sources_digest())
        self.agent: Agent | None = None
        self.members: dict[str, Member] = {}  # connected workers, by address
        self.machines: dict[str, Mapping[str, Any]] = {}  # accepted machines, by key
        # When the time without a scheduler began, and when the time without a worker that may play
        # began, on the monotonic clock; None while a scheduler, or such a worker, is connected.
        self.lost_since: float | None = None
        self.alone_since: float | None = None
        self.n_left = 0
        self.reported: set[str] = set()
        self.ended = threading.Event()
        self.watching: threading.Thread | None = None
        self.client: Client  # the link to the scheduler

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(silenced())
            self.client = connect(self.address, self.tls)
            self.stack = stack.pop_all()
        if line := warning(self.address):
            self.lines.append(f"warning: {line}")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.ended.set()
        if self.watching is not None:
            self.watching.join(timeout=POLL_INTERVAL)  # it may wait for a scheduler that hangs
        disconnect(self.client)
        self.stack.close()

    @property
    def playing(self) -> dict[str, Member]:
        """Workers that get games, by address."""
        return {key: each for key, each in tuple(self.members.items()) if each.plays}

    @property
    def capacity(self) -> int:
        """How many games are played at once."""
        return sum(each.n_threads for each in self.playing.values())

    @property
    def place(self) -> str:
        """Who plays: ``12 workers on 3 machines``."""
        probes = (each.probe for each in self.playing.values())
        hosts = {each.machine.host for each in probes if each is not None}
        return f"{counted(self.capacity, 'worker')} on {counted(len(hosts), 'machine')}"

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard; empty if there is none."""
        from urllib.request import urlopen

        try:
            link = str(self.client.dashboard_link or "")
            urlopen(link, timeout=SECONDS_FOR_THE_DASHBOARD).close()
        except (KeyError, OSError, ValueError):  # no dashboard, or no libraries for it
            return ""
        return link

    def admit(self, experiment: Experiment, known: Machines) -> None:
        """Choose the workers that may play; see :meth:`study.run.executor.Executor.admit`."""
        self.agent = remote.packed(experiment.build({}))
        try:
            self.client.wait_for_workers(1, timeout=SECONDS_FOR_A_FIRST_WORKER)
        except TimeoutError:
            raise RunError(
                f"scheduler: no worker is connected to {self.address}; start thetafront worker "
                f"{self.address} on each machine"
            ) from None
        threads = self.client.nthreads()
        probes = self.probe_workers(list(threads))
        self.take(threads, probes)
        able = [each.probe for each in self.members.values() if each.probe and not each.objection]
        if not able:
            raise InputError(
                f"scheduler: no worker at {self.address} can play with code "
                f"{self.wanted.sources} ({versions()}): {'; '.join(sorted(self.reported))}"
            )
        if experiment.cost.is_timed:
            self.wanted = Wanted(self.wanted.sources, one_class(experiment, able, known))
            self.members, self.machines = {}, {}
            self.take(threads, probes)
        self.lines += unequal(self.machines.values())
        self.watching = threading.Thread(target=self.watch, name="cluster", daemon=True)
        self.watching.start()
        link = self.dashboard
        self.lines.append(f"{self.place} at {self.address}{link and f', dashboard {link}'}")

    def probe_workers(self, addresses: Iterable[str]) -> dict[str, WorkerProbe | str]:
        """Ask workers to describe themselves; return their answers, or why there is no answer."""
        asked = {each: self.ask(each) for each in addresses}
        return {address: answer.result() for address, answer in asked.items()}

    def ask(self, address: str) -> "Future[WorkerProbe | str]":
        """Ask one worker to describe itself, without waiting for its answer."""
        loop = self.client.loop.asyncio_loop
        return asyncio.run_coroutine_threadsafe(self.probe(address), loop)

    async def probe(self, address: str) -> WorkerProbe | str:
        """Return a worker's description of itself, or a text that says why there is none."""
        wanted, workers = Wanted(self.wanted.sources), [address]
        asked = self.client.run(
            remote.probe, wanted, self.agent, workers=workers, on_error="return"
        )
        try:
            found = (await asyncio.wait_for(asked, SECONDS_TO_ANSWER))[address]
        except TimeoutError:
            return "it does not answer"
        except KeyError:
            return "it has left"
        except Exception as error:
            found = error
        return found if isinstance(found, WorkerProbe) else format_error(found)

    def objection_to(self, probe: WorkerProbe | str, n_threads: int) -> str:
        """Say why a worker may not play; empty if it may."""
        if isinstance(probe, str):
            return probe
        if probe.objection:
            return str(probe.objection)
        if n_threads > self.most_threads:
            return (
                f"it plays {n_threads} games in one process, which distorts their times; start it "
                f"with thetafront worker"
            )
        wanted = self.wanted.machine_class
        if wanted and probe.machine.machine_class != wanted:
            found = described([probe.machine.record])
            return f"the cost is time, and its machine's class is {found}, not {wanted}"
        return ""

    def take(self, threads: Mapping[str, int], probes: Mapping[str, WorkerProbe | str]) -> None:
        """Note which workers are present, and which have described themselves."""
        self.n_left += len(self.playing.keys() - threads.keys())
        members = {key: self.members.get(key) or Member(n) for key, n in threads.items()}
        for address, probe in probes.items():
            if (member := members.get(address)) is None:
                continue
            member.asked = None
            member.probe = probe if isinstance(probe, WorkerProbe) else None
            member.objection = self.objection_to(probe, member.n_threads)
            if member.objection:
                self.object_to(address, member)
            elif isinstance(probe, WorkerProbe):
                self.machines = {**self.machines, probe.machine.key: probe.machine.record}
        self.choose(members)
        self.members = members
        if self.capacity:
            self.alone_since = None
        elif self.alone_since is None:
            self.alone_since = time.monotonic()
            self.lines.append(f"no worker is left; waiting for {MAX_SECONDS_AWAY:g} s")

    def object_to(self, address: str, member: Member) -> None:
        """Exclude a worker from playing, say why, and ask it again later."""
        host = member.probe.machine.host if member.probe else address.rpartition("/")[2]
        member.plays, member.ask_at = False, time.monotonic() + RETRY_SECONDS
        self.tell(f"{host} gets no games: {member.objection}")

    def choose(self, members: Mapping[str, Member]) -> None:
        """Choose the workers that get games; if the cost is time, at most one per core.

        Workers that already get games take precedence.
        """
        n_chosen: Counter[Any] = Counter()
        for each in sorted(members.values(), key=lambda each: not each.plays):
            plays = each.may_play
            if plays and each.probe is not None and self.wanted.machine_class:
                host, n_cores = each.probe.machine.host, each.probe.n_cores
                plays = not 0 < n_cores <= n_chosen[host, each.probe.cpus]
                n_chosen[host, each.probe.cpus] += plays
                if not plays:
                    self.tell(
                        f"{host} has more worker processes than its {counted(n_cores, 'core')}; "
                        f"because the cost is time, only {n_cores} of them get games"
                    )
            each.plays = plays

    def tell(self, line: str) -> None:
        """Report a line, unless it has been reported before."""
        if line not in self.reported:
            self.reported.add(line)
            self.lines.append(line)

    def refuse(self, address: str, why: str) -> None:
        """Exclude a worker that has refused a game."""
        if (member := self.members.get(address)) is not None:
            member.objection = why
            self.object_to(address, member)

    def watch(self) -> None:
        """Watch workers join and leave, and the scheduler end and come back, until the end."""
        while not self.ended.wait(POLL_INTERVAL):
            try:
                if self.client.status != "running":
                    raise OSError("the link is closed")
                threads = dict(self.client.nthreads())
            except Exception:
                if self.lost_since is None:
                    self.lost_since = time.monotonic()
                    self.lines.append(
                        f"the scheduler at {self.address} does not answer; retrying for "
                        f"{MAX_SECONDS_AWAY:g} s"
                    )
                continue
            if self.lost_since is not None:
                self.lines.append(
                    f"the scheduler is back after {time.monotonic() - self.lost_since:.0f} s; "
                    "games in flight are played again"
                )
                self.members = {}  # all its workers count as new
                self.lost_since, self.alone_since = None, time.monotonic()
            asked = {key: each.asked for key, each in self.members.items() if each.asked}
            self.take(threads, {key: each.result() for key, each in asked.items() if each.done()})
            for address, each in self.members.items():
                is_due = not each.may_play and each.ask_at <= time.monotonic()
                if is_due and each.asked is None:
                    each.asked = self.ask(address)

    def check(self) -> str:
        """Say why games cannot continue; empty if they can."""
        lost, alone = self.lost_since, self.alone_since
        since = alone if lost is None else lost
        if since is None or (seconds := time.monotonic() - since) <= MAX_SECONDS_AWAY:
            return ""
        if lost is not None:
            return f"the scheduler at {self.address} has been away for {seconds:.0f} s"
        return f"no worker has been connected to {self.address} for {seconds:.0f} s"


def one_class(experiment: Experiment, able: Iterable[WorkerProbe], known: Machines) -> str:
    """Return the class that machines must have because the cost is time.

    It is the class of all workers or, if games are stored, the one class that workers share with
    the study's machines. InputError if there is no such class.
    """
    records = [each.machine.record for each in able]
    here, stored = {each["class"] for each in records}, {each["class"] for each in known.values()}
    counts = [each.name for each in experiment.costs if not each.is_timed]
    ways = "use workers of one class"
    if counts and not stored:
        ways += f", or --cost {counts[0]}"
    seconds = f"scheduler: the cost is {experiment.cost.name}, and times on machines of"
    if stored:
        if len(stored & here) != 1:
            raise InputError(
                f"{seconds} other classes cannot be compared with the study's: the study was "
                f"played on {described(known.values())}, but the workers are on "
                f"{described(records)}; use workers of the study's class"
            )
        return str((stored & here).pop())
    if len(here) > 1:
        raise InputError(
            f"{seconds} several classes cannot be compared: {described(records)}; {ways}"
        )
    return str(here.pop())


def format_error(error: Any) -> str:
    """Return the error of a worker that could not be asked, in one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, ImportError | AttributeError):
        return f"its code differs ({text[:160]})"
    return text[:160]
