"""What comes back in place of games: lost, killed, unreadable."""

from concurrent.futures import CancelledError

import pytest

pytest.importorskip("distributed", reason="Dask is not installed")

from distributed.scheduler import KilledWorker

from thetafront.agents.catalog import build
from thetafront.study.cluster.cluster import Member
from thetafront.study.cluster.dask_workers import MAX_TRIES, DaskWorkers, Sending
from thetafront.study.cluster.remote import Wanted
from thetafront.study.run.executor import PlayError
from thetafront.study.run.worker import Task


def workers_with(sending: Sending[str]) -> DaskWorkers[str]:
    workers = DaskWorkers[str]("tcp://127.0.0.1:1")
    workers.in_flight["future"] = sending
    return workers


@pytest.fixture
def sending() -> Sending[str]:
    return Sending(Task("trial 3", build("dice_solver", {"gamma": 0.9}), (1,)))


def test_what_is_lost_with_the_link_is_sent_again(sending: Sending[str]) -> None:
    workers = workers_with(sending)
    for _ in range(2 * MAX_TRIES):
        workers.in_flight["future"] = sending
        workers.receive(("future", CancelledError()))
        assert workers.unsent.pop() is sending
    assert not workers.returned
    assert not sending.is_suspect


def test_a_task_that_dask_gives_up_is_a_suspect(sending: Sending[str]) -> None:
    workers = workers_with(sending)
    workers.receive(("future", KilledWorker("games", "worker", 3)))
    assert workers.unsent == [sending]
    assert sending.is_suspect
    workers.in_flight["future"] = sending
    with pytest.raises(PlayError, match="workers keep dying while playing trial 3"):
        workers.receive(("future", KilledWorker("games", "worker", 3)))


def test_suspects_are_sent_one_at_a_time_before_others(
    sending: Sending[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So none is blamed for what another does."""
    workers = workers_with(sending)
    workers.in_flight.clear()
    workers.members, workers.wanted = {"tcp://a:1": Member(1, plays=True)}, Wanted("")
    suspects = [Sending(sending.task, is_suspect=True) for _ in range(2)]
    workers.unsent = [sending, *suspects]
    sent: list[Sending[str]] = []
    monkeypatch.setattr(workers, "start", lambda some, addresses: sent.extend(some))
    workers.send()
    assert sent == [suspects[0], sending]
    workers.in_flight["other"] = suspects[0]
    workers.send()
    assert (workers.unsent, len(sent)) == ([suspects[1]], 2)
    workers.in_flight.clear()
    workers.send()
    assert sent[2] is suspects[1]


def test_what_cannot_be_read_is_tried_a_few_times(sending: Sending[str]) -> None:
    workers = workers_with(sending)
    for _ in range(MAX_TRIES):
        workers.in_flight["future"] = sending
        workers.receive(("future", ValueError("cut off")))
    (end,) = workers.returned
    assert (end.key, end.games, end.error) == ("trial 3", (), "ValueError: cut off")


def test_an_answer_to_what_is_no_longer_in_flight_is_dropped(sending: Sending[str]) -> None:
    workers = workers_with(sending)
    workers.receive(("another", ValueError("late")))
    assert (len(workers), workers.unsent) == (1, [])
