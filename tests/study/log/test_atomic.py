"""On a full disk the old file stays, the error names it, and no temporary file is left."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from thetafront.study.log.manifest import write_json
from thetafront.study.report.style import save
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
