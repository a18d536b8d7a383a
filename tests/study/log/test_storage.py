"""Opening, resuming, refusing; and nothing damaged by a refusal."""

import errno
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from unittest.mock import Mock

import optuna
import pytest

from tests.study.experiments.definitions import COINS
from tests.study.made_studies import add_trials, new_study_in, store_coins
from tests.study.program import execute, invoked, refused
from thetafront.study.errors import DamageError, InputError, RunError
from thetafront.study.experiments.definition import Experiment
from thetafront.study.experiments.dimension import NumericParameter
from thetafront.study.experiments.objectives.costs import cpu_seconds, reported
from thetafront.study.experiments.objectives.goals import mean
from thetafront.study.experiments.players import BuiltinPlayer
from thetafront.study.experiments.registry import EXPERIMENTS
from thetafront.study.experiments.space import Space
from thetafront.study.log.invocation import called
from thetafront.study.log.location import Location, locate
from thetafront.study.log.lock import lock_holder, locked
from thetafront.study.log.log import Log
from thetafront.study.log.mirror import mirrored
from thetafront.study.log.storage import (
    check_playable,
    create_or_resume,
    existing,
    find_study,
    open_for_reading,
    prepare_location,
)
from thetafront.study.log.study_data import StudyData, store_run
from thetafront.study.log.study_record import StudyRecord
from thetafront.study.run.settings import SearchSettings

SETTINGS = SearchSettings(n_trials=4, seed=7)


def coin(x: float, seed: int) -> float:
    return float(seed % 2 < x)


def record(quick: Experiment, **changes: object) -> StudyRecord:
    return StudyRecord(**{**SETTINGS.record(quick).__dict__, **changes})


@pytest.fixture
def location(tmp_path: Path) -> Location:
    """Where a study ``s`` may be made."""
    found = locate("s", tmp_path, None)
    found.folder.mkdir()
    return found


