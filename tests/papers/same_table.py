"""Tables that are the same except for rounding."""

from collections.abc import Sequence
from math import isclose
from pathlib import Path

import pandas as pd

ROUNDING = 1e-9  # numpy adds in another order where a processor has wider registers


def check_same_table(path: Path, published: Path, but: Sequence[str] = ()) -> None:
    """Compare two CSV files, without some columns; only numbers with a point may be rounded."""
    mine, theirs = (pd.read_csv(each, dtype=str, na_filter=False) for each in (path, published))
    assert list(mine) == list(theirs), path.name
    assert len(mine) == len(theirs), path.name
    for column in theirs.columns.difference(but):
        for found, known in zip(mine[column], theirs[column], strict=True):
            assert is_same(found, known), f"{path.name}, {column}: {found}, not {known}"


def is_same(found: str, known: str) -> bool:
    """Return whether two cells have the same text, or the same number except for rounding."""
    if found == known:
        return True
    try:
        both = float(found), float(known)
    except ValueError:
        return False
    return "." in found and "." in known and isclose(*both, rel_tol=ROUNDING)
