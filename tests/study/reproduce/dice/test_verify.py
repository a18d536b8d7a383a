"""A damaged table of three dice: mended, or refused in one line."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from thetafront.study.errors import InputError
from thetafront.study.report.tables import write_csv
from thetafront.study.reproduce.dice.table import play_rows, scores_frame
from thetafront.study.reproduce.dice.verify import verify_dice


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table of twenty games a row."""
    write_csv(scores_frame(play_rows(range(7, 27))), tmp_path / "games.csv")
    return tmp_path


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(",7,", ",x,", 1),
        lambda text: text.replace(",7,", ',7,"', 1),
        lambda text: text.replace(",7,", ",9e99,", 1),
        lambda text: text.replace(",7,", "," + "9" * 5000 + ",", 1),
        lambda text: re.sub(r",1$", ",99999999999999999999", text, count=1, flags=re.MULTILINE),
        lambda text: text + "one more",
    ],
)
def test_a_damaged_table_is_mended(folder: Path, damage: Callable[[str], str]) -> None:
    path = folder / "games.csv"
    whole = path.read_text()
    path.write_text(damage(whole))
    assert path.read_text() != whole
    found = verify_dice(folder, False)
    assert found is not None
    assert not found.ok
    mended = verify_dice(folder, True)
    assert mended is not None
    assert mended.ok
    assert path.read_text() == whole


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.splitlines()[0] + "\n",
        lambda text: "\n".join(text.splitlines()[:2]) + "\n",
        lambda text: re.sub(r",\d+$", ",?", text, flags=re.MULTILINE),
        lambda text: re.sub(r",\d+$", ",99999999999999999999", text, flags=re.MULTILINE),
    ],
)
def test_a_table_of_which_too_little_is_left_is_refused(
    folder: Path, damage: Callable[[str], str]
) -> None:
    path = folder / "games.csv"
    damaged = damage(path.read_text())
    path.write_text(damaged)
    for repair in (False, True):
        with pytest.raises(InputError, match=r"games.csv: too little is left to tell which games"):
            verify_dice(folder, repair)
    assert path.read_text() == damaged
    assert [each.name for each in folder.iterdir()] == ["games.csv"]
