"""The loop: each game once, waiting for a proposal, and an end."""

import math
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import pytest

from thetafront.agents.twenty48.pmcts import PureMonteCarlo
from thetafront.study.run.budget import Budget
from thetafront.study.run.dispatch import Dispatch, Utilization, play_here
from thetafront.study.run.executor import Executor
from thetafront.study.run.source import GameSource, Snapshot
from thetafront.study.run.workers import Finished, Task, Workers

AGENT = PureMonteCarlo(2)


def test_utilization_is_the_time_in_games_over_the_time_of_all_workers() -> None:
    """Two workers from 10 s to 14 s are 8 s of work; 3 + 1 + 2 of them were games."""
    used = Utilization(jobs=2)
    assert math.isnan(used.share)
    for began, ended in [(10.5, 13.5), (10.0, 11.0), (12.0, 14.0)]:
        used.add(began, ended, cpu_seconds=2.0)
    assert (used.first, used.last, used.busy_seconds) == (10.0, 14.0, 6.0)
    assert used.share == pytest.approx(6.0 / 8.0)
    assert used.mean_seconds == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("cpu_seconds", "load", "is_loaded"),
    [
        (0.4, math.nan, False),
        (7.9, 8.0 / 7.9, False),
        (5.0, 1.6, True),
        (math.nan, math.nan, False),  # it is another process's
    ],
)
def test_games_that_wait_for_other_programs_are_noticed(
    cpu_seconds: float, load: float, is_loaded: bool
) -> None:
    """Two games of 4 s each, without a rest; a fraction of a CPU second tells nothing."""
    used = Utilization(jobs=2)
    assert math.isnan(used.load)
    used.add(0.0, 4.0, cpu_seconds / 2)
    used.add(0.0, 4.0, cpu_seconds / 2)
    assert used.load == pytest.approx(load, nan_ok=True)
    assert used.is_loaded is is_loaded
    assert used.share == 1.0


def test_workers_that_come_and_go_count_while_they_are_there() -> None:
    """One for 2 s, three for 1 s, none for 1 s, two for 1 s: 7 s of workers; 5.5 in games."""
    used = Utilization(jobs=1)
    used.changes += [(12.0, 3), (13.0, 0), (14.0, 2), (15.5, 8)]
    used.add(10.0, 13.0, 1.0)
    used.add(12.5, 15.0, 1.0)
    assert used.worker_seconds == pytest.approx(7.0)
    assert used.share == pytest.approx(5.5 / 7.0)


class Script(GameSource[int]):
    """Hands out games from batches; each but the first is ready after some thinking."""

    def __init__(self, batches: Sequence[Sequence[int]], thought_seconds: float = 0.0) -> None:
        self.ready = list(batches[0])
        self.later = [list(batch) for batch in batches[1:]]
        self.thought_seconds = thought_seconds
        self.future: Future[None] | None = None
        self.finished: list[Finished[int]] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.n_thoughts_alone = 0
        self.think()

    def think(self) -> None:
        """Begin the next thought, if there is one."""
        self.future = Future() if self.later else None
        if self.future is not None:
            timer = threading.Timer(self.thought_seconds, self.future.set_result, [None])
            timer.daemon = True
            timer.start()

    def next_task(self) -> Task[int] | None:
        if self.future is not None and self.future.done():
            self.ready += self.later.pop(0)
            self.think()
        if not self.ready:
            self.n_thoughts_alone += self.future is not None and not self.in_flight
            return None
        seed = self.ready.pop(0)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        return Task(seed, AGENT, (seed,))

    def pending_proposal(self) -> "Future[Any] | None":
        return self.future

    def record(self, finished: Finished[int]) -> None:
        self.in_flight -= 1
        self.finished.append(finished)

    def snapshot(self) -> Snapshot:
        return Snapshot("games", 0, 0, len(self.finished), 0)

    def close(self) -> None:
        self.closed = True


class Noted:
    """A display that notes what it is shown."""

    def __init__(self) -> None:
        self.changes: list[int] = []
        self.messages: list[str] = []

    def show(self, now: Snapshot, dispatch: Dispatch[Any]) -> None:
        assert now.n_games_done == dispatch.n_games
        self.changes.append(now.n_games_done)

    def message(self, text: str) -> None:
        self.messages.append(text)


def test_everything_is_played_exactly_once() -> None:
    """Two workers, three batches, one of them empty: all games, each with its own seed."""
    source = Script([range(8), [], range(8, 13)])
    display = Noted()
    dispatch = play_here(source, 2, display)
    assert sorted(finished.key for finished in source.finished) == list(range(13))
    for finished in source.finished:
        (game,), expected = finished.games, AGENT.play(finished.key)
        assert (game.seed, game.score) == (finished.key, expected.score)
        assert game.end_board == expected.end_board
    # Those in flight, and those that came back together with the one being stored.
    assert source.most_in_flight < 2 * 2 * GameSource.tasks_per_worker
    assert dispatch.n_games == display.changes[-1] == 13
    assert display.changes == sorted(display.changes)
    assert (dispatch.workers.n_deaths, display.messages) == (0, [])
    assert source.closed
    assert dispatch.utilization.jobs == 2
    assert 0.0 < dispatch.utilization.share <= 1.0
    assert dispatch.seconds > 0.0


@pytest.mark.usefixtures("no_processes")
def test_a_proposal_is_awaited_when_no_game_is_in_flight() -> None:
    """Its games are played though nothing else was; a loop that spins would look far more often."""
    source = Script([[], [1], [2, 3]], thought_seconds=0.7)
    display = Noted()
    dispatch = play_here(source, 1, display)
    assert len(display.changes) <= 20 + 4 * dispatch.seconds
    assert [finished.key for finished in source.finished] == [1, 2, 3]
    assert source.n_thoughts_alone > 0
    assert dispatch.seconds > 1.3