KILLED_IN_A_COMMIT = """
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN IMMEDIATE")
database.execute("UPDATE thetafront_event SET record = record || ' '")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_within_a_commit_leaves_a_study_that_opens(
    quick: Experiment, tmp_path: Path, location: Location
) -> None:
    """SQLite leaves a journal then, which whoever opens the file next must be allowed to undo."""
    study = create_or_resume(location, record(quick))
    for n in range(400):
        store_run(study, {"note": "x" * 900}, n)
    subprocess.run([sys.executable, "-c", KILLED_IN_A_COMMIT, str(location.database)], check=False)
    assert location.database is not None
    journal = Path(f"{location.database}-journal")
    assert journal.stat().st_size > 0, "the kill must have come in the middle"
    opened, _, _ = open_for_reading("s", tmp_path)
    assert len(opened.rows().events) == 400
    create_or_resume(location, record(quick))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"experiment": "other"}, "experiment quick, not other"),
        ({"seed": 8}, "seed 7, not 8"),
        ({"design": "lhs"}, "design sobol, not lhs"),
        ({"space": []}, "another search space"),
        ({"fixed": {"layout": "small"}}, r"fixed \{\}, not \{'layout': 'small'\}"),
    ],
)
def test_another_study_under_the_same_name_is_refused(
    quick: Experiment, location: Location, change: dict[str, object], part: str
) -> None:
    create_or_resume(location, record(quick))
    create_or_resume(location, record(quick))
    with pytest.raises(InputError, match=part):
        create_or_resume(location, record(quick, **change))


def test_a_parameter_may_get_another_symbol(quick: Experiment, location: Location) -> None:
    create_or_resume(location, record(quick))
    renamed = [{**each, "symbol": "ξ"} for each in record(quick).space]
    create_or_resume(location, record(quick, space=renamed))


@pytest.mark.parametrize("directions", [["maximize", "minimize"], ["minimize"]])
def test_somebody_elses_optuna_study_is_refused(
    quick: Experiment, tmp_path: Path, directions: list[str]
) -> None:
    url = f"sqlite:///{tmp_path}/theirs.db"
    theirs = optuna.create_study(study_name="s", storage=url, directions=directions)
    theirs.set_user_attr("owner", "somebody")
    with pytest.raises(InputError, match="was not made by thetafront"):
        create_or_resume(locate("s", tmp_path, url), record(quick))
    assert optuna.load_study(study_name="s", storage=url).user_attrs == {"owner": "somebody"}


def songs(path: Path) -> None:
    execute(path, "CREATE TABLE songs (title TEXT)")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.write_text("dear diary, no database here"), "not a SQLite database"),
        (songs, "not a study database (its tables: songs)"),
    ],
)
def test_what_is_no_study_stays_as_it_is_and_gets_no_lock(
    make: Callable[[Path], object], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "notes"
    make(path)
    before = path.read_bytes()
    (tmp_path / "results").mkdir()
    results = str(tmp_path / "results")
    assert why in refused("sweep", "--storage", f"sqlite:///{path}", "--results", results)
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["notes", "results"]


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("nonsense", "storage must be a database URL"),
        ("sqlite:////no/such/folder/study.db", "folder '/no/such/folder' does not exist"),
        ("fancydb://host/x", "storage must be sqlite or postgresql"),
        ("mysql://me@host/x", "storage must be sqlite or postgresql"),
        ("sqlite:////proc", "is not a file"),
        ("sqlite://", "storage must name a file, as sqlite:///folder/study.db does"),
        ("sqlite:///", "storage must name a file, as sqlite:///"),
        ("postgresql://me:secret@host:x/db", "'postgresql://me:***@host:x/db'"),
        ("sqlite:///:memory:", "must name a file"),
        ("sqlite:///file:x.db?uri=true", "must be a plain path without parameters"),
        ("sqlite:///x.db?mode=ro", "must be a plain path without parameters"),
        ("sqlite+other:///x.db", "SQLite storage must be a URL such as sqlite:///"),
    ],
)
def test_storages_that_cannot_be_opened_are_named_and_leave_nothing(
    tmp_path: Path, url: str, part: str
) -> None:
    words = ("sweep", "--storage", url, "--results", str(tmp_path), "--trials", "1")
    assert part in refused(*words)
    assert list(tmp_path.iterdir()) == []


def test_a_database_whose_making_was_cut_short_is_completed(
    quick: Experiment, tmp_path: Path, location: Location
) -> None:
    """A kill between two of the statements that make the tables leaves some of them."""
    create_or_resume(location, record(quick))
    schema = sqlite3.connect(tmp_path / "s" / "study.db").execute(
        "SELECT sql FROM sqlite_master WHERE name = 'thetafront_point'"
    )
    (statement,) = schema.fetchone()
    partial = locate("t", tmp_path, None)
    partial.folder.mkdir()
    execute(tmp_path / "t" / "study.db", statement)
    with pytest.raises(InputError, match="holds none"):
        open_for_reading("t", tmp_path)
    study = create_or_resume(partial, record(quick))
    assert study.name == "t"


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:4096] + b"x" * (len(content) - 4096),
        lambda content: content.replace(b"thetafront_point (", b"thetafront_point \xc5"),
    ],
)
def test_a_damaged_database_is_one_line(
    damage: Callable[[bytes], bytes], tmp_path: Path, location: Location, quick: Experiment
) -> None:
    create_or_resume(location, record(quick))
    path = tmp_path / "s" / "study.db"
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    for command in (["status", "s"], ["sweep", "quick", "--name", "s"]):
        assert invoked(tmp_path, *command, code=1).stderr.count("\n") == 1
    assert path.read_bytes() == damaged


def test_a_damaged_row_of_a_study_is_told_before_a_sweep(
    location: Location, quick: Experiment
) -> None:
    """The table is there and has a row, which only reading its name finds damaged."""
    create_or_resume(location, record(quick))
    path = location.folder / "study.db"
    with sqlite3.connect(path) as database:
        query = "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?"
        page, size = database.execute(query, ["thetafront_study"]).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size + 100)  # beyond the page's header
        file.write(b"\xff" * (size - 100))
    with pytest.raises(DamageError, match=r"^storage: .* is damaged: .*malformed"):
        existing(location)


def test_the_repair_of_a_study_elsewhere_names_its_results_folder(
    quick: Experiment, tmp_path: Path
) -> None:
    location = locate("s", tmp_path / "st", f"sqlite:///{tmp_path}/d.db")
    location.folder.mkdir(parents=True)
    study = create_or_resume(location, record(quick))
    execute(tmp_path / "d.db", "UPDATE thetafront_study SET record = '{}'")
    hint = re.escape(f"verify {location.url} --name s --results {tmp_path}/st --repair`")
    for read in (lambda: existing(location), lambda: StudyData.read(study)):
        with pytest.raises(DamageError, match=hint):
            read()


def test_a_new_study_does_not_get_the_games_of_one_without_a_record(
    quick: Experiment, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/d.db"
    for name in ("a", "b"):
        location = locate(name, tmp_path, url)
        location.folder.mkdir()
        log = create_or_resume(location, record(quick))
        add_trials(log, quick)
        mirrored(log, quick, StudyData.read(log).trials)
    execute(tmp_path / "d.db", "DELETE FROM thetafront_study WHERE name = 'a'")
    optuna.create_study(study_name="mine", storage=url)
    with pytest.raises(DamageError, match="study 'a': record: missing; `thetafront verify"):
        create_or_resume(locate("a", tmp_path, url), record(quick))
    with pytest.raises(InputError, match=r"'c' does not exist; .* holds a, b, mine"):
        find_study(url, tmp_path, "c", may_lack=True)
    source, _ = find_study(url, tmp_path, "mine", may_lack=True)
    assert not isinstance(source, Log)
    found, _ = find_study(url, tmp_path, "a", may_lack=True)
    assert isinstance(found, Log)
    assert found.study == 1
    execute(tmp_path / "d.db", "DELETE FROM thetafront_study")
    execute(tmp_path / "d.db", "UPDATE thetafront_game SET study = 7 WHERE study = 2")
    new = create_or_resume(locate("c", tmp_path, url), record(quick))
    assert new.study == 8
    assert new.rows().problems() == []
    with pytest.raises(DamageError, match="'a': the records of 2 studies are missing; restore"):
        find_study(url, tmp_path, "a", may_lack=True)


def test_a_link_to_the_database_is_held_too(tmp_path: Path) -> None:
    (tmp_path / "one.db").touch()
    (tmp_path / "two.db").symlink_to(tmp_path / "one.db")
    one = locate("s", tmp_path, f"sqlite:///{tmp_path}/one.db")
    two = locate("s", tmp_path, f"sqlite:///{tmp_path}/two.db")
    assert lock_holder(one) == ""
    with locked(one):
        assert (tmp_path / ".one.db.lock").exists()
        assert f"process {os.getpid()} on" in lock_holder(two)
        with pytest.raises(RunError, match="is held by another run"), locked(two):
            pass
    assert lock_holder(two) == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.db", "two.db"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_lock_that_is_no_file_is_named_and_nobody_waits_for_it(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    location = locate("s", tmp_path, f"sqlite:///{tmp_path}/s.db")
    make(tmp_path / ".s.db.lock")
    with pytest.raises(InputError, match=r"^lock: '.*/\.s\.db\.lock' "), locked(location):
        pass
    with pytest.raises(InputError, match=r"^lock: '.*/\.s\.db\.lock' is not a file"):
        lock_holder(location)


def test_a_lock_for_which_there_is_no_room_is_named(
    location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", Mock(side_effect=OSError(errno.ENOSPC, "No space")))
        with pytest.raises(OSError, match=r"No space: '.*\.lock'"), locked(location):
            pass
    with locked(location):
        assert str(os.getpid()) in lock_holder(location)
    assert not list(location.folder.glob(".*"))


def test_a_database_that_links_to_itself_is_named(location: Location) -> None:
    (location.folder / "study.db").symlink_to("study.db")
    with pytest.raises(InputError, match="a link that leads to itself"):
        prepare_location(location)


def test_what_made_each_sweep_is_remembered(quick: Experiment, location: Location) -> None:
    study = create_or_resume(location, record(quick))
    for number in range(12):
        store_run(study, {"command_line": f"sweep {number}"})
    assert [run["command_line"] for run in StudyData.read(study).runs] == [
        f"sweep {n}" for n in range(12)
    ]


def test_reading_creates_nothing(tmp_path: Path, quick: Experiment) -> None:
    with pytest.raises(InputError, match=r"studies here: none"):
        open_for_reading("s", tmp_path)
    with pytest.raises(InputError, match="there is no study database"):
        open_for_reading(f"sqlite:///{tmp_path}/none.db", tmp_path)
    assert list(tmp_path.iterdir()) == []
    location = locate("s", tmp_path, None)
    location.folder.mkdir()
    create_or_resume(location, record(quick))
    _, found, data = open_for_reading(location.url, tmp_path)
    assert (data.name, found.name, data.experiment) == ("s", "s", quick)
    with pytest.raises(InputError, match=r"'t' does not exist; .* holds s"):
        open_for_reading(location.url, tmp_path, "t")


def test_a_second_sweep_is_refused_and_learns_who_holds_the_study(
    tmp_path: Path, location: Location
) -> None:
    program = (
        "import sys; from pathlib import Path; from thetafront.study.log.location import *\n"
        "from thetafront.study.log.lock import *\n"
        f"with locked(locate('s', Path({str(tmp_path)!r}), None)):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(RunError, match=f"process {holder.pid} on "), locked(location):
            pass
        holder.kill()
        holder.wait()
        with locked(location):
            pass


def test_an_empty_file_becomes_a_study(quick: Experiment, location: Location) -> None:
    """As a process leaves it that is killed between creating the file and its tables."""
    assert location.database is not None
    location.database.touch()
    assert existing(location) is None
    create_or_resume(location, record(quick))
    assert existing(location) is not None


def test_an_experiment_with_the_name_of_a_built_in_one_is_another(
    quick: Experiment, tmp_path: Path, location: Location
) -> None:
    built_in, own = SETTINGS.record(quick), SETTINGS.record(replace(quick, source="e.py:E"))
    create_or_resume(location, built_in)
    what = "the built-in experiment 'quick', not your own; give the same settings"
    with pytest.raises(InputError, match=what):
        create_or_resume(location, own)
    new_study_in(tmp_path, own, "own")
    what = "your own experiment 'quick', not the built-in one; give the same settings"
    with pytest.raises(InputError, match=what):
        new_study_in(tmp_path, built_in, "own")


def test_a_study_from_a_script_is_played_no_further_after_its_maze_has_changed(
    tmp_path: Path, location: Location
) -> None:
    maze = tmp_path / "own.lay"
    maze.write_text("%%%%%%%\n%P. .G%\n%%%%%%%\n")
    space = Space((NumericParameter("gamma", 0.5, 0.9),))
    own = Experiment("own", "pacman_mdp", space, mean(), fixed={"layout": str(maze)})
    create_or_resume(location, record(own))
    data = open_for_reading("s", tmp_path)[2]
    check_playable(location, data)
    maze.write_text("%%%%%%%\n%P...G%\n%%%%%%%\n")
    with pytest.raises(InputError, match=rf"^study: digest of layout {maze} is now \w+, not \w+$"):
        check_playable(location, data)


def test_an_open_cost_is_settled_before_definitions_are_compared() -> None:
    space = Space((NumericParameter("x", 0.0, 1.0),))
    references = {"seconds_per_game": 10.0}
    own = Experiment("own", coin, space, mean(), reference_score=0.0, reference_costs=references)
    for has_moves in (True, False):
        made = record(own.settled(has_moves))
        assert made.changes(made.made_with(own)) == []
    mine = record(replace(own, title="Mine"))
    assert record(own).changes(mine) == ["title is now Mine, not own"]


@pytest.mark.parametrize(
    ("old", "new", "call", "message"),
    [
        ("0.05", "0.06", "", "; to accept this, resume the sweep with --accept-change"),
        ("0.05", "0.06", "f()", "; to accept this, resume the sweep with accept_change"),
        ('"coins"', '"mine"', "", "title is now mine, not coins; *; first restore its name, coins"),
    ],
)
def test_a_changed_definition_is_refused_with_a_way_to_continue(
    tmp_path: Path, old: str, new: str, call: str, message: str
) -> None:
    store_coins(tmp_path, 1)
    (tmp_path / "coins.py").write_text(COINS.replace(old, new))
    _, location, data = open_for_reading("coins", tmp_path)
    with called(call), pytest.raises(InputError) as error:
        check_playable(location, data)
    assert fnmatch(str(error.value), f"*{message}")


def test_labels_of_earlier_versions_are_those_of_today() -> None:
    space = Space((NumericParameter("x", 0.0, 1.0),))
    today = [reported("nodes", per="game"), cpu_seconds("move")]
    for own in (today, [replace(each, label=f"price of a {each.name[-4:]}") for each in today]):
        now = Experiment("own", coin, space, mean(), own[0], costs=tuple(own))
        made = record(now)
        assert made.definition is not None
        for each in made.definition["content"]["costs"]:
            each["label"] = each["label"].replace(" per ", " a ")
        assert made.changes(record(now)) == []
        assert [each.label for each in made.experiment_as_made().costs] == [x.label for x in own]


def test_a_study_is_read_with_the_space_that_it_was_made_with(
    words: Experiment, tmp_path: Path, location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a parameter and a baseline added since, a sweep is refused, and reading works."""
    create_or_resume(location, record(words))
    added = NumericParameter("depth", 1, 5, integer=True)
    (six,) = words.baselines.values()
    baselines = {"old": six, "new": {**six, "depth": 2}}
    today = replace(  # its baseline would be refused if it were new
        words,
        agent=BuiltinPlayer(words.player.name, (words.goal, set(words.costs), baselines)),
        space=Space((*words.space, added)),
        baselines=baselines,
    )
    monkeypatch.setitem(EXPERIMENTS, "words", today)
    _, _, data = open_for_reading("s", tmp_path)
    found = data.experiment
    assert found.space == words.space
    assert found.baselines == {"old": six}
    with pytest.raises(InputError, match=r"made with another search space \(no depth\)"):
        create_or_resume(location, record(today))

    for unknown in (
        {"name": "depth", "shape": "round"},
        {"name": "mood", "choices": ["calm", "wild"]},
        {"name": "depth", "low": 0, "high": 5, "integer": True},
    ):
        with pytest.raises(InputError, match="a search space that this version does not know"):
            record(words, space=[unknown]).experiment_as_made()


