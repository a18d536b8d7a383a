"""Studies made by an earlier revision (0f585e4, in data/) open, resume, validate and export."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.study.made_studies import stored_games, stored_points
from thetafront.study.cli import app
from thetafront.study.store.storage import open_for_reading
from thetafront.study.store.trial_games import games_of

DATA = Path(__file__).parent / "data"
STUDIES = ("mcmdp", "pacman_small")
EXPECTED = {"mcmdp": "expected_score", "pacman_small": "expected_win_rate"}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A results folder with the studies' databases alone."""
    for name in STUDIES:
        (tmp_path / name).mkdir()
        shutil.copy(DATA / name / "study.db", tmp_path / name)
    return tmp_path


def thetafront(*words: str, results: Path) -> str:
    done = CliRunner().invoke(app, [*words, "--results", str(results)])
    assert done.exit_code == 0, done.output
    return done.stdout


def assert_has(found: pd.DataFrame, stored: pd.DataFrame) -> None:
    """Compare all columns that were stored; of a model's, only that they are there."""
    assert set(stored) <= set(found)
    exact = [c for c in stored if not c.startswith("posterior") and "on_front" not in c]
    pd.testing.assert_frame_equal(found[exact], stored[exact], check_dtype=False)


@pytest.mark.sweeps
@pytest.mark.parametrize("name", STUDIES)
def test_its_tables_are_exported_as_they_were(name: str, results: Path) -> None:
    thetafront("export", name, results=results)
    for table in ("games.csv", "trials.csv", "front.csv"):
        assert_has(pd.read_csv(results / name / table), pd.read_csv(DATA / name / table))


@pytest.mark.parametrize("name", STUDIES)
def test_a_point_is_picked(name: str, results: Path) -> None:
    words = ("pick", name, "--seconds-per-move", "0.001", "--games", "0", "--json")
    answer = json.loads(thetafront(*words, results=results))
    objective = EXPECTED[name]
    expected = answer[objective]
    assert expected["low95"] <= expected["mean"] <= expected["high95"]
    assert answer["p_within_limit"] >= 0.95
    assert answer["seconds_per_move"] < 0.001
    assert "4 points" in thetafront("status", name, results=results)


@pytest.mark.sweeps
def test_it_goes_on_with_two_more_trials_and_more_validation(results: Path) -> None:
    before, _, _ = open_for_reading("pacman_small", results)
    trials = before.get_trials()
    points = {point.key: point for point in stored_points(before)}
    words = ["sweep", "pacman_small", "--trials", "8", "--design-size", "4", "--replicates", "2"]
    words += ["--validation-points", "2", "--validation-games", "4", "--jobs", "1"]
    thetafront(*words, results=results)
    words = ["validate", "pacman_small", "--validation-points", "2", "--validation-games", "6"]
    thetafront(*words, "--jobs", "1", results=results)
    after, _, _ = open_for_reading("pacman_small", results)
    assert [each.state.name for each in after.trials] == ["COMPLETE"] * 8
    for old, new in zip(trials, after.trials[:6], strict=True):
        assert (new.params, new.values) == (old.params, old.values)
        assert stored_games(after, new) == games_of(old)
    validated = {point.key: point for point in stored_points(after)}
    assert max(len(point.games) for point in validated.values()) == 6
    for key, point in points.items():
        now = validated[key]
        assert (now.params, now.origin, now.number) == (point.params, point.origin, point.number)
        assert now.games.items() >= point.games.items()
