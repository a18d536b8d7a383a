"""Where scores are exact, trials are known: they are the front at once, and none is played twice.

The front and what is picked are compared with brute force over all trials.
"""

from pathlib import Path

import pytest
from rich.console import Console

from tests.study.program import succeeded
from thetafront.study.api import Study, sweep
from thetafront.study.check.replay import Settings
from thetafront.study.check.verification import verify_folder
from thetafront.study.log.study_data import StudyData

pytestmark = pytest.mark.usefixtures("no_processes")

DEFINITION = '''
"""An exact value, at a cost."""

from thetafront import Experiment, NumericParameter, Space, exact, reported


def play(seed: int, x: int, y: float) -> dict[str, float]:
    """Return the same for every seed, but for a little of the time."""
    work = x * (1.0 + y)
    return {"loss": 100.0 / x + 5.0 * (y - 0.3) ** 2, "work": work, "seconds": work * SECONDS}


SECONDS = 1e-3
SPACE = Space((NumericParameter("x", 1, 100, integer=True, log=True), NumericParameter("y", 0, 1)))
LOSS = exact("loss", direction="minimize")
TIMED = Experiment("timed", play, SPACE, goal=LOSS, cost=reported("seconds"))
MINE = {"mine": {"x": 7, "y": 0.1}}
COUNTED = Experiment("counted", play, SPACE, goal=LOSS, cost=reported("work"), baselines=MINE)
'''


def swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Study:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exactly.py").write_text(DEFINITION)
    return sweep(f"exactly.py:{name}", trials=24, jobs=1, sampler="random", progress=False)


def values_of(data: StudyData) -> dict[tuple[float, ...], tuple[float, float]]:
    """Loss and cost of every trial's θ, by hand."""
    return {
        tuple(each.params.values()): each.values  # type: ignore[misc]
        for each in data.trials
        if each.state == "complete"
    }


def front_of(values: dict[tuple[float, ...], tuple[float, float]]) -> set[tuple[float, ...]]:
    return {
        theta
        for theta, (loss, cost) in values.items()
        if not any(
            other != (loss, cost) and other[0] <= loss and other[1] <= cost
            for other in values.values()
        )
    }


@pytest.mark.sweeps
@pytest.mark.parametrize("name", ["COUNTED", "TIMED"])
def test_trials_are_the_front_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    study = swept(tmp_path, monkeypatch, name)
    values = values_of(study.data)
    assert len(values) == 24
    if name == "COUNTED":
        values[7.0, 0.1] = 100.0 / 7 + 5.0 * 0.2**2, 7 * 1.1  # the baseline, by hand
    table, cost = study.front, study.experiment.cost.name
    on_front = table[table["on_front"]]
    assert {tuple(row) for row in on_front[["x", "y"]].to_numpy().tolist()} == front_of(values)
    n_played = sum(len(point.games) for point in study.data.points)
    assert n_played == (3 * len(table) if name == "TIMED" else 1), "times, and the baseline once"
    margin = 1.3 if name == "TIMED" else 1.0  # times are known to some percent
    for cheap in sorted(each for _, each in values.values())[2::5]:
        best = min(loss for loss, each in values.values() if each <= cheap)
        picked = study.pick(**{cost: margin * cheap}, games=0)
        assert picked.goal.value <= best
        assert picked.goal.low == picked.goal.high == picked.goal.value
        assert "(exact)" in picked.text
        assert picked.cost.value <= margin * cheap
    assert (study.trials["n_games"] == 1).all()
    assert (table["loss_low95"] == table["loss_high95"]).all()
    said = succeeded(study.folder.parent, "status", study.name)
    assert "interval" not in said, "there is nothing to be unsure of"
    assert "nan" not in said
    assert (study.folder / "pareto.png").exists()
    assert not (study.folder / "scores.png").exists()
    report = verify_folder(study.folder, Settings(10, 1, Console(quiet=True)), repair=False)
    assert report.ok, [each.problems for each in report.checks]
