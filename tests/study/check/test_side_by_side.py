"""Validation games played side by side: stored, exported, verified and repaired as such."""

import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.study.made_studies import forge, new_study_in, store_point
from tests.study.program import execute, invoked, succeeded
from thetafront.agents.agent import Game
from thetafront.agents.twenty48.mcmdp import MonteCarloMDP
from thetafront.study.experiments.registry import experiment
from thetafront.study.log.location import locate
from thetafront.study.log.log import row_to_outcome
from thetafront.study.log.seeds import validation_seed
from thetafront.study.log.storage import open_for_games
from thetafront.study.run.settings import SearchSettings

THETA = {"theta1": 16, "theta2": 8, "theta3": 4, "theta4": 2, "theta5": 10.0, "theta6": 1.0}
FIRST = validation_seed(0, 0, 0)
N_ALONE, N = 3, 11
VERIFY = ("verify", "--games", "all", "--jobs", "1")


@pytest.fixture
def results(tmp_path: Path, no_pictures: None, no_processes: None) -> Path:
    """A study with a validated point: three games alone, eight side by side."""
    record = SearchSettings().record(experiment("mcmdp"))
    study = new_study_in(tmp_path, record, "mcmdp")
    agent = MonteCarloMDP(*THETA.values())
    alone = [agent.play(FIRST + r) for r in range(N_ALONE)]
    together = agent.play_side_by_side(range(FIRST + N_ALONE, FIRST + N))
    store_point(study, THETA, dict(enumerate([*alone, *together])))
    succeeded(tmp_path, "export", "mcmdp")
    return tmp_path


def published(results: Path) -> Path:
    """Return a copy of the study's folder without its database."""
    folder = results / "published"
    shutil.copytree(results / "mcmdp", folder, ignore=shutil.ignore_patterns("study.db*"))
    return folder


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
        assert "11" in invoked(results, *VERIFY, what).output


def test_a_changed_score_is_found_and_mended(results: Path) -> None:
    log = open_for_games(locate("mcmdp", results, None))
    game = row_to_outcome(log.rows().games[5])
    assert isinstance(game, Game)
    forge(log, 5, replace(game, score=4))
    assert "score 4, but" in invoked(results, *VERIFY, "mcmdp", code=1).output
    succeeded(results, *VERIFY, "mcmdp", "--repair")
    succeeded(results, *VERIFY, "mcmdp")


def test_a_game_that_is_lost_is_played_alone(results: Path) -> None:
    statement = "UPDATE thetafront_game SET record = '{}' WHERE replicate = 5"
    execute(results / "mcmdp" / "study.db", statement)
    invoked(results, *VERIFY, "mcmdp", code=1)
    succeeded(results, *VERIFY, "mcmdp", "--repair")
    succeeded(results, *VERIFY, "mcmdp")
    succeeded(results, "export", "mcmdp")
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
    assert "score 4, but" in invoked(results, *VERIFY, folder, code=1).output
    succeeded(results, *VERIFY, folder, "--repair")
    assert path.read_text().splitlines()[8] == lines[8]
