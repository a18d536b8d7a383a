"""A timer: what it counts, by a clock that only the test moves."""

from types import SimpleNamespace

import pytest

from study.run.open_trials import Timer


def test_seconds_and_times_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running for 2 s and for 5 s, with 100 s in between: 7 s, 3.5 s each."""
    ticks = iter([10.0, 12.0, 112.0, 117.0])
    clock = SimpleNamespace(monotonic=lambda: next(ticks))
    monkeypatch.setattr("study.run.open_trials.time", clock)
    timer = Timer()
    assert timer.mean == 0.0
    for _ in range(2):
        with timer.running():
            pass
    assert (timer.seconds, timer.n, timer.mean) == (7.0, 2, 3.5)
