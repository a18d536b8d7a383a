"""Opening, resuming, refusing; and nothing damaged by a refusal."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import optuna
import pytest

from study.errors import InputError
from study.experiment import Experiment
from study.storage import (
    StudyRecord,
    create_or_resume,
    locked,
    make_folder,
    open_for_reading,
    place_of,
)
from study.sweep import Settings

SETTINGS = Settings(n_trials=4, seed=7)


def record(quick: Experiment, **changes: object) -> StudyRecord:
    return StudyRecord(**{**SETTINGS.record(quick).__dict__, **changes})


def test_a_study_lives_in_its_folder(tmp_path: Path) -> None:
    place = place_of("night", tmp_path, None)
    assert place.url == f"sqlite:///{tmp_path}/night/study.db"
    assert place.database == tmp_path / "night" / "study.db"


def test_a_password_is_not_shown(tmp_path: Path) -> None:
    place = place_of("night", tmp_path, "postgresql://me:secret@host/db")
    assert "secret" not in place.shown_url


@pytest.mark.parametrize("name", ["", "../up", "a/b", "-x", "a b", "x" * 65, "reference"])
def test_names_that_are_no_folder_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name: "):
        place_of(name, tmp_path, None)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"experiment": "other"}, "experiment quick, not other"),
        ({"seed": 8}, "seed 7, not 8"),
        ({"design": "lhs"}, "design sobol, not lhs"),
        ({"space": []}, "another search space"),
    ],
)
def test_another_study_under_the_same_name_is_refused(
    quick: Experiment, tmp_path: Path, change: dict[str, object], part: str
) -> None:
    place = place_of("s", tmp_path, None)
    place.folder.mkdir()
    create_or_resume(place, record(quick))
    create_or_resume(place, record(quick))
    with pytest.raises(InputError, match=part):
        create_or_resume(place, record(quick, **change))


def test_somebody_elses_optuna_study_is_refused(quick: Experiment, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/theirs.db"
    theirs = optuna.create_study(study_name="s", storage=url, directions=["maximize", "minimize"])
    theirs.set_user_attr("owner", "somebody")
    with pytest.raises(InputError, match="was not made by thetafront"):
        create_or_resume(place_of("s", tmp_path, url), record(quick))
    assert optuna.load_study(study_name="s", storage=url).user_attrs == {"owner": "somebody"}


def test_files_that_are_no_database_stay_as_they_are(quick: Experiment, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary, no database here")
    place = place_of("s", tmp_path, f"sqlite:///{path}")
    with pytest.raises(InputError, match="not a SQLite database"):
        create_or_resume(place, record(quick))
    assert path.read_text() == "dear diary, no database here"


def test_databases_of_something_else_stay_as_they_are(quick: Experiment, tmp_path: Path) -> None:
    path = tmp_path / "music.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE songs (title TEXT)")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"a database of something else \(its tables: songs\)"):
        create_or_resume(place_of("s", tmp_path, f"sqlite:///{path}"), record(quick))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("nonsense", "a database URL allowed"),
        ("sqlite:////no/such/folder/study.db", "folder '/no/such/folder' does not exist"),
        ("fancydb://host/x", "cannot be opened"),
        ("sqlite:////proc", "which is not a file"),
    ],
)
def test_storages_that_cannot_be_opened_are_named(
    quick: Experiment, tmp_path: Path, url: str, part: str
) -> None:
    with pytest.raises(InputError, match=part):
        create_or_resume(place_of("s", tmp_path, url), record(quick))


def test_folders_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        make_folder(tmp_path / "missing" / "s")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        make_folder(tmp_path / "file" / "s")
    with pytest.raises(InputError, match="cannot be"):
        make_folder(Path("/proc/s"))  # read-only, for root too


def test_reading_creates_nothing(tmp_path: Path, quick: Experiment) -> None:
    with pytest.raises(InputError, match=r"studies here: none"):
        open_for_reading("s", tmp_path)
    with pytest.raises(InputError, match="there is no study database"):
        open_for_reading(f"sqlite:///{tmp_path}/none.db", tmp_path)
    assert list(tmp_path.iterdir()) == []
    place = place_of("s", tmp_path, None)
    place.folder.mkdir()
    create_or_resume(place, record(quick))
    study, found, experiment = open_for_reading(place.url, tmp_path)
    assert (study.study_name, found.name, experiment) == ("s", "s", quick)
    with pytest.raises(InputError, match=r"'t' given; .* holds: s"):
        open_for_reading(place.url, tmp_path, "t")


def test_a_second_sweep_is_refused_and_told_who_holds_the_study(tmp_path: Path) -> None:
    place = place_of("s", tmp_path, None)
    place.folder.mkdir()
    program = (
        "import sys; from pathlib import Path; from study.storage import *\n"
        f"with locked(place_of('s', Path({str(tmp_path)!r}), None)):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {holder.pid} on "), locked(place):
            pass
        holder.kill()
        holder.wait()
        with locked(place):
            pass
