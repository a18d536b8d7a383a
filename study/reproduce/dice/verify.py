"""The table of three dice verified: all of its games are played again."""

from pathlib import Path

import pandas as pd

from study.errors import InputError
from study.report.tables import write_csv
from study.reproduce.dice.table import play_rows, scores_frame
from study.store.append_only import AppendOnlyFile
from study.verify.games_table import GAMES, heading_of
from study.verify.report import Check, Report
from study.verify.verification import copy_of

COLUMNS = ("recursion", "theta", "gamma", "first_seed", "n_games")


def verify_dice(folder: Path, repair: bool) -> Report | None:
    """Verify, and repair if asked to, a folder of three dice; None if it is another's."""
    path = folder / GAMES
    if heading_of(path)[:1] != [COLUMNS[0]]:
        return None
    check = compared(path)
    repaired = []
    if check.flaws and repair and check.n:
        with AppendOnlyFile(path, "a table of games").held(len):
            repaired.append(f"a copy as it was is {str(copy_of(path))!r}")
            write_csv(played(path), path)
        repaired.append(f"all {check.n:,} games played again")
        check = compared(path)
    return Report(f"games in {folder}", [check], repaired)


def stored(path: Path) -> pd.DataFrame:
    """Read the table as text, as far as it can be read."""
    return pd.read_csv(path, dtype=str, on_bad_lines="skip", encoding_errors="replace")


def played(path: Path) -> pd.DataFrame:
    """Play the table's games: as many a row as most rows have, from its smallest seed on."""
    frame = stored(path)
    if not set(COLUMNS) <= set(frame):
        raise InputError(f"{path}: no table of three dice of this version")
    frame["n_games"] = pd.to_numeric(frame["n_games"], errors="coerce")
    seeds = pd.to_numeric(frame["first_seed"], errors="coerce").dropna()
    n = int(frame.groupby(list(COLUMNS[:3]))["n_games"].sum().mode().iloc[-1])
    first = int(seeds.groupby(seeds).size().loc[lambda sizes: sizes > 1].index.min())
    return scores_frame(play_rows(range(first, first + n)))


def compared(path: Path) -> Check:
    """Compare the table with its games played again, line by line."""
    fresh = played(path).to_csv(index=False).splitlines()
    mine = path.read_bytes().decode(errors="replace").splitlines()
    n_games = sum(int(line.rpartition(",")[2]) for line in fresh[1:])
    check = Check("games played again", n_games, note=f"ok, all of {n_games:,}")
    for number in range(max(len(fresh), len(mine))):
        pair = [lines[number] if number < len(lines) else "nothing" for lines in (mine, fresh)]
        if pair[0] != pair[1]:
            check.flaws.append(f"line {number + 1}: {pair[0]!r} given, {pair[1]!r} played again")
    return check
