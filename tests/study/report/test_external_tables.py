"""Tables, figures and texts of a study of a user's agent, which has no points and no moves."""

import csv
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from tests.study.external_games import Tosser, compressor, fill, record_of, tosser
from tests.study.made_studies import new_study, new_study_in, present, store_point
from thetafront.agents.agent import FailedGame
from thetafront.agents.external.report import ReportedGame
from thetafront.study.charts.scores import collect_samples, scores_chart
from thetafront.study.check.replay import Settings
from thetafront.study.check.verification import verify_folder
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.game_summary import MatchSummary
from thetafront.study.experiments.objectives.formats import elo
from thetafront.study.experiments.objectives.goals import exact, match, mean, rate
from thetafront.study.experiments.space import Space
from thetafront.study.log.location import locate
from thetafront.study.log.point import Point
from thetafront.study.log.storage import open_for_reading
from thetafront.study.log.study_data import StudyData
from thetafront.study.model.study_model import combine, fit_study
from thetafront.study.report.analysis import Analysis
from thetafront.study.report.export import write_tables
from thetafront.study.report.front_tables import print_front
from thetafront.study.report.played_rows import games_columns
from thetafront.study.report.status import status_lines
from thetafront.study.report.tables import (
    BAND,
    combined_front_frame,
    games_frame,
    predicted_front_frame,
    trials_frame,
    validated_frame,
)

__all__ = ["compressor", "tosser"]


@pytest.fixture
def data(compressor: Experiment) -> StudyData:
    study = new_study()
    fill(study, compressor)
    return StudyData.read(study, compressor)


@pytest.fixture
def results(tmp_path: Path, compressor: Experiment) -> Path:
    """A folder with the study `s`."""
    study = new_study_in(tmp_path, record_of(compressor))
    fill(study, compressor)
    return tmp_path


def test_games_have_a_column_a_field(data: StudyData) -> None:
    frame = games_frame(data)
    assert list(frame.columns) == [
        *("phase", "trial", "point", "origin", "replicate"),
        *("seed", "ratio_bits_per_char", "cpu_seconds"),
        *("energy", "reported_seed", "file", "none"),
    ]
    game = data.trials[2].games[1]
    row = frame[(frame["trial"] == 2) & (frame["replicate"] == 1)].iloc[0]
    assert row["ratio_bits_per_char"] == game.score
    assert row["energy"] == 0.005
    assert row["reported_seed"] == 3
    assert row["seed"] == game.seed
    assert row["file"] == f"a,{game.seed} b"


def test_games_that_failed_have_no_moves(tosser: Experiment) -> None:
    """With a penalty, they count as games, and their chart shows them, too."""
    punished = replace(tosser, goal=mean("heads", penalty=-5.0))
    study = new_study()
    fill(study, punished)
    games = {r: FailedGame(900_000 + r, "it failed") for r in range(3)}
    games |= {r: punished.build({"level": 50}).play(900_000 + r) for r in range(3, 9)}
    store_point(study, {"level": 50}, games)
    analysis = Analysis(StudyData.read(study, punished))
    (row,) = (each for each in analysis.rows if each["level"] == 50)
    assert row["n_moves_mean"] == 7.0
    samples = collect_samples(pd.DataFrame(analysis.rows), analysis.data, punished.goal)
    assert samples[row["point"]].mean() == pytest.approx(row["heads_mean"])


def test_moves_are_reported_where_there_are_some(data: StudyData, tosser: Experiment) -> None:
    study = new_study()
    fill(study, tosser)
    with_moves = StudyData.read(study, tosser)
    assert list(games_frame(with_moves).columns)[5:] == [
        *("seed", "heads", "n_moves", "cpu_seconds", "seconds_per_move", "energy"),
    ]
    for frame in (trials_frame(with_moves), pd.DataFrame(Analysis(with_moves).rows)):
        assert set(frame["n_moves_mean"]) == {7.0}
    for each in (data, with_moves):
        assert ("n_moves_mean" in trials_frame(each)) is (each is with_moves)
        assert ("n_moves_mean" in validated_frame(Analysis(each))) is (each is with_moves)


def test_tables_have_the_means_of_what_games_report(tosser: Experiment) -> None:
    study = new_study()
    fill(study, tosser)
    data = StudyData.read(study, tosser)
    for frame in (trials_frame(data), validated_frame(Analysis(data))):
        assert frame["mean_energy"].tolist() == frame["level"].tolist()


def test_the_mean_of_what_games_report_replaces_no_other_column(tosser: Experiment) -> None:
    """Here, a parameter and the goal have names that the column of a mean would have."""
    reported = {"energy": 50, "level": 2, "won_mean": 9, "won_min": 8}
    point = Point({"mean_level": 3.0}, games={0: ReportedGame(0, 1.0, 7, 0.1, reported)})
    level = next(iter(tosser.space))
    object.__setattr__(tosser, "space", Space((replace(level, name="mean_level"),)))
    object.__setattr__(tosser, "goal", mean("mean_won"))
    row = games_columns(point, tosser, False)
    assert (row["mean_energy"], "mean_level" in row) == (50.0, False)
    assert (row["mean_won_mean"], row["mean_won_min"]) == (1.0, 1.0)


