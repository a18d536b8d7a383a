"""A damaged study: reading names what is damaged, verify finds it, --repair plays it again."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import optuna
import pandas as pd
import pytest

from tests.study.conftest import without_pictures
from tests.study.experiments.definitions import COINS
from tests.study.made_studies import new_study_in, store_coins, store_point, store_trial
from tests.study.program import execute, invoked, refused, succeeded
from thetafront.agents.external.report import ReportedGame
from thetafront.study.errors import DamageError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import cpu_seconds
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.registry import experiment
from thetafront.study.experiments.space import Space
from thetafront.study.log.location import locate
from thetafront.study.log.lock import locked
from thetafront.study.log.log import RECORD, Log, Rows, event, failure, point_row
from thetafront.study.log.seeds import search_seed, validation_seed
from thetafront.study.log.storage import open_for_games, open_for_reading
from thetafront.study.log.study_data import StudyData
from thetafront.study.run.settings import SearchSettings

DATA = Path(__file__).parents[1] / "log" / "data"
NAME = "pacman_small"
VERIFY = ("verify", NAME, "--games", "all", "--jobs", "1")
SWEEP = ("sweep", NAME, "--trials", "6", "--no-validation", "--jobs", "1")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with a study of an earlier revision, brought to today's, and exported."""
    folder = tmp_path_factory.mktemp("exported")
    with pytest.MonkeyPatch.context() as patched:
        without_pictures(patched)
        (folder / NAME).mkdir()
        shutil.copy(DATA / NAME / "study.db", folder / NAME)
        open_for_games(locate(NAME, folder, None))
        succeeded(folder, "export", NAME)
    return folder


@pytest.fixture
def results(exported: Path, tmp_path: Path, no_processes: None) -> Path:
    """A copy of it, whose games are played here."""
    shutil.copytree(exported, tmp_path, dirs_exist_ok=True)
    return tmp_path


def contents(results: Path, with_seconds: bool = True) -> list[object]:
    """What the study holds, but for times and what other machines round otherwise."""
    _, _, data = open_for_reading(NAME, results)
    found: list[object] = [data.record, data.runs]
    for each in (*data.trials, *data.points):
        games = {
            r: game if with_seconds else replace(game, seconds=0.0, residual_mean=0.0)
            for r, game in each.games.items()
        }
        found.append((each.number, each.origin, each.params, each.error, games))
    return found


