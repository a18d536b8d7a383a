"""On a full disk the old file stays, the error names it, and no temporary file is left."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from thetafront.study.charts.picture import save
from thetafront.study.log.atomic import atomic_write
from thetafront.study.log.manifest import write_json
from thetafront.study.report.tables import write_csv, write_text


def test_a_full_disk_is_named_by_the_file_and_what_was_there_stays(tmp_path: Path) -> None:
    """The draft of each file is a link to a device that is always full."""
    path = tmp_path / "file"
    path.write_text("a\nas it was")
    draft = tmp_path / ".file.part"
    figure = plt.figure(figsize=(1, 1))
    for write in (
        lambda: write_csv(pd.DataFrame({"a": [1]}), path),
        lambda: write_text("new", path),
        lambda: write_json({"a": 1}, path),
        lambda: save(figure, path),
    ):
        draft.symlink_to("/dev/full")
        with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
            write()
        assert path.read_text() == "a\nas it was"
        assert list(tmp_path.iterdir()) == [path], "the draft would go on filling the disk"
    write_text("new", path)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]
    plt.close(figure)


def test_those_who_write_the_same_file_at_once_do_so_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def write(letter: str) -> str:
        with atomic_write(path) as draft, draft.open("w") as file:
            for _ in range(5):
                file.write(letter)
                file.flush()
                sleep(0.01)
        return path.read_text()

    with ThreadPoolExecutor() as pool:
        assert all(text in {"aaaaa", "bbbbb", "ccccc"} for text in pool.map(write, "abc"))
    assert list(tmp_path.iterdir()) == [path]
