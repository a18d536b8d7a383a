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
from typer.testing import CliRunner

from tests.study.program import run
from thetafront.agents.agent import Game
from thetafront.agents.pacman.agent import PacmanGame
from thetafront.agents.pacman.astar import PacmanAStar
from thetafront.agents.pacman.random import PacmanRandom
from thetafront.study.charts import export
from thetafront.study.check import verification
from thetafront.study.cli import app
from thetafront.study.log.ledger import Ledger
from thetafront.study.page import results

NAME = "drill"
SWEEP = ["pacman_small", "--name", NAME, "--trials", "8", "--design-size", "4", "--replicates", "3"]
SWEEP += ["--validation-points", "2", "--validation-games", "5", "--jobs", "1"]
READING = ("status", "front", "export", "pick", "utilization", "compare", "plot")
TABLES = ("front.csv", "trials.csv", "games.csv")
EACH_AS_PROCESS = 25  # rounds between two that run as real processes
JSON_COLUMNS = {
    "thetafront_study": ("record",),
    "thetafront_point": ("theta", "notes"),
    "thetafront_game": ("record",),
    "thetafront_event": ("record",),
    "trial_user_attributes": ("value_json",),
}
OTHER_COLUMNS = {
    "thetafront_study": ("name", "study", "checksum"),
    "thetafront_point": ("study", "phase", "number", "origin", "n_games", "at", "checksum"),
    "thetafront_game": (
        *("study", "phase", "number", "replicate", "sequence", "seed", "score", "n_moves"),
        *("seconds", "machine", "at", "checksum"),
    ),
    "thetafront_event": ("study", "number", "kind", "n_points", "n_games", "at", "checksum"),
    "trials": ("number", "state"),
    "trial_params": ("param_value", "param_name", "distribution_json"),
    "trial_values": ("value", "value_type", "objective"),
    "studies": ("study_name",),
}
WRONG = (None, 0.5, 3, -1, 1e300, 7.25, "abc", 2, 1, "", "search", "validation", "COMPLETE")
TABLES_DROPPED = (*(name for name in OTHER_COLUMNS), "study_directions", "alembic_version")


@dataclass
class Tally:
    """What happened, and what must not have."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, round_: int, damage: str, what: str) -> None:
        """Note something that must not happen."""
        self.faults.append(f"round {round_}: {damage}: {what}")
        print(f"FAULT {self.faults[-1]}", flush=True)


def play_here(entries: Any, *_: Any) -> list[Game]:
    """Play without workers, whose start would take most of the drill's time."""
    return [entry.agent.play(entry.seed) for entry in entries]


def command(*words: str) -> tuple[int, str, str]:
    """Run a command in this process; return exit code, output, and what must not be."""
    done = CliRunner().invoke(app, words)
    crash = ""
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        crash = f"{type(done.exception).__name__}: {done.exception}"
    elif done.exit_code not in {0, 1, 2}:
        crash = f"exit code {done.exit_code}"
    elif "Traceback" in done.output or done.stderr.count("\n") > 1:
        crash = f"more than one line: {done.stderr[:300]}"
    elif done.exit_code and not done.output.strip():
        crash = "no word of why"
    return done.exit_code, done.output, crash


# Damage of a database


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
    return rng.choice(
        ["{}", "[]", "null", "3", '"text"', "NaN", "1e400", "[[[", "", text[: len(text) // 2]]
    )


def damage_json(path: Path, rng: random.Random) -> str:
    """Edit a JSON value."""
    table = rng.choice(sorted(JSON_COLUMNS))
    column = rng.choice(JSON_COLUMNS[table])
    with closing(sqlite3.connect(path)) as database, database:
        rows = database.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        row, stored = rng.choice(rows)
        text = edited(json.loads(stored), rng)
        database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (text, row))
    return f"{table} row {row}: {stored[:60]} -> {text[:90]}"


def damage_value(path: Path, rng: random.Random) -> str:
    """Edit a value of a row."""
    table = rng.choice(sorted(OTHER_COLUMNS))
    column, value = rng.choice(OTHER_COLUMNS[table]), rng.choice(WRONG)
    with closing(sqlite3.connect(path)) as database, database:
        (row,) = rng.choice(database.execute(f"SELECT rowid FROM {table}").fetchall())
        before = database.execute(
            f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)
        ).fetchone()
        try:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))
        except sqlite3.IntegrityError:
            return "nothing"
    return f"{table} row {row} {column}: {before[0]!r:.60} -> {value!r}"