GAME = " WHERE phase = 'search' AND number = 2 AND replicate = 1"
LAST = " WHERE sequence = (SELECT max(sequence) FROM thetafront_game)"
POINT = " WHERE phase = 'search' AND number = 2"
VALIDATED = " WHERE phase = 'validation' AND number = 1"
CHECKSUM = "its checksum is wrong"
DAMAGES = {
    "a game that is no JSON": ("UPDATE thetafront_game SET record = '{'" + GAME, CHECKSUM),
    "another score": ("UPDATE thetafront_game SET score = 7" + GAME, CHECKSUM),
    "no number": ("UPDATE thetafront_game SET n_moves = 'x'" + GAME, CHECKSUM),
    "a text that is no UTF-8": ("UPDATE thetafront_game SET machine = x'ff'" + GAME, CHECKSUM),
    "a game less": ("DELETE FROM thetafront_game" + GAME, "27 present, 28 were written"),
    "the last game": ("UPDATE thetafront_game SET score = 9" + LAST, CHECKSUM),
    "another replicate": ("UPDATE thetafront_game SET replicate = 77" + GAME, CHECKSUM),
    "a game of another trial": ("UPDATE thetafront_game SET number = 77" + GAME, CHECKSUM),
    "a game of another phase": ("UPDATE thetafront_game SET phase = 'x'" + GAME, CHECKSUM),
    "another parameter": (
        "UPDATE thetafront_point SET theta = json_set(theta, '$.gamma', 0.6)" + POINT,
        CHECKSUM,
    ),
    "a θ that is none": ("UPDATE thetafront_point SET theta = '[]'" + POINT, CHECKSUM),
    "a trial less": ("DELETE FROM thetafront_point" + POINT, "trial 2: missing"),
    "the last trial less": (
        "DELETE FROM thetafront_point WHERE phase = 'search' AND number = 5",
        "trial 5: missing",
    ),
    "a trial's number": ("UPDATE thetafront_point SET number = 9" + POINT, CHECKSUM),
    "a trial's phase": ("UPDATE thetafront_point SET phase = 'x'" + POINT, CHECKSUM),
    "a point less": ("DELETE FROM thetafront_point" + VALIDATED, "point 1: missing"),
    "a point's θ": (
        "UPDATE thetafront_point SET theta = json_set(theta, '$.gamma', 0.6)" + VALIDATED,
        CHECKSUM,
    ),
    "a point's origin": ("UPDATE thetafront_point SET origin = 'x'" + VALIDATED, CHECKSUM),
    "a run": ("DELETE FROM thetafront_event WHERE number = 0", "event 0: missing"),
    "a run's number": ("UPDATE thetafront_event SET number = -7 WHERE number = 0", "event -7: its"),
    "a run's time": ("UPDATE thetafront_event SET at = 0 WHERE number = 1", CHECKSUM),
    "the record": ("UPDATE thetafront_study SET record = '{}'", CHECKSUM),
    "the study's row": ("DELETE FROM thetafront_study", "record: missing"),
    "the study's name": ("UPDATE thetafront_study SET name = 'x'", "record: missing"),
    "the table of games": ("DROP TABLE thetafront_game", "no table thetafront_game"),
    "the table of points": ("DROP TABLE thetafront_point", "no table thetafront_point"),
    "the table of events": ("DROP TABLE thetafront_event", "no table thetafront_event"),
    "the table of studies": ("DROP TABLE thetafront_study", "no table thetafront_study"),
}
LOST_SECONDS = {
    "a game less",
    "a game that is no JSON",
    "another replicate",
    "a game of another trial",
    "a game of another phase",
    "the table of games",
}
"""Of such games nothing tells what the clock said."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named_found_and_mended(results: Path, damage: str) -> None:
    sql, named = DAMAGES[damage]
    database = results / NAME / "study.db"
    folder, is_timed = results / NAME, damage not in LOST_SECONDS
    before, trials = contents(results, is_timed), shown(folder)
    execute(database, sql)
    damaged = database.read_bytes()
    for words in (("status", NAME), SWEEP):
        error = invoked(results, *words, code=1).stderr
        assert named in error
        assert error.startswith("thetafront: ")
        assert error.count("\n") == 1
        assert "--repair`" in error
        assert database.read_bytes() == damaged
    invoked(results, *VERIFY, code=1)
    output = succeeded(results, *VERIFY, "--repair")
    assert "study.db.before-repair-1" in output
    assert "lost" not in output
    assert contents(results, is_timed) == before
    assert not is_timed or shown(folder) == trials


def shown(folder: Path) -> list[tuple[object, ...]]:
    """The trials as optuna shows them."""
    study = optuna.load_study(study_name=NAME, storage=f"sqlite:///{folder}/study.db")
    return [(each.number, each.state, each.params, each.values) for each in study.trials]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE trial_values SET value = 0.75 WHERE trial_value_id = 3",
        "UPDATE trial_values SET value = NULL WHERE trial_value_id = 3",
        "UPDATE trials SET state = 'HAPPY' WHERE number = 2",
        "DELETE FROM trial_params WHERE param_id = 1",
        "DROP TABLE trial_params",
        "DROP TABLE studies",
    ],
)
def test_optunas_copy_is_found_damaged_and_comes_back(results: Path, sql: str) -> None:
    """Nothing is read from it: all commands go on."""
    folder = results / NAME
    trials = shown(folder)
    execute(results / NAME / "study.db", sql)
    succeeded(results, "status", NAME)
    code = 0 if "DROP TABLE studies" in sql else 1
    invoked(results, *VERIFY, code=code)
    succeeded(results, *VERIFY, "--repair")
    if code:
        assert shown(folder) == trials


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE thetafront_event SET at = 0 WHERE number = "
        "(SELECT max(number) FROM thetafront_event WHERE kind = 'record')",
        "DELETE FROM thetafront_event WHERE kind = 'record'",
        "DELETE FROM thetafront_event",
    ],
)
def test_the_newest_record_remains_if_its_row_is_lost(results: Path, sql: str) -> None:
    source, _, data = open_for_reading(NAME, results)
    assert isinstance(source, Log)
    (gamma,) = (each for each in data.record.space if each["name"] == "gamma")
    ends = {key: gamma[key] for key in ("name", "low", "high")}
    for n in (1, 2):
        widened = [{**ends, "n_trials": 6, "at": ""}] * n
        newest = replace(data.record, widened=widened)
        source.write(event(RECORD, **newest.as_data()))
    source.write(event("run", index=len(data.runs), run={}))
    succeeded(results, "export", NAME)
    execute(results / NAME / "study.db", sql)
    succeeded(results, *VERIFY, "--repair")
    assert open_for_reading(NAME, results)[2].record == newest


def test_a_manifest_that_another_study_has_left_is_ignored(results: Path) -> None:
    _, _, data = open_for_reading(NAME, results)
    path = results / NAME / "manifest.json"
    widened = [{"name": "gamma", "low": 0.5, "high": 0.9, "n_trials": 6, "at": ""}]
    other = {"seed": 7, "widened": widened, "earlier_runs": [{"command_line": "x"}] * 9}
    path.write_text(json.dumps(json.loads(path.read_text()) | other))
    execute(results / NAME / "study.db", "UPDATE thetafront_game SET score = 7" + GAME)
    succeeded(results, *VERIFY, "--repair")
    after = open_for_reading(NAME, results)[2]
    assert (after.record, after.runs) == (data.record, data.runs)


def test_a_study_whose_trial_and_games_were_lost_continues(results: Path) -> None:
    """Its games are played again; optuna needs a time at which the trial began."""
    database = results / NAME / "study.db"
    games = contents(results, with_seconds=False)[2:]
    execute(database, "DELETE FROM thetafront_point" + POINT)
    execute(database, "DELETE FROM thetafront_game" + POINT)
    succeeded(results, *VERIFY, "--repair")
    assert contents(results, with_seconds=False)[2:] == games
    more = ("--trials", "7", "--design-size", "4", "--no-validation", "--jobs", "1")
    succeeded(results, "sweep", NAME, *more)
    assert len(shown(results / NAME)) == 7


def test_a_broken_page_of_optunas_copy_costs_nothing(results: Path) -> None:
    folder, before = results / NAME, contents(results)
    break_page(folder / "study.db", "studies")
    invoked(results, *VERIFY, code=1)
    succeeded(results, *VERIFY, "--repair")
    assert contents(results) == before
    assert len(shown(folder)) == 6


def test_the_last_game_of_a_killed_run_is_played_again(results: Path) -> None:
    """No later row counts it."""
    database = results / NAME / "study.db"
    games = contents(results, with_seconds=False)[2:]
    latest = "(SELECT max(at) FROM thetafront_game)"
    execute(database, f"DELETE FROM thetafront_event WHERE at >= {latest}")
    execute(database, DAMAGES["the last game"][0])
    assert "lost" not in succeeded(results, *VERIFY, "--repair")
    assert contents(results, with_seconds=False)[2:] == games


def test_games_that_are_played_again_belong_to_the_machine_of_the_others(results: Path) -> None:
    """If not, a study whose cost is a time could never be continued."""
    source, _, _ = open_for_reading(NAME, results)
    assert isinstance(source, Log)
    rows = source.rows()
    games = [row._replace(machine="a1") for row in rows.games]
    source.rebuild(Rows.numbered(rows.study, rows.points, games, rows.events))
    database = results / NAME / "study.db"
    execute(database, "UPDATE thetafront_game SET machine = 'zz'" + GAME)
    execute(database, "DELETE FROM thetafront_game WHERE phase = 'search' AND number = 3")
    succeeded(results, *VERIFY, "--repair")
    assert source.machines() == {"a1"}


def test_a_lost_trial_gets_no_more_games_than_it_had(results: Path) -> None:
    """Although another trial gets more, and games of points are lost, too."""
    before = contents(results)[2:]
    source, _, data = open_for_reading(NAME, results)
    assert isinstance(source, Log)
    source.write(point_row("search", 6, data.trials[0].params, "sampler", n_games=9))
    execute(results / NAME / "study.db", "DELETE FROM thetafront_point" + POINT)
    validated = "DELETE FROM thetafront_game WHERE phase = 'validation' AND replicate < 2"
    execute(results / NAME / "study.db", validated)
    invoked(results, *VERIFY, "--repair")
    assert contents(results)[2 : 2 + len(data.trials)] == before[: len(data.trials)]


def test_what_nothing_tells_is_named_as_lost(results: Path) -> None:
    """Without tables and copy, θ of a proposal is in its row alone; games of it are not."""
    folder = results / NAME
    open_for_games(locate(NAME, results, None)).write(failure(("search", 5), "it failed"))
    for path in folder.iterdir():
        if path.name != "study.db":
            path.unlink()
    optuna.delete_study(study_name=NAME, storage=f"sqlite:///{folder}/study.db")
    execute(results / NAME / "study.db", "UPDATE thetafront_point SET theta = '{}'" + VALIDATED)
    execute(
        results / NAME / "study.db",
        "DELETE FROM thetafront_point WHERE phase = 'search' AND number = 5",
    )
    mended = invoked(results, *VERIFY, "--repair")
    assert mended.stderr == "", "a sweep begins them again"
    text = " ".join(mended.stdout.split())
    assert "lost: trial 5 with 2 games: its θ cannot be recovered" in text
    assert "point 1 with" in text
    assert "5 complete" in succeeded(results, "status", NAME)
    succeeded(results, *VERIFY)
    succeeded(results, *SWEEP, "--design-size", "4")
    assert "6 complete" in succeeded(results, "status", NAME)


def break_page(path: Path, table: str) -> None:
    """Overwrite the first page of a table."""
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = database.execute(query, (table,)).fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = b"x" * size
    path.write_bytes(content)


def test_a_page_that_is_broken_costs_its_rows_alone(results: Path) -> None:
    """The log goes into a new file; what the page held is played again or told."""
    folder, before = results / NAME, contents(results, with_seconds=False)
    break_page(folder / "study.db", "thetafront_game")
    invoked(results, "status", NAME, code=1)
    invoked(results, *VERIFY, code=1)
    assert invoked(results, *VERIFY, "--repair").stderr == ""
    assert contents(results, with_seconds=False) == before


def test_a_file_whose_end_is_missing_is_repaired(results: Path) -> None:
    path, before = results / NAME / "study.db", contents(results, with_seconds=False)
    size = path.stat().st_size
    os.truncate(path, size - 8192)
    said = invoked(results, "status", NAME, code=1).stderr
    assert f"malformed; `thetafront verify {NAME} --results {results} --repair` repairs" in said
    invoked(results, *VERIFY, code=1)
    succeeded(results, *VERIFY, "--repair")
    assert contents(results, with_seconds=False) == before
    os.truncate(path, 8192)  # even the names of tables are lost
    for more in ((), ("--repair",)):
        said = invoked(results, *VERIFY, *more, code=1).stderr
        assert "malformed; it cannot be repaired, so restore a copy" in said


def test_a_repair_that_fails_leaves_no_copy(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no room, or the study cannot be read; a draft that a kill has left does no harm."""
    path = results / NAME / "study.db"
    before = contents(results, with_seconds=False)
    break_page(path, "thetafront_game")
    damaged, draft = path.read_bytes(), path.with_name(".study.db.part")
    path.with_name(".study.db.before-repair-1.part").symlink_to("/dev/full")
    invoked(results, *VERIFY, "--repair", code=1)
    with monkeypatch.context() as patched:
        patched.setattr(StudyData, "from_rows", Mock(side_effect=DamageError("no")))
        invoked(results, *VERIFY, "--repair", code=1)
    assert path.read_bytes() == damaged
    assert not list(path.parent.glob("*before-repair*"))
    draft.write_bytes((DATA / NAME / "study.db").read_bytes())
    succeeded(results, *VERIFY, "--repair")
    assert contents(results, with_seconds=False) == before
    assert path.with_name("study.db.before-repair-1").read_bytes() == damaged