@pytest.mark.usefixtures("no_processes")
def test_without_game_or_thought_it_ends_at_once() -> None:
    source = Script([[]])
    dispatch = play_here(source, 1, Noted())
    assert source.finished == []
    assert dispatch.n_games == 0
    assert math.isnan(dispatch.utilization.share)


@pytest.mark.usefixtures("no_processes")
def test_no_game_begins_when_the_budget_is_spent_and_those_in_flight_are_finished() -> None:
    """Nor is one put into the line that would begin later; a thought is not waited for."""
    source = Script([range(10**6), [10**6]], thought_seconds=3600.0)
    with Workers[int](2) as workers:
        dispatch = Dispatch(source, workers, Noted(), Budget(1.5))
        dispatch.run()
    assert dispatch.budget.is_spent
    assert 0 < dispatch.n_games < 10**6
    assert source.in_flight == 0
    assert len({finished.key for finished in source.finished}) == dispatch.n_games


def test_a_game_that_outlasts_the_budget_is_ended() -> None:
    """The clock of the budget runs past its end at the second look at it."""
    looks = iter([0.0, *[1.0] * 8])
    source, display = Script([range(2)]), Noted()
    workers = Asleep(1)
    Dispatch(source, workers, display, Budget(10.0, lambda: next(looks, 11.6))).run()
    assert len(workers) == 0, "stopped"
    assert source.finished == []
    assert display.messages == ["games that outlast the budget are stopped, and played again later"]


@pytest.mark.parametrize(("left", "n_in_line"), [(math.inf, 6), (4.5, 4), (2.5, 2), (0.0, 0)])
def test_the_line_is_as_long_as_the_budget_allows(left: float, n_in_line: int) -> None:
    """Two workers, games of 3 s: the second in a worker's line begins in 3 s."""
    source = Script([range(10)])
    workers = Asleep(2)
    dispatch = Dispatch(source, workers, Noted(), Budget(left, lambda: 0.0))
    dispatch.utilization.add(0.0, 3.0, 3.0)
    dispatch.hand_out()
    assert len(workers.line) == n_in_line


@pytest.mark.parametrize(
    ("left", "seconds_left", "n_games"),
    [(math.inf, 30.0, 100), (20.0, 20.0, 80), (99.0, 30.0, 100)],
)
def test_what_is_expected_ends_with_the_budget(
    left: float, seconds_left: float, n_games: int
) -> None:
    """20 games in 10 s, 40 there in all, 100 wanted; a phase may have a part of the budget only."""
    dispatch = Dispatch(Script([[]]), Asleep(2), Noted(), Budget(left, lambda: 0.0))
    assert dispatch.seconds == 0.0
    now = Snapshot("games", 0, 0, 40, 100)
    assert math.isnan(dispatch.seconds_left(now))
    unknown = None if math.isfinite(left) else 100  # a limit far off tells nobody anything
    assert dispatch.n_games_expected(now) == unknown
    dispatch.n_games, dispatch.began = 20, -10.0
    assert dispatch.seconds_left(now) == pytest.approx(seconds_left)
    assert dispatch.n_games_expected(now) == n_games
    dispatch.limit = Budget(5.0, lambda: 0.0)
    assert dispatch.seconds_left(now) == 5.0


class Asleep(Executor[int]):
    """Workers of whom nothing comes back; notes what each look waits for."""

    place = "nowhere"
    capacity = 0

    def __init__(self, jobs: int, max_looks: int = 99) -> None:
        super().__init__()
        self.line: list[Task[int]] = []
        self.capacity, self.max_looks = jobs, max_looks
        self.looks: list[Any] = []

    def __enter__(self) -> "Asleep":
        return self

    def __exit__(self, *_: object) -> None:
        """Leave."""

    def __len__(self) -> int:
        return len(self.line)

    def submit(self, task: Task[int]) -> None:
        self.line.append(task)

    def collect(self, timeout: float, also: object = None) -> None:
        self.looks.append((len(self.line), also))
        if len(self.looks) > self.max_looks:
            raise KeyboardInterrupt

    def stop(self) -> None:
        self.line.clear()


@pytest.mark.parametrize(("n_games", "awaited"), [(9, False), (1, True)])
def test_a_ready_proposal_wakes_only_sources_with_room_for_its_games(
    n_games: int, awaited: bool
) -> None:
    """Otherwise the loop would spin, on a core of the workers', until a game ends."""
    source = Script([range(n_games), [100]], thought_seconds=3600.0)
    workers = Asleep(1, max_looks=3)
    with pytest.raises(KeyboardInterrupt):
        Dispatch(source, workers, Noted()).play()
    n_in_line = min(n_games, GameSource.tasks_per_worker)
    assert workers.looks == [(n_in_line, source.future if awaited else None)] * 4


def test_where_nobody_plays_yet_games_wait_for_whoever_comes() -> None:
    class Late(Asleep):
        def collect(self, timeout: float, also: object = None) -> None:
            self.looks.append(len(self.line))
            if len(self.looks) == 2:
                self.capacity = 2
            if self.capacity:
                self.returned += [Finished(each.key, (played,)) for each in self.line]
                self.line.clear()

    played = AGENT.play(1)
    source = Script([range(5)])
    workers = Late(0)
    Dispatch(source, workers, Noted()).play()
    assert workers.looks[0] == GameSource.tasks_per_worker
    assert len(source.finished) == 5
