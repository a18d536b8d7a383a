"""Damage drill: a study and a table of games are damaged in many ways, read, verified, repaired.

    python -m tests.drills.damage [--n 200] [--seed 0]

Each round damages a fresh copy: a stored value, a row, a table, bytes of the database, its length,
or a line of ``games.csv``. Then every command that reads it runs. Required of each: no traceback,
one line of error at most, exit code 0, 1 or 2. ``verify --games all`` must find what changes the
exported tables (but for seconds and texts, which nothing tells), and be content after ``--repair``
unless the file itself is broken.
"""

import argparse
import json
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from tests.study.conftest import without_processes
from tests.study.program import run
from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.study.charts import export
from thetafront.study.cli import app
from thetafront.study.log.ledger import Ledger
from thetafront.study.page import results

NAME = "drill"
SWEEP = ["pacman_small", "--name", NAME, "--trials", "8", "--design-size", "4", "--replicates", "3"]
SWEEP += ["--validation-points", "2", "--validation-games", "5", "--jobs", "1"]
READING = ("status", "front", "export", "pick", "utilization", "compare", "plot")
TABLES = ("front.csv", "trials.csv", "games.csv")
EACH_AS_PROCESS = 25  # rounds between two that run as real processes
WRONG = (None, 0.5, 3, -1, 1e300, 7.25, "abc", 2, 1, "", "search", "validation", "COMPLETE")
NOT_THE_SAME = ("{}", "[]", "null", "3", '"text"', "NaN", "1e400", "[[[", "")
UNTOLD = ("seconds", "origin", "error", "posterior", "predicted", "front", "model")
"""Columns of tables that nothing but the log tells, and those of the model."""


@dataclass
class Round:
    """A round: what was damaged, and what happened, which all rounds count together."""

    number: int
    rng: random.Random
    counts: Counter[str]
    faults: list[str]
    damage: str = field(default="")

    def fault(self, what: str) -> None:
        """Note something that must not happen."""
        self.faults.append(f"round {self.number}: {self.damage}: {what}")
        print(f"FAULT {self.faults[-1]}", flush=True)

    def command(self, *words: str) -> tuple[int, str]:
        """Run a command in this process; return exit code and output."""
        done = CliRunner().invoke(app, words)
        self.counts[f"{words[0]}, exit code {done.exit_code}"] += 1
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            self.fault(f"{words[0]}: {type(done.exception).__name__}: {done.exception}")
        elif done.exit_code not in {0, 1, 2}:
            self.fault(f"{words[0]}: exit code {done.exit_code}")
        elif "Traceback" in done.output or done.stderr.count("\n") > 1:
            self.fault(f"{words[0]}: more than one line: {done.stderr[:300]}")
        elif done.exit_code and not done.output.strip():
            self.fault(f"{words[0]}: no word of why")
        return done.exit_code, done.output

    def mended(self, words: list[str], is_lossless: Callable[[], bool], may_fail: bool) -> bool:
        """Repair; count how it ended, and return whether it is mended."""
        code, output = self.command(*words, "--repair")
        if code:
            self.counts["not mended"] += 1
            if not may_fail:
                self.fault(f"not mended: {output[-700:]}")
            return False
        if self.command(*words)[0]:
            self.fault("verify after repair")
        how = "all is as before" if is_lossless() else "with a loss"
        self.counts[f"mended, {how}"] += 1
        if how == "with a loss":
            print(f"round {self.number}: {self.damage}: mended with a loss", flush=True)
        return True


# Damage of a database: each takes its path, and says what it has done