def damage_row(path: Path, rng: random.Random) -> str:
    """Delete a row."""
    table = rng.choice(sorted(OTHER_COLUMNS))
    with closing(sqlite3.connect(path)) as database, database:
        (row,) = rng.choice(database.execute(f"SELECT rowid FROM {table}").fetchall())
        database.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
    return f"{table} row {row} deleted"


def damage_table(path: Path, rng: random.Random) -> str:
    """Drop a table."""
    table = rng.choice(TABLES_DROPPED)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"DROP TABLE {table}")
    return f"{table} dropped"


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


STUDY_DAMAGES: list[Callable[[Path, random.Random], str]] = [
    damage_json,
    damage_json,
    damage_value,
    damage_value,
    damage_row,
    damage_table,
    damage_bits,
    damage_length,
]


# Damage of a table of games


def damage_line(path: Path, rng: random.Random) -> str:
    """Edit, delete, double or cut a line of ``games.csv``, or a byte of ``agents.json``."""
    if rng.random() < 0.1:
        path = path.with_name("agents.json")
        content = bytearray(path.read_bytes())
        place = rng.randrange(len(content))
        content[place] ^= 1 << rng.randrange(7)
        path.write_bytes(content)
        return f"agents.json: bit flipped at {place}"
    lines = path.read_bytes().splitlines(keepends=True)
    number = rng.randrange(1, len(lines))
    line = lines[number]
    how = rng.choice(["digit", "word", "delete", "double", "cut", "return", "bytes"])
    if how == "digit":
        places = [k for k, byte in enumerate(line) if chr(byte).isdigit()]
        place = rng.choice(places)
        digit = str((int(chr(line[place])) + rng.randrange(1, 10)) % 10).encode()
        lines[number] = line[:place] + digit + line[place + 1 :]
    elif how == "word":
        words = line.rstrip(b"\n").split(b",")
        words[rng.randrange(len(words))] = rng.choice(
            [b"", b"x", b"nan", b"-1", b"9" * 30, b"1e99"]
        )
        lines[number] = b",".join(words) + b"\n"
    elif how == "delete":
        del lines[number]
    elif how == "double":
        lines.insert(number, line)
    elif how == "cut":
        lines[number] = line[: rng.randrange(1, len(line))]
    elif how == "return":
        lines[number] = line.replace(b"\n", b"\r\n")
    else:
        lines[number] = bytes(rng.randrange(256) for _ in range(20)) + b"\n"
    path.write_bytes(b"".join(lines))
    return f"games.csv line {number + 1}: {how}: {line.decode().rstrip()}"


# The drill


