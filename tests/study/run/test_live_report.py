"""Reports that are written while games are played."""

import math
import threading

import pytest

from thetafront.study.run.live_report import (
    EXPECTED_SECONDS,
    MAX_SHARE,
    SECONDS_BETWEEN_REPORTS,
    LiveReport,
)


class Written:
    """Counts reports, a clock and a stage beside them; each report takes some seconds."""

    def __init__(self, seconds: float = 1.0) -> None:
        self.n = 0
        self.now = 100.0
        self.stage = 0
        self.seconds = seconds
        self.error: Exception | None = None
        self.messages: list[str] = []
        self.n_plans = 0
        self.left = math.inf
        self.live = LiveReport(self.write, lambda: self.left, lambda: self.now, lambda: self.now)

    def write(self, is_whole: bool) -> None:
        assert threading.current_thread() is not threading.main_thread(), "the loop goes on"
        if not is_whole:
            self.n_plans += 1
            return
        self.now += self.seconds
        if self.error:
            raise self.error
        self.n += 1

    def turn(self, seconds: float = 0.0) -> int:
        """Let time pass, take a turn of the loop, and return how many reports there are then."""
        self.now += seconds
        self.messages += filter(None, [self.live.turn(self.stage)])
        self.live.finish()
        return self.n


def test_a_report_is_written_at_each_stage_and_once_a_minute() -> None:
    written = Written()
    assert written.turn(SECONDS_BETWEEN_REPORTS - 1.0) == 0
    assert written.turn(1.0) == 1
    assert written.turn(10.0) == 1
    written.stage = 1
    assert written.turn() == 2
    assert written.turn(10.0) == 2, "once a stage"
    written.stage = 2
    assert written.turn() == 3
    assert written.turn(SECONDS_BETWEEN_REPORTS - 2.0) == 3
    assert written.turn(1.0) == 4
    assert not written.n_plans


def test_where_a_report_would_take_too_long_the_plan_is_told_alone() -> None:
    """It follows when it takes a tenth of the time, or never, if the budget ends before."""
    for left, n in ((math.inf, 1), (2 * EXPECTED_SECONDS, 1), (EXPECTED_SECONDS, 0)):
        written = Written()
        written.stage, written.left = 1, left
        assert (written.turn(1.0), written.n_plans) == (0, 1)
        assert (written.turn(1.0), written.n_plans) == (0, 1)
        assert written.turn(EXPECTED_SECONDS / MAX_SHARE) == n
        assert written.turn(1.0) == n


def test_a_loaded_machine_takes_longer() -> None:
    """A tenth of the CPU, as the plan has shown: the first report is due ten times later."""
    written = Written()
    cpu = iter([0.0, 1.0])
    written.live.cpu_clock = lambda: next(cpu)
    written.live.clock = iter([0.0, 10.0]).__next__
    written.live.run(is_whole=False)
    assert written.live.seconds == 10 * EXPECTED_SECONDS


def test_a_study_that_has_grown_is_expected_to_take_longer() -> None:
    """Its rows are read and written: the time for them is left at the end of a budget."""
    live = LiveReport(print)
    live.cpu_seconds = 1.0
    live.n_rows = 100_000
    assert live.seconds == pytest.approx(EXPECTED_SECONDS + 15.0)


def test_a_report_of_one_phase_does_not_hold_up_the_next() -> None:
    """The loop of the next phase goes on while it is written, and has its own after it."""
    begun, go_on = threading.Event(), threading.Event()
    told: list[bool] = []

    def write(is_whole: bool) -> None:
        begun.set()
        assert go_on.wait(60)
        told.append(is_whole)

    live = LiveReport(write)
    live.turn(1)
    assert begun.wait(60)
    live.begin_phase()
    live.turn(1)
    assert told == []
    go_on.set()
    live.finish()
    assert told == [False]
    live.turn(1)
    live.finish()
    assert told == [False, False]
    live.finish()  # nothing is being written


def test_a_slow_report_is_written_less_often() -> None:
    """In a large study that takes half a minute, a tenth of the time, however long that is."""
    written = Written(seconds=30.0)
    assert written.turn(SECONDS_BETWEEN_REPORTS) == 1
    assert written.turn(30.0 / MAX_SHARE - 1.0) == 1
    assert written.turn(1.0) == 2


@pytest.mark.parametrize(
    ("error", "reason"), [(OSError("no space\nleft"), "no space left"), (KeyError(), "KeyError")]
)
def test_a_failure_is_said_once_and_games_continue(error: Exception, reason: str) -> None:
    written = Written()
    written.error = error
    for _ in range(3):
        assert written.turn(10 * SECONDS_BETWEEN_REPORTS) == 0
    assert written.messages == [f"tables and pictures cannot be written: {reason}; games continue"]
    written.error = None
    assert written.turn(10 * SECONDS_BETWEEN_REPORTS) == 1