def edited(value: Any, rng: random.Random) -> str:
    """Return a JSON text that is not the value's any more."""
    if isinstance(value, dict) and value and rng.random() < 0.6:
        key = rng.choice(sorted(value))
        changed = dict(value)
        if rng.random() < 0.2:
            del changed[key]
            return json.dumps(changed)
        wrong = [[], {}, None, "x", -5, 1.5, 10**30, float("nan"), True, [1, 2]]
        if isinstance(value[key], int | float):
            wrong += [value[key] + 1, value[key] * 2 + 1]
        changed[key] = rng.choice(wrong)
        return json.dumps(changed)
    text = json.dumps(value)
    return rng.choice([*NOT_THE_SAME, text[: len(text) // 2]])


def damage_rows(path: Path, rng: random.Random) -> str:
    """Edit a value of a row, delete a row, or drop a table; the log's more often than Optuna's."""
    how = rng.choice(["value", "value", "json", "json", "row", "table"])
    with closing(sqlite3.connect(path)) as database, database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = sorted(name for (name,) in names if how == "table" or rows_in(database, name))
        table = rng.choice([each for each in tables if "thetafront" in each] * 3 + tables)
        if how == "table":
            database.execute(f"DROP TABLE {table}")
            return f"{table} dropped"
        row = rng.choice(rows_in(database, table))
        if how == "row":
            database.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
            return f"{table} row {row} deleted"
        cursor = database.execute(f"SELECT * FROM {table} WHERE rowid = ?", (row,))
        stored = dict(zip([each[0] for each in cursor.description], cursor.fetchone(), strict=True))
        texts = [name for name, each in stored.items() if isinstance(each, str) and each[:1] == "{"]
        column = rng.choice(texts if how == "json" and texts else sorted(stored))
        value = edited(json.loads(stored[column]), rng) if column in texts else rng.choice(WRONG)
        try:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))
        except sqlite3.IntegrityError:
            return ""
    return f"{table} row {row} {column}: {stored[column]!r:.60} -> {value!r:.90}"


def rows_in(database: sqlite3.Connection, table: str) -> list[int]:
    """Return the numbers of a table's rows."""
    return [row for (row,) in database.execute(f"SELECT rowid FROM {table}")]


def damage_bits(path: Path, rng: random.Random) -> str:
    """Flip bits of the file."""
    content = bytearray(path.read_bytes())
    places = [rng.randrange(len(content)) for _ in range(rng.choice([1, 1, 2, 8, 40]))]
    for place in places:
        content[place] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    return f"file: bits flipped at {places[:5]}"


def damage_length(path: Path, rng: random.Random) -> str:
    """Cut the file."""
    size = path.stat().st_size
    kept = rng.choice([0, 1, 99, 4096, size // 2, size - 1, rng.randrange(size)])
    with path.open("r+b") as file:
        file.truncate(kept)
    return f"file: cut to {kept} of {size} bytes"


def damage_line(path: Path, rng: random.Random) -> str:
    """Edit, delete, double or cut a line of ``games.csv``, or a byte of ``agents.json``."""
    if rng.random() < 0.1:
        return f"agents.json: {damage_bits(path.with_name('agents.json'), rng)}"
    lines = path.read_bytes().splitlines(keepends=True)
    number = rng.randrange(1, len(lines))
    line = lines[number]
    how = rng.choice(["digit", "word", "delete", "double", "cut", "return", "bytes"])
    if how == "digit":
        place = rng.choice([k for k, byte in enumerate(line) if chr(byte).isdigit()])
        digit = str((int(chr(line[place])) + rng.randrange(1, 10)) % 10).encode()
        lines[number] = line[:place] + digit + line[place + 1 :]
    elif how == "word":
        words = line.rstrip(b"\n").split(b",")
        wrong = [b"", b"x", b"nan", b"-1", b"9" * 30, b"1e99"]
        words[rng.randrange(len(words))] = rng.choice(wrong)
        lines[number] = b",".join(words) + b"\n"
    elif how in {"delete", "double"}:
        lines[number : number + 1] = [line, line] if how == "double" else []
    elif how == "cut":
        lines[number] = line[: rng.randrange(1, len(line))]
    elif how == "return":
        lines[number] = line.replace(b"\n", b"\r\n")
    else:
        lines[number] = bytes(rng.randrange(256) for _ in range(20)) + b"\n"
    path.write_bytes(b"".join(lines))
    return f"games.csv line {number + 1}: {how}: {line.decode().rstrip()}"


# The drill


def tables_of(folder: Path) -> list[list[str]]:
    """Return the lines of the exported tables in any order, without what nothing tells."""
    frames = [pd.read_csv(folder / name, dtype=str) for name in TABLES]
    told = [frame[[c for c in frame if not any(u in c for u in UNTOLD)]] for frame in frames]
    return [sorted(frame.to_csv(index=False).splitlines()) for frame in told]


def reading_words(name: str, folder: Path) -> list[str]:
    """Return a reading command's words."""
    more = ["--win-rate", "0.01", "--games", "0"] if name == "pick" else []
    return [name, NAME, "--results", str(folder), *more]


def drill_study(original: Path, results: Path, this: Round) -> None:
    """Damage a copy of the study, read it, verify it, repair it."""
    folder = results / NAME
    shutil.copytree(original / NAME, folder)
    plain = tables_of(folder)
    if this.rng.random() < 0.5:  # nothing but the database to tell what is damaged
        for path in folder.iterdir():
            if path.name != "study.db":
                path.unlink()
    damages = [damage_rows, damage_rows, damage_rows, damage_bits, damage_length]
    this.damage = this.rng.choice(damages)(folder / "study.db", this.rng)
    if not this.damage:
        return
    codes = {name: this.command(*reading_words(name, results))[0] for name in READING}
    if this.number % EACH_AS_PROCESS == 0:
        for name in ("export", "status"):
            done = run(*reading_words(name, results))
            if "Traceback" in done.stderr or done.returncode not in {0, 1, 2}:
                this.fault(f"process {name}: {done.stderr[-300:]}")
    is_changed = codes["export"] == 0 and tables_of(folder) != plain
    words = ["verify", NAME, "--games", "all", "--jobs", "1", "--results", str(results)]
    if this.command(*words)[0] == 0:
        if is_changed:
            this.fault("verify does not find what changes the tables")
        if codes["export"] == 1:
            this.fault("export refuses what verify finds in order")
        return

    def is_lossless() -> bool:
        code, output = this.command(*reading_words("export", results))
        if code:
            this.fault(f"export after repair: {output[-300:]}")
        return not code and tables_of(folder) == plain

    is_of_file = this.damage.startswith("file") or "thetafront_study" in this.damage
    this.mended(words, is_lossless, may_fail=is_of_file)


def drill_table(original: Path, results: Path, this: Round) -> None:
    """Damage a copy of the table of games, verify it, repair it."""
    folder = results / "table"
    shutil.copytree(original / "table", folder)
    path = folder / "games.csv"
    before = without_seconds(path)
    this.damage = damage_line(path, this.rng)
    words = ["verify", str(folder), "--games", "all", "--jobs", "1"]
    if this.command(*words)[0] == 0:
        # A game less was never played.
        if without_seconds(path) != before and "delete" not in this.damage:
            this.fault("verify does not find it")
        return
    may_fail = "agents.json" in this.damage
    this.mended(words, lambda: without_seconds(path) == before, may_fail)


def without_seconds(path: Path) -> list[list[bytes]]:
    """Return a table's cells without the CPU seconds."""
    lines = [line.split(b",") for line in path.read_bytes().splitlines()]
    return sorted([*words[:4], *words[5:]] for words in lines)


def make_originals(folder: Path) -> None:
    """Make the study and the table that are damaged."""
    done = CliRunner().invoke(app, ["sweep", *SWEEP, "--results", str(folder)])
    if done.exit_code:
        sys.exit(f"the study cannot be made: {done.output}")
    (folder / "table").mkdir()
    ledger = Ledger(folder / "table" / "games.csv", PacmanGame)
    with ledger.held():
        for agent in (PacmanRandom(), PacmanAStar()):
            ledger.add(agent, *[agent.play(seed) for seed in range(20)])


def main() -> None:
    """Run the drill; exit code 1 if something happened that must not."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=200, help="rounds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="first round")
    asked = parser.parse_args()
    without_processes(pytest.MonkeyPatch())  # their start would take most of the drill's time
    for module in (export, results):
        module.draw = lambda *_: []  # type: ignore[attr-defined]
    counts: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as original:
        make_originals(Path(original))
        for number in range(asked.first, asked.first + asked.n):
            this = Round(number, random.Random(f"{asked.seed} {number}"), counts, faults)
            drill = drill_table if this.rng.random() < 0.25 else drill_study
            with tempfile.TemporaryDirectory() as results_:
                drill(Path(original), Path(results_), this)
    for name, count in sorted(counts.items()):
        print(f"{count:6,}  {name}")
    print(f"{len(faults):6,}  faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