def test_a_study_in_order_is_left_as_it_is(results: Path) -> None:
    path = results / NAME / "study.db"
    before = path.read_bytes()
    said = succeeded(results, *VERIFY, "--repair")
    assert "repaired" not in said
    assert "not read, because they are copies" in " ".join(said.split())
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*before-repair*"))


def without_seconds(path: Path) -> pd.DataFrame:
    """An exported table of games, but for what its clock said."""
    frame = pd.read_csv(path, dtype=str)
    return frame[[column for column in frame if "seconds" not in column]]


@pytest.mark.parametrize("number", [1, 2, -1])
def test_a_game_that_an_exported_table_lacks_is_missed(results: Path, number: int) -> None:
    (results / NAME / "study.db").unlink()
    path = results / NAME / "games.csv"
    whole = without_seconds(path)
    succeeded(results, *VERIFY)
    lines = path.read_text().splitlines()
    del lines[number]
    path.write_text("\n".join(lines) + "\n")
    output = invoked(results, *VERIFY, code=1).stdout
    assert "must have" in " ".join(output.split())
    succeeded(results, *VERIFY, "--repair")
    pd.testing.assert_frame_equal(without_seconds(path), whole)


def test_without_its_definition_a_study_is_checked_but_not_repaired(
    tmp_path: Path,
) -> None:
    database, words = tmp_path / "coins" / "study.db", ("verify", "coins", "--jobs", "1")
    store_coins(tmp_path, 2)
    (tmp_path / "coins.py").unlink()
    said = " ".join(succeeded(tmp_path, *words).split())
    assert "seeds │ 4 │ ok" in said
    assert "none: its definition" in said
    execute(database, "UPDATE thetafront_game SET score = 7 WHERE number = 1 AND replicate = 0")
    damaged = database.read_bytes()
    assert "trial 1, replicate 0" in " ".join(invoked(tmp_path, *words, code=1).stdout.split())
    refusal = invoked(tmp_path, *words, "--repair", code=2).stderr
    assert "'coins' cannot be repaired, because no game can be played again: its def" in refusal
    assert database.read_bytes() == damaged
    assert not list(database.parent.glob("*before-repair*"))


