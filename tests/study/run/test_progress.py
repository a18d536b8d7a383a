"""How far a run is: in a notebook one output that is written again; a budget's bar is of time."""

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from thetafront.study.run.budget import Budget
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.source import Snapshot, TaskList
from thetafront.study.run.workers import Workers
from thetafront.study.terminal import progress


def test_a_notebook_has_one_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs: list[list[str]] = []

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        texts = [data["text/plain"]]
        outputs.append(texts)
        return SimpleNamespace(update=lambda data, raw: texts.append(data["text/plain"]))

    fake = SimpleNamespace(display=display)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=fake))
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    console = Console(file=io.StringIO(), force_jupyter=True)
    shown = ProgressDisplay(console)
    dispatch = Dispatch(TaskList[int]([], print), Workers(1), shown)
    with shown:
        for done in range(100):
            now = done / 10.0
            shown.show(Snapshot("trials", done, 100, done, 100), dispatch)
    (texts,) = outputs
    first, *_, last = texts
    assert first == ""
    assert last.startswith("trials 99/100 · games 99/100 · "), "what came last is shown"
    assert 10 <= len(texts) <= 13, "once a second"


def test_the_bar_of_a_budget_is_of_its_time() -> None:
    """After 60 of 80 s, 20 of them kept for the report, all is done, whatever the trials are."""
    clock = [0.0]
    shown = ProgressDisplay(Console(file=io.StringIO()))
    budget = Budget(80.0, clock=lambda: clock[0], reserve=lambda: 20.0)
    dispatch = Dispatch(TaskList[int]([], print), Workers(1), shown, budget)
    for clock[0], share, left in (
        (0.0, 0.0, "1 min 00 s"),
        (15.0, 0.25, "45 s"),
        (60.0, 1.0, "0 s"),
    ):
        shown.show(Snapshot("trials", 3, 8, 3, 8), dispatch)
        assert shown.share == pytest.approx(share)
        assert shown.left == f"{left} of 1 min 20 s left"
        assert shown.figures[:2] == ["trials 3/8", "games 3"]
