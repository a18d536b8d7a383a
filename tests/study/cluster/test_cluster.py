"""Who is there and may play, as workers answer, fall silent, come back and go."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("distributed", reason="Dask is not installed")

from thetafront.study.cluster import cluster as module
from thetafront.study.cluster.cluster import DaskCluster
from thetafront.study.cluster.machine import Machine
from thetafront.study.cluster.remote import Look, Wanted

MACHINE = Machine("node-1", "Fast 9000", "znver4", "+avx2", 0.1)
LOOK = Look(MACHINE.key, MACHINE.record, "", "", "", 0, 1.0)
ONE, TWO = "tcp://10.0.0.1:1", "tcp://10.0.0.1:2"


def test_timed_games_are_one_a_core() -> None:
    """Of the processes of a host that share its cores, as many play; others when those are gone."""
    cluster = DaskCluster("tcp://127.0.0.1:1")
    other = replace(MACHINE, host="node-2")
    here = replace(LOOK, n_cores=2, cpus=(0, 1))
    looks: dict[str, Look | str] = {f"a{n}": here for n in range(4)}
    looks |= {"b": replace(here, cpus=(2, 3))}  # the same host, but other cores
    looks |= {"c": replace(here, machine=other.key, record=other.record)}
    threads = dict.fromkeys(looks, 1)
    cluster.take(threads, looks)
    assert set(cluster.accepted) == set(looks), "what is not timed may share cores"
    cluster = DaskCluster("tcp://127.0.0.1:1")
    cluster.wanted = Wanted("", MACHINE.machine_class)
    cluster.take(threads, looks)
    assert list(cluster.accepted) == ["a0", "a1", "b", "c"]
    assert (list(cluster.surplus), cluster.capacity) == (["a2", "a3"], 4)
    assert cluster.news() == [
        "node-1 has more worker processes than its 2 cores: seconds are the cost, so 2 of them get "
        "games"
    ]
    del threads["a0"]
    cluster.take(threads, {})
    assert set(cluster.accepted) == {"a1", "a2", "b", "c"}
    assert (list(cluster.surplus), cluster.n_left, cluster.news()) == (["a3"], 1, [])


class Client:
    """A link to workers that answer as they are told."""

    status = "running"
    dashboard_link = ""

    def __init__(self, **answers: Callable[[], Any]) -> None:
        self.workers = {ONE: answers["one"], TWO: answers["two"]}

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.workers, 1)

    def run(self, *_: Any, workers: list[str], **__: Any) -> dict[str, Any]:
        return {each: self.workers[each]() for each in workers}

    def close(self, timeout: float) -> None:
        self.status = "closed"


def watched(monkeypatch: pytest.MonkeyPatch, client: Client) -> DaskCluster:
    """Return a cluster that is watched; set ``ended`` in the end."""
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LOOKS", 0.01)
    monkeypatch.setattr(module, "FIRST_PAUSE_SECONDS", 0.01)
    cluster = DaskCluster("tcp://127.0.0.1:1")
    made: Any = client
    cluster.client = made
    threading.Thread(target=cluster.watch, daemon=True).start()
    return cluster


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30.0
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_worker_whose_link_breaks_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [OSError("broken"), OSError("broken"), LOOK]
    cluster = watched(monkeypatch, Client(one=lambda: answers.pop(0), two=lambda: LOOK))
    try:
        wait_until(lambda: set(cluster.accepted) == {ONE, TWO})
    finally:
        cluster.ended.set()
    assert (answers, cluster.refused) == ([], {})
    assert cluster.news().count("10.0.0.1:1 gets no games: OSError: broken") == 1


def test_a_worker_that_hangs_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are accepted and their deaths seen; and it is taken once it answers."""
    monkeypatch.setattr(module, "SECONDS_FOR_LOOKS", 0.5)
    answer: queue.SimpleQueue[Look] = queue.SimpleQueue()
    client = Client(one=answer.get, two=lambda: LOOK)
    cluster = watched(monkeypatch, client)
    try:
        wait_until(lambda: set(cluster.accepted) == {TWO})
        del client.workers[TWO]
        wait_until(lambda: not cluster.accepted)
        assert cluster.n_left == 1
        wait_until(lambda: set(cluster.refused) == {ONE})
        assert "10.0.0.1:1 gets no games: it does not answer" in cluster.news()
        answer.put(LOOK)
        wait_until(lambda: set(cluster.accepted) == {ONE})
        assert not cluster.refused
    finally:
        cluster.ended.set()
        answer.put(LOOK)