def test_a_theta_that_breaks_a_constraint_is_left_out(tmp_path: Path) -> None:
    """Earlier versions could play such a θ; its games remain."""
    space = Space((NumericParameter("x", 0.0, 1.0),), ("x < 0.5",))
    own = Experiment("own", lambda seed, x: x, space, mean(), cpu_seconds("game"))
    log = new_study_in(tmp_path, SearchSettings().record(own), "own")
    game = ReportedGame(0, 1.0, 9, 1e-3, {})
    store_trial(log, own, {"x": 0.25}, [replace(game, seed=search_seed(0, 0, 0))])
    for n, x in enumerate((0.4, 0.75)):
        store_point(log, {"x": x}, {0: replace(game, seed=validation_seed(0, n, 0))})
    broken = "point 1: {'x': 0.75} does not satisfy x < 0.5"
    assert broken in invoked(tmp_path, "status", "own", code=1).stderr
    assert broken in " ".join(invoked(tmp_path, "verify", "own", code=1).stdout.split())
    assert f"left out: {broken}" in succeeded(tmp_path, "verify", "own", "--repair")
    succeeded(tmp_path, "verify", "own")
    _, _, data = open_for_reading("own", tmp_path)
    assert [(len(each.games), bool(each.error)) for each in data.points] == [(1, False), (1, True)]
    open_for_games(locate("own", tmp_path, None)).write(failure(("validation", 1), ""))
    said = " ".join(invoked(tmp_path, "verify", "own", code=1).stdout.split())
    assert broken in said, "it counts again"


