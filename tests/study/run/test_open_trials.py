"""Durations of what the parent writes, by a clock that only the test moves."""

from types import SimpleNamespace

import pytest

from study.run.open_trials import timed


def test_durations_are_appended(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([10.0, 12.0, 112.0, 117.0])
    clock = SimpleNamespace(monotonic=lambda: next(ticks))
    monkeypatch.setattr("study.run.open_trials.time", clock)
    durations: list[float] = []
    for _ in range(2):
        with timed(durations):
            pass
    assert durations == [2.0, 5.0]
