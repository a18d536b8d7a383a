"""Where a study is: names and folders that can be, and those that are refused."""

import os
import re
from pathlib import Path

import pytest
from sqlalchemy import make_url

from thetafront.study.errors import DamageError, InputError
from thetafront.study.log.location import locate, make_folder, study_context


def test_a_study_lives_in_its_folder(tmp_path: Path) -> None:
    location = locate("night", tmp_path, None)
    assert location.url == f"sqlite:///{tmp_path}/night/study.db"
    assert location.database == tmp_path / "night" / "study.db"


def test_folders_may_have_any_name(tmp_path: Path) -> None:
    """Unquoted, the database of a study in ``a?b`` would be ``a``."""
    for name in ("a?b", "a%20b", "a%2Fb", "a b#c", "ä"):
        location = locate("night", tmp_path / name, None)
        assert location.database == tmp_path / name / "night" / "study.db"
        assert make_url(location.url).database == str(location.database)


def test_a_password_is_not_shown(tmp_path: Path) -> None:
    for url in (
        "postgresql://me:secret@host/db",
        "postgresql://me:my secret@host/db",
        "postgresql://host/db?user=me&password=secret&x=1",
        "postgresql://host/db?user=me&password=my 'secret",
    ):
        assert "secret" not in locate("night", tmp_path, url).url_without_password
    for url in (
        "postgresql://me:my secret@host:port/db",
        "postgresql://me:my@secret@host/db",
        "postgresql://me@here:my@secret@host:port/db",
    ):
        shown = r"\(got 'postgresql://me(@here)?:\*\*\*@host(:port)?/db'\)$"
        with pytest.raises(InputError, match=shown):
            locate("night", tmp_path, url)


@pytest.mark.parametrize(
    ("results", "url", "words"),
    [
        ("results", "sqlite:///results/two/study.db", "two"),
        ("results", "sqlite:////a/two/study.db", "two --results /a"),
        ("st", "sqlite:////a/b/study.db", "sqlite:////a/b/study.db --name two --results st"),
        ("st", "postgresql://me:secret@h/s", "'postgresql://me:***@h/s' --name two --results st"),
    ],
)
def test_the_repair_of_a_damaged_study_names_its_storage(
    results: str, url: str, words: str
) -> None:
    """And the results folder: without its tables, a repair may lose what it need not lose."""
    command = f"`thetafront verify {words} --repair` repairs what it can"
    location = locate("one", Path(results), url).of_study("two")
    with (
        pytest.raises(DamageError, match=re.escape(f"study 'two': lost; {command}")),
        study_context(location),
    ):
        raise DamageError("lost")


@pytest.mark.parametrize("name", ["", "../up", "a/b", "-x", "a b", "x" * 65, "reference"])
def test_names_that_are_no_folder_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^name "):
        locate(name, tmp_path, None)


def test_folders_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        make_folder(tmp_path / "missing" / "s")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        make_folder(tmp_path / "file" / "s")
    with pytest.raises(InputError, match="cannot be"):
        make_folder(Path("/proc/s"))  # read-only, for root too


def test_a_study_of_ones_own_is_written_in_a_folder_of_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setattr(os, "access", lambda path, _: path != tmp_path)  # also for root
    make_folder(own)
    with pytest.raises(InputError, match=r"new' cannot be created: .* cannot be written"):
        make_folder(tmp_path / "new")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="own' cannot be written"):
        make_folder(own)