def test_a_theta_was_right_even_if_a_function_now_forbids_it(tmp_path: Path) -> None:
    rule = "(lambda theta: theta['effort'] < 50,),\n    ),\n    goal"
    text = COINS.replace(")\n    ),\n    goal", f"),\n        {rule}")
    (tmp_path / "coins.py").write_text(text)
    coins = experiment(f"{tmp_path}/coins.py").settled(True)
    theta = {"effort": 60, "side": "edge"}
    with pytest.raises(ValueError, match=r"constraint '<lambda>\(\)' is not satisfied"):
        coins.build(theta)
    log = new_study_in(tmp_path, SearchSettings().record(coins), "coins")
    store_trial(log, coins, theta, [coins.build_again(theta).play(search_seed(0, 0, 0))])
    said = " ".join(succeeded(tmp_path, "verify", "coins", "--jobs", "1").split())
    assert "games played again │ 1 │ ok (1 of 1 games)" in said


def test_a_repair_does_not_leave_out_a_theta_with_a_missing_value(tmp_path: Path) -> None:
    space = Space((NumericParameter("x", 0.0, 1.0), NumericParameter("y", 0.0, 1.0)), ("x < 0.5",))
    own = Experiment("own", lambda seed, x, y: x, space, mean(), cpu_seconds("game"))
    log = new_study_in(tmp_path, SearchSettings().record(own), "own")
    game = ReportedGame(0, 1.0, 9, 1e-3, {})
    store_trial(log, own, {"x": 0.2, "y": 0.3}, [replace(game, seed=search_seed(0, 0, 0))])
    store_point(log, {"x": 0.4}, {0: replace(game, seed=validation_seed(0, 0, 0))})
    assert "must be x, y (got x)" in invoked(tmp_path, "verify", "own", "--repair", code=1).stderr


def test_a_study_that_a_sweep_holds_is_not_repaired(results: Path) -> None:
    execute(results / NAME / "study.db", DAMAGES["another score"][0])
    with locked(locate(NAME, results, None)):
        invoked(results, *VERIFY, code=1)
        refusal = invoked(results, *VERIFY, "--repair", code=1).stderr
    assert "is held by another run" in refusal


@pytest.mark.parametrize("words", [("--games", "-1"), ("--games", "some"), ("--games", "9" * 30)])
def test_bad_numbers_of_games_are_refused(words: tuple[str, str]) -> None:
    error = refused("verify", NAME, *words)
    assert error.startswith("thetafront: games must be all, or between 0 and 1000000000 (got ")


def test_a_folder_without_games_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "nothing to verify" in refused("verify", "empty", "--results", str(tmp_path))


def test_the_tables_of_a_study_on_a_server_are_not_taken_for_the_study(tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "manifest.json").write_text('{"storage": "postgresql://h/s"}')
    error = refused("verify", "two", "--repair", "--results", str(tmp_path))
    assert "study 'two' is stored at postgresql://h/s; give that URL" in error
    assert "nothing to verify" in refused("verify", f"{tmp_path}/two", "--repair")