def test_the_interval_of_elo_is_that_of_the_score(tosser: Experiment) -> None:
    """Also of a few games, whose interval depends on the games of other points."""
    study = new_study()
    experiment = replace(tosser, goal=match(), summary=MatchSummary(ReportedGame))
    fill(study, experiment)
    scores = [0.5, 0.75, *[1.0] * 6]  # of pairs
    games = [ReportedGame(r, score, 7, 1e-4, {"energy": 50}) for r, score in enumerate(scores)]
    store_point(study, {"level": 50}, dict(enumerate(games)))
    rows = Analysis(StudyData.read(study, experiment)).rows
    assert 8 in [row["n_games"] for row in rows]
    for row in rows:
        for end in ("mean", "low95", "high95"):
            assert row[f"elo_{end}"] == pytest.approx(elo(row[f"result_{end}"]))


GOALS = {
    "rate": rate("heads"),
    "mean": mean("result", low=0, high=1),
    "match": match(),
    "loss": mean("result", low=0, high=1, direction="minimize"),
    "one bound": mean("result", low=0, direction="minimize"),
    "exact": exact("error", low=0, high=1, direction="minimize"),
}


@pytest.mark.parametrize("name", GOALS)
def test_nothing_is_beyond_the_bounds_of_a_goal(
    name: str, tosser: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly always won or lost: tables and bands of before went to 1.19 and to −0.13."""
    goal = GOALS[name]

    def play(self: Tosser, seed: int) -> ReportedGame:
        lost = np.random.default_rng(seed).random() < 0.3 / self.level
        if goal.is_exact:
            return ReportedGame(
                seed, max(0.0, 0.3 - 0.1 * self.level), 7, 1e-4, {"energy": self.level}
            )
        score = float(lost == (goal.sign < 0))
        return ReportedGame(seed, score, 7, 1e-4 * self.level, {"energy": self.level})

    monkeypatch.setattr(Tosser, "play", play)
    experiment = replace(tosser, goal=goal)
    study = new_study()
    fill(study, experiment)
    data = StudyData.read(study, experiment)
    model = present(fit_study(data))
    combined = present(combine(model, data))
    low, high = goal.estimator.scale.low, goal.estimator.scale.high
    for frame in (
        trials_frame(data, model),
        validated_frame(Analysis(data)),
        predicted_front_frame(data, model),
        combined_front_frame(experiment, combined),
    ):
        ends = [f"{kind}_{end}" for kind in (goal.name, "posterior", "combined") for end in BAND]
        values = frame[[each for each in ends if each in frame]].to_numpy(float)
        values = values[np.isfinite(values)]
        assert len(values)
        assert (values >= low).all()
        assert (values <= high).all()
    if not goal.is_exact:
        row = Analysis(data).rows[1]
        own = [row[goal.column(end)] for end in BAND]
        assert own[2] - own[1] > 0.05 or np.isnan(own[1])
    out = Console(width=300, record=True)
    print_front(out, Analysis(data))
    assert not re.search(r"± 0(?![.\d])", out.export_text())


def test_the_chart_of_games_is_labelled_by_the_goal(data: StudyData) -> None:
    (panel,) = scores_chart(Analysis(data)).every_panel
    assert panel.x.title == "ratio of one game, bits/char"
    assert panel.x.low < -1e-4, "values below 0 are shown"


def test_nothing_speaks_of_points_or_moves(data: StudyData, results: Path) -> None:
    written = StringIO()
    print_front(Console(width=200, file=written), Analysis(data))
    text = written.getvalue()
    for word in ("ratio", "energy per game", "± 95%"):
        assert word in text
    assert "joules" in text
    for word in ("points", "score", "2048", "move"):
        assert word not in text
    said = "\n".join(status_lines(data, locate("s", results, None)))
    assert "bits/char·decades" in said


def test_files_of_an_export_and_the_tables_verified(
    results: Path, compressor: Experiment, no_processes: None
) -> None:
    study, _, _ = open_for_reading("s", results)
    location = locate("s", results, None)
    paths = write_tables(Analysis(StudyData.read(study, compressor)), location, results / "s")
    assert {path.name for path in paths} >= {"front.csv", "games.csv", "manifest.json"}
    settings = Settings(None, 1, Console(stderr=True))
    (results / "s" / "study.db").unlink()
    path = results / "s" / "games.csv"
    whole = path.read_text()
    assert verify_folder(results / "s", settings, repair=False).ok
    rows = list(csv.reader(whole.splitlines()))
    rows[3][6] = "0.25"
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    assert not verify_folder(results / "s", settings, repair=False).ok
    verify_folder(results / "s", settings, repair=True)
    assert path.read_text() == whole
