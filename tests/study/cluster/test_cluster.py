"""Who is there and may play, as workers answer, fall silent, come back and go."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.processes import wait_until

pytest.importorskip("distributed", reason="Dask is not installed")

from thetafront.study.cluster import cluster as module
from thetafront.study.cluster.dask_workers import DaskWorkers
from thetafront.study.cluster.machine import Machine
from thetafront.study.cluster.remote import Wanted, WorkerProbe

MACHINE = Machine("node-1", "Fast 9000", "znver4", "+avx2", 0.1)
PROBE = WorkerProbe(MACHINE, "", "", 0, 1.0)
ONE, TWO = "tcp://10.0.0.1:1", "tcp://10.0.0.1:2"


def test_timed_games_are_one_a_core() -> None:
    """Of the processes of a host that share its cores, as many play; others when those are gone."""
    cluster = DaskWorkers[str]("tcp://127.0.0.1:1")
    other = replace(MACHINE, host="node-2")
    here = replace(PROBE, n_cores=2, cpus=(0, 1))
    probes: dict[str, WorkerProbe | str] = {f"a{n}": here for n in range(4)}
    probes |= {"b": replace(here, cpus=(2, 3))}  # the same host, but other cores
    probes |= {"c": replace(here, machine=other)}
    threads = dict.fromkeys(probes, 1)
    cluster.take(threads, probes)
    assert set(cluster.playing) == set(probes), "what is not timed may share cores"
    cluster = DaskWorkers[str]("tcp://127.0.0.1:1")
    cluster.wanted = Wanted("", MACHINE.machine_class)
    cluster.take(threads, probes)
    assert (list(cluster.playing), cluster.capacity) == (["a0", "a1", "b", "c"], 4)
    assert cluster.drain_messages() == [
        "node-1 has more worker processes than its 2 cores; because the cost is time, only 2 "
        "of them get games"
    ]
    del threads["a0"]
    cluster.take(threads, {})
    assert set(cluster.playing) == {"a1", "a2", "b", "c"}
    assert cluster.drain_messages() == ["a worker left or died; its games are played again"]


Answers = dict[str, Callable[[], Awaitable[Any]]]


class Client:
    """A link to workers that answer as they are told, with a loop as Dask's."""

    status = "running"

    def __init__(self, one: Callable[[], Any], two: Callable[[], Any]) -> None:
        self.workers: Answers = {ONE: one, TWO: two}
        self.loop = SimpleNamespace(asyncio_loop=asyncio.new_event_loop())
        threading.Thread(target=self.loop.asyncio_loop.run_forever, daemon=True).start()

    def nthreads(self) -> dict[str, int]:
        if self.status == "hangs":
            raise OSError("timed out")
        return dict.fromkeys(self.workers, 1)

    async def run(self, *_: Any, workers: list[str], **__: Any) -> dict[str, Any]:
        return {each: await self.workers[each]() for each in workers}


async def tells() -> WorkerProbe:
    """Answer at once."""
    return PROBE


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch, client: Client) -> Iterator[DaskWorkers[str]]:
    """Watch a cluster."""
    monkeypatch.setattr(module, "POLL_INTERVAL", 0.01)
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)
    cluster = DaskWorkers[str]("tcp://127.0.0.1:1")
    made: Any = client
    cluster.client = made
    watching = threading.Thread(target=cluster.watch)
    watching.start()
    try:
        yield cluster
    finally:
        cluster.ended.set()
        watching.join()
        client.loop.asyncio_loop.call_soon_threadsafe(client.loop.asyncio_loop.stop)


def test_a_worker_whose_link_breaks_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [OSError("broken"), OSError("broken"), PROBE]

    async def breaks() -> Any:
        return answers.pop(0)

    with watched(monkeypatch, Client(breaks, tells)) as cluster:
        wait_until(lambda: set(cluster.playing) == {ONE, TWO})
    assert not answers
    assert cluster.drain_messages().count("10.0.0.1:1 gets no games: OSError: broken") == 1


def test_a_worker_that_hangs_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are accepted and their deaths seen; and it is taken once it answers."""
    monkeypatch.setattr(module, "SECONDS_TO_ANSWER", 0.3)
    hangs = True

    async def hang() -> WorkerProbe:
        while hangs:
            await asyncio.sleep(0.01)
        return PROBE

    client = Client(hang, tells)
    with watched(monkeypatch, client) as cluster:
        wait_until(lambda: set(cluster.playing) == {TWO})
        del client.workers[TWO]
        wait_until(lambda: not cluster.playing)
        assert cluster.n_left == 1
        wait_until(lambda: cluster.members[ONE].objection != "")
        assert "10.0.0.1:1 gets no games: it does not answer" in cluster.drain_messages()
        hangs = False
        wait_until(lambda: set(cluster.playing) == {ONE})
        assert not cluster.members[ONE].objection


@pytest.mark.parametrize("status", ["connecting", "hangs"])
def test_a_scheduler_that_was_away_is_reported_once(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """And its workers are asked anew: they are others."""
    n_asked = 0

    async def counts() -> WorkerProbe:
        nonlocal n_asked
        n_asked += 1
        return PROBE

    client = Client(counts, counts)
    with watched(monkeypatch, client) as cluster:
        wait_until(lambda: set(cluster.playing) == {ONE, TWO})
        client.status = status
        wait_until(lambda: cluster.lost_since is not None)
        assert cluster.check() == ""
        time.sleep(0.05)
        client.status = "running"
        wait_until(lambda: n_asked == 4)
        wait_until(lambda: set(cluster.playing) == {ONE, TWO})
        monkeypatch.setattr(module, "MAX_SECONDS_AWAY", 0.02)
        client.status = status
        wait_until(lambda: cluster.check() != "")
    assert cluster.check().startswith("the scheduler at tcp://127.0.0.1:1 has been away for")
    news = [each for each in cluster.drain_messages() if "the scheduler" in each]
    assert news[:2] == [
        "the scheduler at tcp://127.0.0.1:1 does not answer; retrying for 120 s",
        "the scheduler is back after 0 s; games in flight are played again",
    ]
    assert len(news) == 3
