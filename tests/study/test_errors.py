"""Errors that name what a user can mend: a full disk by the file that was written."""

import errno
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from typer.testing import CliRunner

from study.cli import app
from study.drawing import save
from study.errors import naming
from study.manifest import write_json
from study.report import write_csv, write_text


def test_an_error_without_a_file_gets_one() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with (
        pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: 'a/b'$"),
        naming(Path("a/b")),
    ):
        raise full


def test_other_errors_stay_as_they_are() -> None:
    for error in (
        FileNotFoundError(errno.ENOENT, "gone", "other"),
        OSError("odd"),
        ValueError("x"),
    ):
        with pytest.raises(type(error)) as caught, naming(Path("a/b")):
            raise error
        assert caught.value is error


def test_a_full_disk_is_named_by_the_file_and_what_was_there_stays(tmp_path: Path) -> None:
    """The draft of each file is a link to a device that is always full."""
    path = tmp_path / "file"
    path.write_text("as it was")
    (tmp_path / ".file.part").symlink_to("/dev/full")
    figure = plt.figure(figsize=(1, 1))
    for write in (
        lambda: write_csv(pd.DataFrame({"a": [1]}), path),
        lambda: write_text("new", path),
        lambda: write_json({"a": 1}, path),
        lambda: save(figure, path),
    ):
        with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
            write()
        assert path.read_text() == "as it was"
    plt.close(figure)


def test_reproduce_says_in_one_line_which_file_did_not_fit(tmp_path: Path) -> None:
    """One file for all: what writes them names each, as above."""
    (tmp_path / ".dice.csv.part").symlink_to("/dev/full")
    words = ["reproduce", "dice", "--games", "10", "--output", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert (
        done.stderr
        == f"thetafront: [Errno 28] No space left on device: '{tmp_path / 'dice.csv'}'\n"
    )
