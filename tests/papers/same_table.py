"""Tables that are the same except for rounding."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

ROUNDING = 1e-9  # numpy adds in another order where a processor has wider registers


def check_same_table(path: Path, published: Path, but: Sequence[str] = ()) -> None:
    """Compare two CSV files, without some columns."""
    mine, theirs = (pd.read_csv(each) for each in (path, published))
    assert list(mine) == list(theirs), path.name
    left_out = [column for column in theirs if column in but]
    pd.testing.assert_frame_equal(
        mine.drop(columns=left_out),
        theirs.drop(columns=left_out),
        check_exact=False,
        rtol=ROUNDING,
        atol=0.0,
    )