def tables_of(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the exported tables, without what nothing tells: seconds, texts, and the model."""
    found = {}
    for name in TABLES:
        frame = pd.read_csv(folder / name, dtype=str)
        untold = ("seconds", "origin", "error", "posterior", "predicted", "front", "model")
        found[name] = frame[[c for c in frame if not any(each in c for each in untold)]]
    return found


def same(one: dict[str, pd.DataFrame], other: dict[str, pd.DataFrame]) -> bool:
    """Return whether tables are the same, in any order of rows."""
    for name, frame in one.items():
        lines = [sorted(each.to_csv(index=False).splitlines()) for each in (frame, other[name])]
        if lines[0] != lines[1]:
            return False
    return True


def reading_words(name: str, folder: Path) -> list[str]:
    """Return a reading command's words."""
    words = [name, NAME, "--results", str(folder)]
    if name == "pick":
        words += ["--min-win-rate", "0.01", "--games", "0"]
    return words


def drill_study(original: Path, round_: int, rng: random.Random, tally: Tally) -> None:
    """Damage a copy of the study, read it, verify it, repair it."""
    with tempfile.TemporaryDirectory() as temporary:
        results = Path(temporary)
        shutil.copytree(original / NAME, results / NAME)
        before = {name: (results / NAME / name).read_bytes() for name in TABLES}
        plain = tables_of(results / NAME)
        if rng.random() < 0.5:  # nothing but the database to tell what is damaged
            for path in (results / NAME).iterdir():
                if path.name != "study.db":
                    path.unlink()
        damage = rng.choice(STUDY_DAMAGES)(results / NAME / "study.db", rng)
        if damage == "nothing":
            return
        tally.counts["damages of a study"] += 1
        codes = {}
        for name in READING:
            codes[name], output, crash = command(*reading_words(name, results))
            tally.counts[f"reading commands, exit code {codes[name]}"] += 1
            if crash:
                tally.fault(round_, damage, f"{name}: {crash}")
        if round_ % EACH_AS_PROCESS == 0:
            for name in ("export", "status"):
                done = run(*reading_words(name, results))
                tally.counts["reading commands as processes"] += 1
                if "Traceback" in done.stderr or done.returncode not in {0, 1, 2}:
                    tally.fault(round_, damage, f"process {name}: {done.stderr[-300:]}")
        is_changed = codes["export"] == 0 and not same(plain, tables_of(results / NAME))
        words = ["verify", NAME, "--games", "all", "--jobs", "1", "--results", str(results)]
        code, output, crash = command(*words)
        tally.counts[f"verify, exit code {code}"] += 1
        if crash:
            tally.fault(round_, damage, f"verify: {crash}")
        if is_changed and code == 0:
            tally.fault(round_, damage, "verify does not find what changes the tables")
        if codes["export"] == 1 and code == 0:
            tally.fault(round_, damage, "export refuses what verify finds in order")
        if code == 0:
            tally.counts["nothing that is reported was damaged"] += 1
            return
        code, output, crash = command(*words, "--repair")
        if crash:
            tally.fault(round_, damage, f"repair: {crash}")
        if code:
            is_of_file = damage.startswith("file") or "thetafront_study" in damage
            tally.counts["not mended"] += 1
            if not is_of_file:
                tally.fault(round_, damage, f"not mended: {output[-700:]}")
            return
        tally.counts["mended"] += 1
        code, output, crash = command(*words)
        if code or crash:
            tally.fault(round_, damage, f"verify after repair: {code} {crash}")
        code, output, crash = command(*reading_words("export", results))
        if code or crash:
            tally.fault(round_, damage, f"export after repair: {code} {crash} {output[-300:]}")
        elif all((results / NAME / name).read_bytes() == before[name] for name in TABLES):
            tally.counts["mended, tables equal byte for byte"] += 1
        elif same(plain, tables_of(results / NAME)):
            tally.counts["mended, tables equal but for seconds and texts"] += 1
        else:
            tally.counts["mended, with a loss that is told"] += 1
            print(f"round {round_}: {damage}: mended with a loss", flush=True)


def drill_table(original: Path, round_: int, rng: random.Random, tally: Tally) -> None:
    """Damage a copy of the table of games, verify it, repair it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "table"
        shutil.copytree(original / "table", folder)
        path = folder / "games.csv"
        before = path.read_bytes()
        damage = damage_line(path, rng)
        tally.counts["damages of a table"] += 1
        words = ["verify", str(folder), "--games", "all", "--jobs", "1"]
        code, output, crash = command(*words)
        tally.counts[f"verify, exit code {code}"] += 1
        if crash:
            tally.fault(round_, damage, f"verify: {crash}")
        is_changed = without_seconds(path.read_bytes()) != without_seconds(before)
        if code == 0 and is_changed and "delete" not in damage:  # a game less was never played
            tally.fault(round_, damage, "verify does not find it")
        if code == 0:
            tally.counts["nothing that is reported was damaged"] += 1
            return
        code, output, crash = command(*words, "--repair")
        if crash or (code and "agents.json" not in damage):
            tally.fault(round_, damage, f"repair: {code} {crash} {output[-500:]}")
        tally.counts["not mended" if code else "mended"] += 1
        if not code and without_seconds(path.read_bytes()) == without_seconds(before):
            tally.counts["mended, tables equal but for seconds and texts"] += 1
        elif not code:
            tally.counts["mended, with a loss that is told"] += 1
            print(f"round {round_}: {damage}: mended with a loss", flush=True)


def without_seconds(content: bytes) -> list[list[bytes]]:
    """Return a table's cells without the CPU seconds."""
    return sorted(
        [cell for place, cell in enumerate(line.split(b",")) if place != 4]
        for line in content.splitlines()
    )


def make_originals(folder: Path) -> None:
    """Make the study and the table that are damaged."""
    code, output, crash = command("sweep", *SWEEP, "--results", str(folder))
    if code or crash:
        sys.exit(f"the study cannot be made: {crash} {output}")
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
    verification.play_again = play_here  # type: ignore[assignment]
    for module in (export, results):
        module.draw = lambda *_: []  # type: ignore[attr-defined]
    tally = Tally()
    with tempfile.TemporaryDirectory() as temporary:
        original = Path(temporary)
        make_originals(original)
        for round_ in range(asked.first, asked.first + asked.n):
            rng = random.Random(f"{asked.seed} {round_}")
            drill = drill_table if rng.random() < 0.25 else drill_study
            drill(original, round_, rng, tally)
    for name, count in sorted(tally.counts.items()):
        print(f"{count:6,}  {name}")
    print(f"{len(tally.faults):6,}  faults")
    sys.exit(bool(tally.faults))


if __name__ == "__main__":
    main()
