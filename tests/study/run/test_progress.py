"""Progress in a notebook: one output that is written again, not a line each time."""

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from thetafront.study.check.replay import Replays
from thetafront.study.run import progress
from thetafront.study.run.dispatch import Dispatch
from thetafront.study.run.progress import ProgressDisplay
from thetafront.study.run.source import Snapshot
from thetafront.study.run.workers import Workers


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
    dispatch = Dispatch(Replays([], ""), Workers(1), shown)
    with shown:
        for done in range(100):
            now = done / 10.0
            shown.show(Snapshot("trials", done, 100, done, 100), dispatch)
    (texts,) = outputs
    first, *_, last = texts
    assert first == ""
    assert last.startswith("trials 99/100 · games 99/100 · "), "what came last is shown"
    assert 10 <= len(texts) <= 13, "once a second"
