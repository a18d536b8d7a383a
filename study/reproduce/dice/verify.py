"""The table of three dice verified: all of its games are played again."""

from csv import QUOTE_NONE
from pathlib import Path

import pandas as pd

from thetafront.agents.agent import LARGEST_SEED
from thetafront.study.errors import InputError
from thetafront.study.report.tables import write_csv
from thetafront.study.reproduce.dice.table import play_rows, scores_frame
from thetafront.study.store.append_only import AppendOnlyFile
from thetafront.study.verify.games_table import GAMES, heading_of
from thetafront.study.verify.report import Check, Report
from thetafront.study.verify.verification import copy_of

MOST_GAMES = 10**6
"""The most a row that a table is believed to have."""
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
    return pd.read_csv(
        path, dtype=str, on_bad_lines="skip", encoding_errors="replace", quoting=QUOTE_NONE
    )


def played(path: Path) -> pd.DataFrame:
    """Play the table's games: as many a row as most rows have, from its smallest seed on.

    InputError if it is no such table, or too little of it is left to tell which games these are.
    """
    frame = stored(path)
    if not set(COLUMNS) <= set(frame):
        raise InputError(f"{path}: no table of three dice of this version")
    frame["n_games"] = pd.to_numeric(frame["n_games"], errors="coerce")
    sums = frame.groupby(list(COLUMNS[:3]))["n_games"].sum()
    numbers = sums[sums.between(1, MOST_GAMES)].mode()
    words = frame["first_seed"].dropna()
    seeds = words[words.map(is_seed).astype(bool)].map(int)
    repeated = seeds[seeds.duplicated()]
    if numbers.empty or repeated.empty:
        raise InputError(f"{path}: too little is left to tell which games it held; restore it")
    n, first = int(numbers.iloc[-1]), min(repeated)
    return scores_frame(play_rows(range(first, first + n)))


def is_seed(word: str) -> bool:
    """Whether a word is a seed, with room for the games after it."""
    return word.isdecimal() and len(word) < len(str(LARGEST_SEED))


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
