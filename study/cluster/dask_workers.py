"""Games over the workers of a Dask cluster.

Tasks go out, and answers come back, many at a time. Dask plays a task again elsewhere if its worker
dies, or its answer is lost; but it blames all tasks that the worker had, and gives up those that it
has blamed a few times. So such a task is no culprit yet: it is sent to one worker, before all
others, and only if that dies, too, and another one, is it the task that ends its workers. When the
scheduler was away, all tasks in flight are handed out again. An answer to a task that is no longer
in flight is dropped.
"""

import asyncio
import math
import queue
import time
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from thetafront.study import interrupt
from thetafront.study.cluster import remote
from thetafront.study.cluster.cluster import DaskCluster
from thetafront.study.cluster.remote import Answer
from thetafront.study.run.executor import Finished, PlayError, Task, dead_alone

Key = TypeVar("Key")

SECONDS_A_TASK = 1.0
WORKERS_A_SECOND = 512  # beyond, tasks are longer: a coordinator handles some hundred a second
SHORT_TASK_SECONDS = 0.25
WEIGHT_OF_LATEST = 0.05
MAX_TRIES = 3  # of a task, or an answer, that cannot even be read
KILLED = "KilledWorker"
CANCELLED = (CancelledError, asyncio.CancelledError)


@dataclass(eq=False)
class Sending(Generic[Key]):
    """A task in flight.

    Attributes
    ----------
    task : Task
        The task.
    is_suspect : bool
        Whether workers have died on it.
    alone_on : str
        The worker that it was sent to as a suspect.
    addresses : tuple of str
        The workers that may play it; empty if all may.
    n_tries : int
        How often it, or its answer, could not be read.
    """

    task: Task[Key]
    is_suspect: bool = False
    alone_on: str = ""
    addresses: tuple[str, ...] = ()
    n_tries: int = 0