def test_a_space_comes_back_from_its_record() -> None:
    for each in EXPERIMENTS.values():
        records = json.loads(json.dumps(each.space.as_records()))
        assert Space.from_records(records) == each.space


def test_an_empty_database_does_not_take_the_place_of_games(
    quick: Experiment, location: Location
) -> None:
    """What a truncated study has left is not written over by a new one."""
    (location.folder / "study.db").touch()
    (location.folder / "games.csv").write_text("dear\n")
    said = "has no trials, but .*games.csv' is left from a deleted study"
    with pytest.raises(InputError, match=said):
        create_or_resume(location, record(quick))
    results = str(location.folder.parent)
    assert re.search(said, refused("sweep", "quick", "--name", "s", "--results", results))
    assert (location.folder / "study.db").read_bytes() == b""
    assert (location.folder / "games.csv").read_text() == "dear\n"
    (location.folder / "games.csv").unlink()
    create_or_resume(location, record(quick))


def test_a_study_with_words_is_resumed_and_another_one_refused(
    words: Experiment, tmp_path: Path, location: Location
) -> None:
    create_or_resume(location, SETTINGS.record(words))
    create_or_resume(location, SETTINGS.record(words))
    _, _, data = open_for_reading("s", tmp_path)
    assert data.experiment == words
    assert data.record == SETTINGS.record(words)
    fewer = replace(words.space.categorical[0], choices=("score", "random"))
    numbers = [each for each in words.space if each.name != "leaf_value"]
    for space in (Space((*numbers, fewer)), Space(tuple(numbers))):
        other = SETTINGS.record(replace(words, space=space, baselines={}))
        with pytest.raises(InputError, match=r"space \(leaf_value score, weights_a, random\)"):
            create_or_resume(location, other)
