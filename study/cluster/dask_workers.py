"""Games on the workers of a Dask cluster.

Many tasks are sent at once, and many answers are received at once. If a worker dies or an answer is
lost, Dask gives the task to another worker. But Dask blames all tasks of a worker that dies, and
gives up a task that it has blamed a few times. Such a task becomes a suspect. Suspects are sent
one at a time, before all other tasks. If Dask gives up a suspect again, this task is the one that
kills workers. If the scheduler ends and is started again, all tasks in flight are sent again. An
answer to a task that is no longer in flight is dropped.
"""

import asyncio
import math
import queue
import time
from collections.abc import Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from thetafront.study import interrupt
from thetafront.study.cluster import remote
from thetafront.study.cluster.cluster import DaskCluster
from thetafront.study.cluster.remote import Refusal
from thetafront.study.cluster.security import Tls
from thetafront.study.run.executor import PlayError
from thetafront.study.run.worker import Finished, Task, unplayed

Key = TypeVar("Key")

SECONDS_A_TASK = 1.0
# With more workers, tasks are longer, because a coordinator handles only hundreds a second.
WORKERS_A_SECOND = 512
SHORT_TASK_SECONDS = 0.25
WEIGHT_OF_LATEST = 0.05
MAX_TRIES = 3  # of a task that cannot be read, or whose answer cannot be read
KILLED = "KilledWorker"
CANCELLED = (CancelledError, asyncio.CancelledError)


@dataclass(eq=False)
class Sending(Generic[Key]):
    """A task in flight."""

    task: Task[Key]
    is_suspect: bool = False  # whether Dask has given it up, because workers that had it died
    addresses: tuple[str, ...] = ()  # the workers that may play it; empty if all may
    n_tries: int = 0  # how often the task or its answer could not be read