@dataclass
class DaskWorkers(Generic[Key]):
    """The workers of a cluster, as an executor; see :class:`study.run.executor.Executor`.

    Parameters
    ----------
    cluster : DaskCluster
        Who is there.
    """

    cluster: DaskCluster
    returned: "deque[Finished[Key]]" = field(default_factory=deque)
    unsent: "list[Sending[Key]]" = field(default_factory=list)
    in_flight: "dict[Any, Sending[Key]]" = field(default_factory=dict)
    arrived: "queue.SimpleQueue[Any]" = field(default_factory=queue.SimpleQueue)
    mean_seconds: float = 0.0
    n_left_before: int = 0
    n_left_told: int = 0

    def open(self) -> None:
        """Begin to count who leaves."""
        self.n_left_before = self.n_left_told = self.cluster.n_left

    def __enter__(self) -> "DaskWorkers[Key]":
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(at_once=kind is not None)

    def __len__(self) -> int:
        return len(self.in_flight) + len(self.unsent)

    @property
    def capacity(self) -> int:
        """How many workers play now."""
        return self.cluster.capacity

    @property
    def machines(self) -> Mapping[str, Mapping[str, Any]]:
        """Machines that have played, by key."""
        return self.cluster.machines

    @property
    def place(self) -> str:
        """Who plays."""
        return self.cluster.place

    @property
    def n_deaths(self) -> int:
        """How many workers have died or left."""
        return self.cluster.n_left - self.n_left_before

    @property
    def seconds_a_task(self) -> float:
        """How many seconds of games a task should have."""
        return max(SECONDS_A_TASK, self.capacity / WORKERS_A_SECOND)

    @property
    def tasks_per_worker(self) -> float:
        """Tasks in flight for each worker: as many wait as are played while an answer travels."""
        if self.mean_seconds < SHORT_TASK_SECONDS:
            return math.inf
        return 1.0 + max(0.5, 4.0 / max(1, self.capacity))

    def news(self) -> list[str]:
        """Return what has happened to the cluster."""
        lines = self.cluster.news()
        n, self.n_left_told = self.cluster.n_left - self.n_left_told, self.cluster.n_left
        if n:
            lines.append(
                "a worker left or died; its games are played again"
                if n == 1
                else f"{n} workers left or died; their games are played again"
            )
        return lines

    def submit(self, task: Task[Key]) -> None:
        """Hand out a task, with those of the same turn."""
        self.unsent.append(Sending(task))

    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for an answer, ``also`` or ``timeout`` seconds; see the protocol."""
        if why := self.cluster.check():
            raise PlayError(why)
        self.look_for_lost()
        self.send()
        if also is not None:
            also.add_done_callback(lambda _: self.arrived.put(None))
        try:
            self.take(self.arrived.get(timeout=timeout))
            while True:
                self.take(self.arrived.get_nowait())
        except queue.Empty:
            pass
        self.send()

    def send(self) -> None:
        """Send what waits: most of it anywhere, suspects each to a worker of its own."""
        if not self.unsent or self.cluster.lost_since is not None:
            return
        accepted = sorted(self.cluster.accepted)
        if not accepted:
            return
        waiting, self.unsent = self.unsent, []
        taken = {each.alone_on for each in self.in_flight.values()}
        anywhere = []
        for each in waiting:
            if not each.is_suspect:
                anywhere.append(each)
                continue
            free = [address for address in accepted if address not in taken]
            if free:
                each.alone_on = free[each.task.n_deaths_alone % len(free)]
                taken.add(each.alone_on)
                self.start([each], (each.alone_on,))
            else:
                self.unsent.append(each)
        if anywhere:
            are_all = self.cluster.threads.keys() <= self.cluster.accepted.keys()
            is_timed = bool(self.cluster.wanted.machine_class)  # newcomers may share its core
            self.start(anywhere, () if are_all and not is_timed else tuple(accepted))

    def start(self, some: "list[Sending[Key]]", addresses: tuple[str, ...]) -> None:
        """Send tasks to workers, or to all."""
        for each in some:
            each.addresses = addresses
        tasks = [each.task for each in some]
        client, wanted = self.cluster.client, self.cluster.wanted
        try:
            with interrupt.kept_from_children():
                futures = client.map(
                    remote.play,
                    [wanted] * len(tasks),
                    [remote.packed(task.agent) for task in tasks],
                    [tuple(task.seeds) for task in tasks],
                    [task.side_by_side for task in tasks],
                    key="games",
                    pure=False,
                    workers=list(addresses) or None,
                    priority=100 if some[0].is_suspect else 0,
                )
        except Exception:
            if client.status == "running":
                raise
            self.unsent += some
            return
        self.in_flight.update(zip(futures, some, strict=True))
        for each in futures:
            client.loop.add_callback(self.fetch, each)

    async def fetch(self, future: Any) -> None:
        """Wait for an answer and take it, in Dask's own thread, which fetches many at a time."""
        try:
            answer = await self.cluster.client.gather(future, asynchronous=True)
        except (Exception, asyncio.CancelledError) as error:
            answer = error
        self.arrived.put((future, answer))

    def take(self, arrival: Any) -> None:
        """Take what came back of a task."""
        if arrival is None:  # what the caller also waits for
            return
        future, answer = arrival
        sending = self.in_flight.pop(future, None)
        if sending is None:
            return
        task = sending.task
        if isinstance(answer, Answer) and not answer.objection:
            now = time.monotonic()
            weight = WEIGHT_OF_LATEST if self.mean_seconds else 1.0
            self.mean_seconds += weight * (answer.seconds - self.mean_seconds)
            self.returned.append(
                Finished(
                    task.key,
                    answer.games,
                    answer.error,
                    now - answer.seconds,
                    now,
                    answer.cpu_seconds,
                    answer.learning_seconds,
                    answer.is_machines,
                    answer.machine,
                )
            )
            return
        if isinstance(answer, Answer):
            self.cluster.refuse(answer.worker, answer.objection)
        elif type(answer).__name__ == KILLED:
            sending.is_suspect = True
        elif not isinstance(answer, CANCELLED):  # as all are when the link is lost
            sending.n_tries += 1
            if sending.n_tries >= MAX_TRIES:
                text = f"{type(answer).__name__}: {answer}"
                self.returned.append(Finished(task.key, (), text))
                return
        sending.alone_on = ""
        self.unsent.append(sending)

    def look_for_lost(self) -> None:
        """Send again what none of those who may play it is there for: Dask would wait for them."""
        there = self.cluster.threads
        if self.cluster.lost_since is not None or self.cluster.alone_since is not None:
            return
        lost = [
            (future, sending)
            for future, sending in self.in_flight.items()
            if sending.addresses and not any(each in there for each in sending.addresses)
        ]
        self.cancel([future for future, _ in lost])
        for future, sending in lost:
            del self.in_flight[future]
            if sending.alone_on:  # a suspect, and its worker has died with it
                sending.alone_on = ""
                sending.task.n_deaths_alone += 1
                if (end := dead_alone(sending.task)) is not None:
                    self.returned.append(end)
                    continue
            self.unsent.append(sending)

    def stop(self) -> None:
        """Take what has come back; what is being played ends unheard, what waits is cancelled."""
        try:
            while True:
                self.take(self.arrived.get_nowait())
        except queue.Empty:
            pass
        finally:
            self.close(at_once=True)

    def close(self, at_once: bool) -> None:
        """End: ``at_once`` cancels what is in flight."""
        if at_once:
            self.cancel(list(self.in_flight))
        self.in_flight.clear()
        self.unsent.clear()

    def cancel(self, futures: Iterable[Any]) -> None:
        """Cancel tasks, unless the scheduler is away, which forgets them then."""
        client, futures = self.cluster.client, list(futures)
        if futures and self.cluster.lost_since is None and client.status == "running":
            cancel = partial(client.cancel, futures, asynchronous=True, force=True)
            client.loop.add_callback(cancel)
