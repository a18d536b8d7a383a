"""A cluster that plays for one coordinator: who is there, who may play, and the link to them.

A thread looks once a second who has come and gone, and takes up the link again when the scheduler
was away; the loop of games only reads what it has found.
"""

import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from thetafront.agents.agent import Agent
from thetafront.study.cluster import remote
from thetafront.study.cluster.link import check_library, connect, disconnect, silenced
from thetafront.study.cluster.machine import described, unequal
from thetafront.study.cluster.remote import Look, Wanted
from thetafront.study.cluster.security import Tls, check_address, warning
from thetafront.study.cluster.sources import sources_digest, versions
from thetafront.study.errors import InputError, RunError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.text import counted

if TYPE_CHECKING:
    from distributed import Client

    from thetafront.study.cluster.dask_workers import DaskWorkers

SECONDS_BETWEEN_LOOKS = 1.0
SECONDS_FOR_THE_DASHBOARD = 2.0
SECONDS_FOR_A_FIRST_WORKER = 10.0
SECONDS_FOR_LOOKS = 90.0  # a worker may compile kernels first
MOST_ASKED_AT_ONCE = 32
FIRST_PAUSE_SECONDS = 2.0  # before a refused worker is asked again; doubled each time
LONGEST_PAUSE_SECONDS = 120.0
LONGEST_AWAY_SECONDS = 120.0