class DaskWorkers(DaskCluster[Key]):
    """Plays games on the workers of a scheduler."""

    is_cluster = True
    max_deaths_alone = 1  # how often Dask may give up a suspect

    def __init__(self, address: str, tls: Tls | None = None, most_threads: int = 1) -> None:
        super().__init__(address, tls, most_threads)
        self.unsent: list[Sending[Key]] = []
        self.in_flight: dict[Any, Sending[Key]] = {}
        self.arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.mean_seconds = 0.0

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.forget()
        super().__exit__(kind)

    def __len__(self) -> int:
        return len(self.in_flight) + len(self.unsent)

    @property
    def seconds_a_task(self) -> float:
        """How many seconds of games a task should have."""
        return max(SECONDS_A_TASK, self.capacity / WORKERS_A_SECOND)

    @property
    def tasks_per_worker(self) -> float:
        """The number of tasks in flight per worker; it keeps workers busy while answers travel."""
        if self.mean_seconds < SHORT_TASK_SECONDS:
            return math.inf
        return 1.0 + max(0.5, 4.0 / max(1, self.capacity))

    def drain_messages(self) -> list[str]:
        """Return new messages about the cluster."""
        lines = super().drain_messages()
        n, self.n_deaths = self.n_left - self.n_deaths, self.n_left
        if n == 1:
            lines.append("a worker left or died; its games are played again")
        elif n:
            lines.append(f"{n} workers left or died; their games are played again")
        return lines

    def submit(self, task: Task[Key]) -> None:
        """Hand out a task; it is sent together with others by the next :meth:`collect`."""
        self.unsent.append(Sending(task))

    def collect(self, timeout: float, also: "Future[Any] | None" = None) -> None:
        """Wait for an answer, for ``also``, or for ``timeout`` seconds; see :class:`Executor`."""
        if why := self.check():
            raise PlayError(why)
        self.look_for_lost()
        self.send()
        if also is not None:
            also.add_done_callback(lambda _: self.arrived.put(None))
        self.receive_all(timeout)
        self.send()

    def send(self) -> None:
        """Send waiting tasks to the workers that may play, suspects one at a time."""
        playing = sorted(self.playing)
        if not self.unsent or not playing or self.lost_since is not None:
            return
        suspects = [each for each in self.unsent if each.is_suspect]
        others = [each for each in self.unsent if not each.is_suspect]
        is_tried = any(each.is_suspect for each in self.in_flight.values())
        first, self.unsent = ([], suspects) if is_tried else (suspects[:1], suspects[1:])
        are_all = len(playing) == len(self.members)
        # If the cost is time, new workers get no tasks yet: they might share a core with others.
        is_timed = bool(self.wanted.machine_class)
        addresses = () if are_all and not is_timed else tuple(playing)
        for some in filter(None, (first, others)):
            self.start(some, addresses)

    def start(self, some: "list[Sending[Key]]", addresses: tuple[str, ...]) -> None:
        """Send tasks to some workers, or to all."""
        for each in some:
            each.addresses = addresses
        tasks = [each.task for each in some]
        client, wanted = self.client, self.wanted
        try:
            with interrupt.kept_from_children():
                futures = client.map(
                    remote.play,
                    [wanted] * len(tasks),
                    [replace(task, agent=remote.packed(task.agent)) for task in tasks],
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
        """Wait for an answer in Dask's own thread, which waits for many answers at once."""
        try:
            answer = await self.client.gather(future, asynchronous=True)
        except (Exception, asyncio.CancelledError) as error:
            answer = error
        self.arrived.put((future, answer))

    def receive_all(self, timeout: float) -> None:
        """Wait up to ``timeout`` seconds for a result; take all results that are there."""
        with suppress(queue.Empty):
            self.receive(self.arrived.get(timeout=timeout))
            while True:
                self.receive(self.arrived.get_nowait())

    def receive(self, arrival: Any) -> None:
        """Take the result of a task."""
        if arrival is None:  # the future that `collect` also waits for is done
            return
        future, answer = arrival
        sending = self.in_flight.pop(future, None)
        if sending is None:
            return
        task = sending.task
        if isinstance(answer, Finished):
            now, seconds = time.monotonic(), answer.ended - answer.began
            weight = WEIGHT_OF_LATEST if self.mean_seconds else 1.0
            self.mean_seconds += weight * (seconds - self.mean_seconds)
            self.returned.append(replace(answer, began=now - seconds, ended=now))
            return
        if isinstance(answer, Refusal):
            self.refuse(answer.worker, answer.objection)
        elif type(answer).__name__ == KILLED:
            if sending.is_suspect and self.judge(task):
                return
            sending.is_suspect = True
        elif not isinstance(answer, CANCELLED):  # if the link is lost, all are cancelled
            sending.n_tries += 1
            if sending.n_tries >= MAX_TRIES:
                self.returned.append(unplayed(task, answer))
                return
        self.unsent.append(sending)

    def look_for_lost(self) -> None:
        """Send tasks again if all workers that may play them have left.

        Dask would wait for these workers to come back.
        """
        there = self.members
        if self.lost_since is not None or self.alone_since is not None:
            return
        lost = [
            (future, sending)
            for future, sending in self.in_flight.items()
            if sending.addresses and not any(each in there for each in sending.addresses)
        ]
        self.cancel([future for future, _ in lost])
        for future, sending in lost:
            del self.in_flight[future]
            self.unsent.append(sending)

    def stop(self) -> None:
        """Take finished tasks; ignore the results of running ones, and cancel waiting ones."""
        self.receive_all(0.0)
        self.forget()

    def forget(self) -> None:
        """Cancel the tasks in flight."""
        self.cancel(list(self.in_flight))
        self.in_flight.clear()
        self.unsent.clear()

    def cancel(self, futures: Iterable[Any]) -> None:
        """Cancel tasks; do nothing if the scheduler is away, because it then forgets all tasks."""
        client, futures = self.client, list(futures)
        if futures and self.lost_since is None and client.status == "running":
            cancel = partial(client.cancel, futures, asynchronous=True, force=True)
            client.loop.add_callback(cancel)
