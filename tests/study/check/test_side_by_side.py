"""Validation games played side by side: stored, exported, verified and repaired as such."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.study.made_studies import forge, store_point
from thetafront.agents.agent import Game
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.study.check import replay
from thetafront.study.cli import app
from thetafront.study.experiments.registry import experiment
from thetafront.study.log.location import locate
from thetafront.study.log.log import row_to_outcome
from thetafront.study.log.seeds import validation_seed
from thetafront.study.log.storage import create_or_resume, open_for_games, prepare_location
from thetafront.study.page import results as results_written
from thetafront.study.page.document import BEGINNING
from thetafront.study.run.settings import SearchSettings
from thetafront.study.run.source import TaskList
from thetafront.study.run.workers import Finished

THETA = {"theta1": 16, "theta2": 8, "theta3": 4, "theta4": 2, "theta5": 10.0, "theta6": 1.0}
FIRST = validation_seed(0, 0, 0)
N_ALONE, N = 3, 11


def play_here(source: TaskList[int], *_: object) -> None:
    """Play what the workers would get, in this process."""
    while (task := source.next_task()) is not None:
        play = task.agent.play_side_by_side
        games = play(task.seeds) if task.side_by_side else (task.agent.play(task.seeds[0]),)
        source.record(Finished(task.key, games))


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study with a validated point: three games alone, eight side by side."""
    monkeypatch.setattr(replay, "play_here", play_here)
    monkeypatch.setattr(results_written, "draw", lambda *_: [])
    monkeypatch.setattr(results_written, "page_html", lambda *_, **__: BEGINNING)
    found = experiment("mcmdp")
    location = locate("mcmdp", tmp_path, None)
    prepare_location(location)
    study = create_or_resume(location, SearchSettings().record(found))
    agent = MonteCarloMDP(*THETA.values())
    alone = [agent.play(FIRST + r) for r in range(N_ALONE)]
    together = agent.play_side_by_side(range(FIRST + N_ALONE, FIRST + N))
    store_point(study, THETA, dict(enumerate([*alone, *together])))
    assert thetafront(tmp_path, "export", "mcmdp")[0] == 0
    return tmp_path


def thetafront(results: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*words, "--results", str(results)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout + done.stderr


def published(results: Path) -> Path:
    """Return a copy of the study's folder without its database."""
    folder = results / "published"
    shutil.copytree(results / "mcmdp", folder, ignore=shutil.ignore_patterns("study.db*"))
    return folder


def execute(results: Path, sql: str) -> None:
    with closing(sqlite3.connect(results / "mcmdp" / "study.db")) as database, database:
        assert database.execute(sql).rowcount == 1


def test_the_table_says_what_was_played_together(results: Path) -> None:
    table = pd.read_csv(results / "mcmdp" / "games.csv")
    assert len(table) == N
    alone, together = table[:N_ALONE], table[N_ALONE:]
    assert alone[["first_seed", "n_side_by_side"]].isna().all(axis=None)
    assert (together["first_seed"] == FIRST + N_ALONE).all()
    assert (together["n_side_by_side"] == N - N_ALONE).all()
    assert together["seconds_per_move"].isna().all()
    front = pd.read_csv(results / "mcmdp" / "front.csv").iloc[0]
    assert front["n_games"] == N
    assert front["score_mean_points"] == pytest.approx(table["score_points"].mean())
    expected = alone["cpu_seconds"].sum() / alone["n_moves"].sum()
    assert front["seconds_per_move"] == pytest.approx(expected)


def test_the_study_and_its_folder_are_verified(results: Path) -> None:
    for what in ("mcmdp", str(published(results))):
        code, text = thetafront(results, "verify", what, "--games", "all", "--jobs", "1")
        assert code == 0, text
        assert "11" in text


def test_a_changed_score_is_found_and_mended(results: Path) -> None:
    verify = ("verify", "mcmdp", "--games", "all", "--jobs", "1")
    log = open_for_games(locate("mcmdp", results, None))
    game = row_to_outcome(log.rows().games[5])
    assert isinstance(game, Game)
    forge(log, 5, replace(game, score=4))
    code, text = thetafront(results, *verify)
    assert code == 1
    assert "score 4, but" in text
    assert thetafront(results, *verify, "--repair")[0] == 0
    assert thetafront(results, *verify)[0] == 0


def test_a_game_that_is_lost_is_played_alone(results: Path) -> None:
    verify = ("verify", "mcmdp", "--games", "all", "--jobs", "1")
    execute(results, "UPDATE thetafront_game SET record = '{}' WHERE replicate = 5")
    assert thetafront(results, *verify)[0] == 1
    assert thetafront(results, *verify, "--repair")[0] == 0
    assert thetafront(results, *verify)[0] == 0
    assert thetafront(results, "export", "mcmdp")[0] == 0
    table = pd.read_csv(results / "mcmdp" / "games.csv")
    assert table["n_side_by_side"].isna().sum() == N_ALONE + 1


def test_a_changed_line_of_the_table_is_found_and_mended(results: Path) -> None:
    folder = str(published(results))
    path = results / "published" / "games.csv"
    lines = path.read_text().splitlines()
    words = lines[8].split(",")
    place = lines[0].split(",").index("score_points")
    words[place] = "4"
    path.write_text("\n".join([*lines[:8], ",".join(words), *lines[9:]]) + "\n")
    code, text = thetafront(results, "verify", folder, "--games", "all", "--jobs", "1")
    assert code == 1
    assert "score 4, but" in text
    mended = thetafront(results, "verify", folder, "--games", "all", "--jobs", "1", "--repair")
    assert mended[0] == 0, mended[1]
    assert path.read_text().splitlines()[8] == lines[8]