class DaskCluster:
    """The workers of a scheduler; use it as a context.

    Parameters
    ----------
    address : str
        Of the scheduler.
    tls : Tls, optional
        Certificates.
    most_threads : int
        How many games one process may play at once.

    Attributes
    ----------
    client : Client
        The link; another one after the scheduler was away.
    accepted : dict of str to Look
        Workers that may play, by address.
    refused : dict of str to str
        Why others may not, by address.
    surplus : dict of str to Look
        Workers that might play, but for those that play on the same cores.
    threads : dict of str to int
        All workers that are there, with how many games each plays at once.
    machines : dict of str to dict
        Machines that have been accepted, by key.
    lost_since, alone_since : float, optional
        Since when there is no scheduler, and no worker that may play, on the monotonic clock.
    """

    def __init__(self, address: str, tls: Tls | None = None, most_threads: int = 1) -> None:
        self.address, self.tls, self.most_threads = check_address(address, tls), tls, most_threads
        check_library()
        self.wanted = Wanted(sources_digest())
        self.agent: Agent | None = None
        self.accepted: dict[str, Look] = {}
        self.refused: dict[str, str] = {}
        self.surplus: dict[str, Look] = {}
        self.threads: dict[str, int] = {}
        self.asked: dict[str, float] = {}  # when
        self.answers: queue.SimpleQueue[tuple[str, Look | str]] = queue.SimpleQueue()
        self.pauses: dict[str, tuple[float, float]] = {}  # until when, and how long
        self.machines: dict[str, Mapping[str, Any]] = {}
        self.lost_since: float | None = None
        self.alone_since: float | None = None
        self.n_left = 0
        self.lines: list[str] = []
        self.told: set[str] = set()
        self.ended = threading.Event()
        self.watching: threading.Thread | None = None
        self.client: Client

    def __enter__(self) -> "DaskCluster":
        with ExitStack() as stack:
            stack.enter_context(silenced())
            self.client = connect(self.address, self.tls)
            self.stack = stack.pop_all()
        if line := warning(self.address):
            self.lines.append(f"warning: {line}")
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        disconnect(self.client)
        self.stack.close()

    @property
    def capacity(self) -> int:
        """How many games are played at once."""
        threads = self.threads
        return sum(threads.get(each, 0) for each in tuple(self.accepted))

    @property
    def place(self) -> str:
        """Who plays: ``12 workers on 3 machines``."""
        hosts = {each.record["host"] for each in tuple(self.accepted.values())}
        return f"{counted(self.capacity, 'worker')} on {counted(len(hosts), 'machine')}"

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard; empty if there is none."""
        from urllib.request import urlopen

        try:
            link = str(self.client.dashboard_link or "")
            urlopen(link, timeout=SECONDS_FOR_THE_DASHBOARD).close()
        except (KeyError, OSError, ValueError):  # it has none, or not its libraries
            return ""
        return link

    def admit(self, experiment: Experiment, known: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """Choose the workers that may play; see :class:`study.run.executor.Cluster`."""
        self.agent = remote.packed(experiment.build({}))
        deadline = time.monotonic() + SECONDS_FOR_A_FIRST_WORKER
        while not (threads := self.client.nthreads()):
            if time.monotonic() > deadline:
                raise RunError(
                    f"scheduler: no worker is at {self.address}; on each machine start "
                    f"thetafront worker {self.address}"
                )
            time.sleep(0.2)
        looks = self.looks_of(list(threads))
        able = {
            key: each
            for key, each in looks.items()
            if isinstance(each, Look) and not self.objection_to(each, threads[key])
        }
        if not able:
            why = sorted({self.refusal(key, looks[key], threads[key]) for key in looks})
            raise InputError(
                f"scheduler: no worker at {self.address} can play with code "
                f"{self.wanted.sources} ({versions()}): {'; '.join(why)}"
            )
        if experiment.cost.is_timed:
            self.wanted = Wanted(self.wanted.sources, one_class(experiment, able, known))
        self.take(threads, looks)
        self.lines += [line for line in (unequal(self.machines.values()),) if line]
        self.watching = threading.Thread(target=self.watch, name="cluster", daemon=True)
        self.watching.start()
        link = self.dashboard
        return [*self.news(), f"{self.place} at {self.address}{link and f', dashboard {link}'}"]

    def executor(self) -> "DaskWorkers[Any]":
        """Return what hands tasks to the workers."""
        from thetafront.study.cluster.dask_workers import DaskWorkers

        return DaskWorkers(self)

    def looks_of(self, addresses: Iterable[str]) -> dict[str, Look | str]:
        """Ask workers what they are, and wait; an error's text where one cannot tell."""
        found: dict[str, Look | str] = dict.fromkeys(addresses, "it does not answer")
        answers: queue.SimpleQueue[tuple[str, Look | str]] = queue.SimpleQueue()
        self.ask(found, answers)
        deadline = time.monotonic() + SECONDS_FOR_LOOKS
        for _ in range(len(found)):
            try:
                address, each = answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            found[address] = each
        return found

    def ask(
        self, addresses: Iterable[str], answers: "queue.SimpleQueue[tuple[str, Look | str]]"
    ) -> None:
        """Ask workers what they are, each by itself: one that hangs keeps few others waiting."""
        client, wanted, agent = self.client, Wanted(self.wanted.sources), self.agent
        left = deque(addresses)

        def ask_some() -> None:
            while True:
                try:
                    address = left.popleft()
                except IndexError:
                    return
                try:
                    found: Any = client.run(
                        remote.look, wanted, agent, workers=[address], on_error="return"
                    ).get(address, OSError("it is gone"))
                except Exception as error:
                    found = error
                answers.put((address, found if isinstance(found, Look) else told(found)))

        for _ in range(min(len(left), MOST_ASKED_AT_ONCE)):
            threading.Thread(target=ask_some, name="looks", daemon=True).start()

    def objection_to(self, look: Look | str, n_threads: int) -> str:
        """Say why a worker may not play; empty if it may."""
        if isinstance(look, str):
            return look
        if look.objection:
            return str(look.objection)
        if n_threads > self.most_threads:
            return (
                f"it plays {n_threads} games in one process, which time each other; start it by "
                "thetafront worker"
            )
        wanted = self.wanted.machine_class
        if wanted and look.record["class"] != wanted:
            return (
                f"seconds are its cost, and its class is {described([look.record])}; not {wanted}"
            )
        return ""

    def refusal(self, address: str, look: Look | str, n_threads: int) -> str:
        """Say who may not play, and why."""
        host = address.rpartition("/")[2] if isinstance(look, str) else look.record["host"]
        return f"{host} gets no games: {self.objection_to(look, n_threads)}"

    def take(self, threads: Mapping[str, int], looks: Mapping[str, Look | str]) -> None:
        """Note who is there, with what new ones have told of themselves."""
        accepted = {key: each for key, each in self.accepted.items() if key in threads}
        surplus = {key: each for key, each in self.surplus.items() if key in threads}
        refused = {key: each for key, each in self.refused.items() if key in threads}
        self.n_left += len(self.accepted) - len(accepted)
        able = {**accepted, **surplus}  # those that play go on
        for address, each in looks.items():
            if address not in threads:
                continue
            if self.objection_to(each, threads[address]):
                able.pop(address, None)
                refused[address] = self.refusal(address, each, threads[address])
                self.tell(refused[address])
                self.ask_later(address)
            elif isinstance(each, Look):
                able[address] = each
                refused.pop(address, None)
                self.machines = {**self.machines, each.machine: each.record}
        accepted, self.surplus = self.one_a_core(able)
        self.pauses = {key: each for key, each in self.pauses.items() if key in threads}
        self.accepted, self.refused, self.threads = accepted, refused, dict(threads)
        if self.capacity:
            self.alone_since = None
        elif self.alone_since is None:
            self.alone_since = time.monotonic()
            self.lines.append(f"no worker is left; waiting for {LONGEST_AWAY_SECONDS:g} s")

    def one_a_core(self, able: Mapping[str, Look]) -> tuple[dict[str, Look], dict[str, Look]]:
        """Part those that play from the surplus: games that share a core time each other."""
        chosen: dict[str, Look] = {}
        surplus: dict[str, Look] = {}
        n_chosen: Counter[Any] = Counter()
        for address, each in able.items():
            host, cores = each.record["host"], (each.record["host"], each.cpus)
            if self.wanted.machine_class and 0 < each.n_cores <= n_chosen[cores]:
                surplus[address] = each
                self.tell(
                    f"{host} has more worker processes than its {counted(each.n_cores, 'core')}: "
                    f"seconds are the cost, so {each.n_cores} of them get games"
                )
            else:
                chosen[address] = each
                n_chosen[cores] += 1
        return chosen, surplus

    def tell(self, line: str) -> None:
        """Tell a line, once."""
        if line not in self.told:
            self.told.add(line)
            self.lines.append(line)

    def refuse(self, address: str, why: str) -> None:
        """Give no more games to a worker that has refused one."""
        look = self.accepted.get(address)
        self.accepted = {key: each for key, each in self.accepted.items() if key != address}
        host = look.record["host"] if look is not None else address
        self.refused = {**self.refused, address: why}
        self.ask_later(address)
        self.tell(f"{host} gets no games: {why}")

    def ask_later(self, address: str) -> None:
        """Ask a refused worker again after a pause: a link mends, and files arrive."""
        _, pause = self.pauses.get(address, (0.0, FIRST_PAUSE_SECONDS / 2))
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        self.pauses = {**self.pauses, address: (time.monotonic() + pause, pause)}

    def news(self) -> list[str]:
        """Return what a user should know that has happened since the last call."""
        lines, self.lines = self.lines, []
        return lines

    def watch(self) -> None:
        """See who comes and goes, until the end."""
        while not self.ended.wait(SECONDS_BETWEEN_LOOKS):
            try:
                if self.client.status != "running":
                    raise OSError("the link is closed")
                threads = dict(self.client.nthreads())
            except Exception:
                self.connect_again()
                continue
            self.take(threads, self.answered())
            self.asked = {key: when for key, when in self.asked.items() if key in threads}
            known, now = {*self.accepted, *self.surplus, *self.asked}, time.monotonic()
            due = [
                each
                for each in threads
                if each not in known and self.pauses.get(each, (0.0, 0.0))[0] <= now
            ]
            self.asked |= dict.fromkeys(due, now)
            self.ask(due, self.answers)

    def answered(self) -> dict[str, Look | str]:
        """Return what workers have answered; or that they do not, if they take long."""
        found: dict[str, Look | str] = {}
        while not self.answers.empty():
            address, found[address] = self.answers.get()
            self.asked.pop(address, None)
        late = time.monotonic() - SECONDS_FOR_LOOKS
        for address, when in self.asked.items():
            if when < late and address not in self.refused:
                found[address] = "it does not answer"  # and is taken when it does
        return found

    def connect_again(self) -> None:
        """Try until the scheduler is back, or for too long."""
        if self.lost_since is not None:  # for too long: nobody waits any more
            return
        self.lost_since = time.monotonic()
        self.lines.append(
            f"the scheduler at {self.address} does not answer; trying for "
            f"{LONGEST_AWAY_SECONDS:g} s"
        )
        disconnect(self.client)
        while not self.ended.wait(0.5):
            if time.monotonic() > self.lost_since + LONGEST_AWAY_SECONDS:
                return
            try:
                self.client = connect(self.address, self.tls)
            except RunError:
                continue
            self.lines.append(
                f"the scheduler is back after {time.monotonic() - self.lost_since:.0f} s; games "
                "in flight are played again"
            )
            self.accepted, self.refused, self.surplus, self.threads = {}, {}, {}, {}
            self.asked, self.answers, self.pauses = {}, queue.SimpleQueue(), {}
            self.lost_since = None
            self.alone_since = time.monotonic()
            return

    def check(self) -> str:
        """Say why games cannot go on; empty if they can."""
        now = time.monotonic()
        if self.lost_since is not None and now > self.lost_since + LONGEST_AWAY_SECONDS:
            return (
                f"the scheduler at {self.address} has been away for {now - self.lost_since:.0f} s"
            )
        if (
            self.lost_since is None
            and self.alone_since is not None
            and now > self.alone_since + LONGEST_AWAY_SECONDS
        ):
            return f"no worker has been at {self.address} for {now - self.alone_since:.0f} s"
        return ""


def one_class(
    experiment: Experiment, able: Mapping[str, Look], known: Mapping[str, Mapping[str, Any]]
) -> str:
    """Return the class of machines whose seconds count; InputError if there are several."""
    records = [each.record for each in able.values()]
    here, stored = {each["class"] for each in records}, {each["class"] for each in known.values()}
    counts = [each.name for each in experiment.costs if not each.is_timed]
    ways = "workers of one class allowed"
    if counts and not stored:
        ways += f", or --cost {counts[0]}"
    seconds = f"scheduler: the cost is {experiment.cost.name}, and seconds of machines of"
    if stored:
        if len(stored & here) != 1:
            raise InputError(
                f"{seconds} other classes than the study's do not compare: "
                f"{described(known.values())} played it, {described(records)} are there; {ways}"
            )
        return str((stored & here).pop())
    if len(here) > 1:
        raise InputError(f"{seconds} several classes do not compare: {described(records)}; {ways}")
    return str(here.pop())


def told(error: Any) -> str:
    """Write the error of a worker that could not even be asked, in a line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, ImportError | AttributeError):
        return f"its code is another ({text[:160]})"
    return text[:160]
