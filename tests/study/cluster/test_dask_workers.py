"""Answers that are lost on their way: fetched without waiting, and tried a few times only."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("distributed", reason="Dask is not installed")

from thetafront.agents.catalog import build
from thetafront.study.cluster.dask_workers import MOST_LOST, DaskWorkers, Sending, fetched
from thetafront.study.run.executor import PlayError, Task

FUTURES = [SimpleNamespace(key=name) for name in ("a", "b", "c")]


class Client:
    """A link whose scheduler does as it is told."""

    status = "running"

    def __init__(self, gather: Callable[[list[str]], dict[str, Any]]) -> None:
        self.scheduler = SimpleNamespace(gather=gather)
        self.asked: list[list[str]] = []

    def sync(self, what: Callable[[list[str]], dict[str, Any]], keys: list[str]) -> Any:
        self.asked.append(keys)
        return what(keys)


def test_what_a_dead_worker_had_keeps_no_other_answer() -> None:
    def gather(keys: list[str]) -> dict[str, Any]:
        if "b" in keys:
            return {"status": "error", "keys": ["b"]}
        return {"status": "OK", "data": {each: each.upper() for each in keys}}

    client = Client(gather)
    assert fetched(client, FUTURES) == ["A", "the worker that had the answer is gone", "C"]
    assert client.asked == [["a", "b", "c"], ["a", "c"]]


def test_an_answer_that_cannot_be_read_keeps_no_other() -> None:
    def gather(keys: list[str]) -> dict[str, Any]:
        if "b" in keys:
            raise ValueError("cut\noff")
        return {"status": "OK", "data": {each: each.upper() for each in keys}}

    assert fetched(Client(gather), FUTURES) == ["A", "ValueError: cut off", "C"]


def test_no_answer_is_asked_for_one_by_one_of_a_broken_link() -> None:
    def gather(keys: list[str]) -> dict[str, Any]:
        client.status = "closed"
        raise OSError("closed")

    client = Client(gather)
    assert fetched(client, FUTURES) == ["OSError: closed"] * 3
    assert len(client.asked) == 1


def test_a_task_whose_answers_are_lost_is_not_played_for_ever() -> None:
    cluster: Any = SimpleNamespace(lost_since=None)
    workers: DaskWorkers[str] = DaskWorkers(cluster)
    workers.client = SimpleNamespace(status="closed")
    sending = Sending(Task("trial 3", build("dice_solver", {"gamma": 0.9}), (1,)))

    def lose() -> None:
        workers.in_flight["future"] = sending
        workers.take(("future", "cancelled"))

    for _ in range(2 * MOST_LOST):  # a link that is down is no fault of the task's
        lose()
    workers.client.status = "running"
    for _ in range(MOST_LOST - 1):
        lose()
    assert workers.unsent[-1] is sending
    with pytest.raises(PlayError, match="lost 8 times while playing trial 3: cancelled"):
        lose()
