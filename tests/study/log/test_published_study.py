"""A study rebuilt from its published tables gives these tables again."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.study.conftest import Solver
from tests.study.made_studies import data_of, new_study, store_point, store_trial
from thetafront.study.errors import InputError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.log.location import locate
from thetafront.study.log.published_study import read_published
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import write_tables
from thetafront.study.report.pick_text import play_command

REFERENCE = Path(__file__).parents[3] / "results" / "reference"
PUBLISHED = (
    "dice_study",
    "heuristic",
    "highs",
    "mcmdp",
    "ntuple",
    "pacman",
    "switching",
    "uct",
    "zstd",
)
MEASURED = "front", "trials", "games"  # tables that do not depend on a search for a front


@pytest.mark.parametrize("name", PUBLISHED)
def test_tables_are_those_that_were_published(name: str) -> None:
    """Rounding, which differs between processors, can send the search for a front another way.

    Then the front has other points along nearly the same curve, and a certificate weighs others.
    """
    _, data = read_published(REFERENCE / name)
    tables = Analysis(data).tables
    published = {what: pd.read_csv(REFERENCE / name / f"{what}.csv") for what in tables}
    for what in MEASURED:
        numbers = published[what].select_dtypes("number")
        again = tables[what][list(numbers)].apply(pd.to_numeric).to_numpy(float)
        assert len(numbers)
        np.testing.assert_allclose(again, numbers.to_numpy(float), rtol=1e-3, err_msg=what)
    goal, cost = data.experiment.goal, data.experiment.cost.name
    for what, column, x in (
        ("predicted_front", goal.posterior_column("mean"), cost),
        ("combined_front", goal.combined_column("mean"), f"combined_{cost}"),
    ):
        old, new = published[what], tables[what]
        grid = np.geomspace(old[x].min(), old[x].max(), 200)
        ours, theirs = (np.interp(grid, each[x], each[column]) for each in (new, old))
        assert np.median(np.abs(ours - theirs)) <= 0.005 * np.ptp(theirs), what
    bounds = (each["certificate"]["regret_bound95"].mean() for each in (tables, published))
    assert next(bounds) == pytest.approx(next(bounds), rel=0.25)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_study_has_the_games_and_runs_of_its_manifest(name: str) -> None:
    location, data = read_published(REFERENCE / name)
    manifest = json.loads((REFERENCE / name / "manifest.json").read_text())
    assert location.name == data.name == manifest["study"]
    assert sum(len(each.games) for each in data.trials) == manifest["n_games_of_trials"]
    assert sum(len(each.games) for each in data.points) == manifest["n_games_of_validation"]
    assert [run["command_line"] for run in data.runs] == [
        *(run["command_line"] for run in manifest["earlier_runs"]),
        manifest["command_line"],
    ]
    assert data.record.space == manifest["space"]
    if not data.experiment.goal.is_exact:  # then a trial is a point, and no seed matters
        seeds = {game.seed for point in data.points for game in point.games.values()}
        assert len({point.number for point in data.points}) == len(data.points)
        assert len(seeds) == manifest["n_games_of_validation"]


def test_trials_that_a_table_lists_are_read_with_their_games(
    solver: Experiment, tmp_path: Path
) -> None:
    study, location = new_study(), locate("s", tmp_path, None)
    for sweeps in (2, 5, 10, 20, 50, 100):
        store_trial(study, solver, {"sweeps": sweeps}, [Solver(sweeps).play(sweeps)])
    store_point(study, {"sweeps": 50}, {0: Solver(50).play(500_000)})
    data = data_of(study, solver)
    made = Analysis(replace(data, record=replace(data.record, cost=solver.cost.name)))
    write_tables(made, location, location.folder)
    read = read_published(location.folder)[1]
    assert sorted(each.number for each in read.points)[-2:] == [-1, 0], "one is validated"
    again = Analysis(read)
    pd.testing.assert_frame_equal(again.tables["front"], made.tables["front"], check_dtype=False)
    assert {1, 2} == {*made.tables["front"]["n_games"]}


def test_games_side_by_side_are_not_timed() -> None:
    _, data = read_published(REFERENCE / "mcmdp")
    games = [game for point in data.points for game in point.games.values()]
    published = pd.read_csv(REFERENCE / "mcmdp" / "games.csv")
    assert sum(not game.is_timed for game in games) == published["first_seed"].notna().sum() > 0


def copy_of(folder: Path, into: Path) -> Path:
    return Path(shutil.copytree(folder, into / folder.name))


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'.*nowhere' does not exist"):
        read_published(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"has no manifest\.json"):
        read_published(tmp_path)
    folder = copy_of(REFERENCE / "dice_study", tmp_path)
    (folder / "games.csv").rename(folder / "elsewhere.csv")
    with pytest.raises(InputError, match=r"has no games\.csv"):
        read_published(folder)
    (folder / "elsewhere.csv").rename(folder / "games.csv")
    (folder / "manifest.json").write_text("[1]")
    with pytest.raises(InputError, match=r"manifest\.json is not a study manifest"):
        read_published(folder)


def test_theta_are_played_by_the_definition_in_the_folder_if_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copy_of(REFERENCE / "highs", tmp_path)
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["definition"]["source"] = "/disk c:/highs.py:HIGHS"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.chdir(tmp_path)
    for file in (copy / "highs.py", None):
        _, study = read_published(copy)
        command = play_command(study.experiment, study.points[0].params)
        assert command.partition(" --")[0] == (f"thetafront play {file}:HIGHS" if file else "")
        (copy / "highs.py").unlink(missing_ok=True)


def test_a_manifest_whose_earlier_runs_are_no_list_still_gives_the_study(tmp_path: Path) -> None:
    folder = copy_of(REFERENCE / "dice_study", tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "earlier_runs": {"jobs": 2}}))
    _, data = read_published(folder)
    assert data.record.space == manifest["space"]
    assert [run["command_line"] for run in data.runs] == [manifest["command_line"]]


@pytest.mark.parametrize(
    ("table", "old", "new", "said"),
    [
        ("games.csv", "search,1,", "search,1,1,", r"games\.csv is not a study table: line 3"),
        ("games.csv", "search,1,", "search,7777,", "trial 1 must have two finite values"),
        ("games.csv", "12.132734504794534", "many", r"games\.csv, line 3: not a game"),
        ("games.csv", "validation,,85f07897f0", "validation,,0000000000", r"front\.csv has no"),
        ("trials.csv", "complete", "done", r"trials\.csv, line 2: not a trial"),
        (
            "front.csv",
            "85f07897f0",
            "0000000000",
            r"front\.csv, line 2: θ is missing or does not match point",
        ),
        ("manifest.json", '_of_trials": 128', '_of_trials": 129', "128 games of phase search"),
    ],
)
def test_damaged_tables_are_refused(
    tmp_path: Path, table: str, old: str, new: str, said: str
) -> None:
    folder = copy_of(REFERENCE / "dice_study", tmp_path)
    text = (folder / table).read_text()
    assert old in text
    (folder / table).write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=said):
        read_published(folder)
