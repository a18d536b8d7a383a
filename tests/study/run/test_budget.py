"""Budgets of time: how they are written, and their clock."""

import math

import pytest

from thetafront.study.errors import InputError
from thetafront.study.run.budget import MAX_PAUSE, Budget, RunningTime, parse_seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("15m", 900.0),
        ("1h30m", 5400.0),
        ("2h", 7200.0),
        ("1h0m1s", 3601.0),
        ("1.5m", 90.0),
        ("0.25s", 0.25),
        ("8760h", 365 * 24 * 3600.0),
        ("none", math.inf),
    ],
)
def test_times_are_read(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


NO_TIMES = ["", "15", "15 m", "١٥m", "0s", "0h0m", "-5m", "m", "30m1h", "1d", "8761h", "inf"]
NO_TIMES += ["None", "1e3s", "٣m٣"]


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_seconds(text)
    assert str(refused.value) == (
        f"budget must be a time such as 90s, 15m or 1h30m, of at most 8760h, or none (got {text!r})"
    )


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_budget_is_spent_by_its_clock() -> None:
    clock = Hand()
    budget = Budget(100.0, clock)
    clock.now += 20.0
    assert (budget.left, budget.is_spent, budget.is_limited) == (80.0, False, True)
    clock.now += 1000.0
    assert (budget.left, budget.is_spent) == (0.0, True)
    assert Budget(100.0, clock).left == 100.0, "from when it is made"


def test_no_budget_is_never_spent() -> None:
    clock = Hand()
    budget = Budget(clock=clock)
    clock.now += 1e9
    assert (budget.left, budget.is_spent, budget.is_limited) == (math.inf, False, False)


def test_time_that_a_process_is_stopped_does_not_count() -> None:
    hand = Hand()
    clock = RunningTime(hand)
    budget = Budget(60.0, clock)
    for _ in range(20):
        hand.now += 0.5
        assert not budget.is_spent
    assert budget.left == 50.0
    hand.now += 10 * MAX_PAUSE  # Ctrl-Z, and fg
    assert budget.left == 50.0
    hand.now += 1.0
    assert budget.left == 49.0


def test_time_in_which_the_process_computes_is_no_pause() -> None:
    """A minute of a busy machine counts, a minute of Ctrl-Z does not."""
    wall, cpu = Hand(), Hand()
    clock = RunningTime(wall, cpu)
    wall.now, cpu.now = wall.now + 60.0, cpu.now + 5.0
    assert clock() == 60.0
    wall.now, cpu.now = wall.now + 60.0, cpu.now + 0.1
    assert clock() == 60.0
    wall.now += 1.0
    assert clock() == 61.0
