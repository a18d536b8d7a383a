"""Sweeps that are stopped at random moments, and what their storage holds before and after."""

import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.study.program import COMMAND

# A shell starts background jobs, and all their children, with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

SETTINGS = {
    "--trials": 24,
    "--design-size": 8,
    "--replicates": 4,
    "--jobs": 2,
    "--validation-points": 2,
    "--validation-games": 40,
    "--standard-error": 0.1,
}
SECONDS_TO_END = 120.0
SECONDS_TO_CLEAR = 15.0
GAMES = "SELECT phase, number, replicate, record FROM thetafront_game"

Stored = dict[tuple[str, str, int], str]
"""Games in a storage, by phase, trial or point, and replicate."""


@dataclass
class Study:
    """A sweep's command, and where its study is."""

    results: Path
    name: str

    @property
    def command(self) -> list[str]:
        options = {**SETTINGS, "--name": self.name, "--results": self.results}
        words = [str(word) for option in options.items() for word in option]
        return [*COMMAND, "sweep", "pacman_small", *words]

    @property
    def database(self) -> Path:
        return self.results / self.name / "study.db"

    def run(self) -> str:
        """Run the sweep to its end, and return what went wrong."""
        done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""

    def status(self) -> str:
        """Ask for the status; return what went wrong."""
        command = [*COMMAND, "status", self.name, "--results", str(self.results)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""

    def games(self) -> Stored:
        """Read the games that are stored now."""
        if not self.database.exists():
            return {}
        try:
            with closing(sqlite3.connect(self.database, timeout=60)) as connection:
                rows = connection.execute(GAMES).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):  # they are being made
                return {}
            raise
        games = {(phase, unit, replicate): game for phase, unit, replicate, game in rows}
        if len(games) < len(rows):
            raise AssertionError(f"{len(rows) - len(games)} games are stored twice")
        return games

    def is_whole(self) -> bool:
        """Check the storage by SQLite's own means."""
        if not self.database.exists():
            return True
        with closing(sqlite3.connect(self.database, timeout=60)) as connection:
            return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@dataclass
class Stopped:
    """How a sweep ended that was sent signals."""

    code: int
    seconds: float
    moment: float
    before: Stored
    stderr: str
    n_processes_left: int
    load: float = field(default_factory=lambda: os.getloadavg()[0])


def stop(
    study: Study, moment: float, signals: Sequence[tuple[float, int]], *, to_group: bool = True
) -> Stopped:
    """Start a sweep, and send signals after ``moment`` seconds and the pauses given with them."""
    with tempfile.TemporaryFile("w+") as stderr:
        # With a group of its own, as a shell starts it: a terminal interrupts workers too.
        process = subprocess.Popen(
            study.command, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=moment)
        before = study.games()
        began = time.monotonic()
        for pause, number in signals:
            time.sleep(pause)
            if process.poll() is None:
                (os.killpg if to_group else os.kill)(process.pid, number)
        try:
            process.wait(timeout=SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - began
        n_left = n_processes_left(process.pid)
        stderr.seek(0)
        return Stopped(process.returncode, seconds, moment, before, stderr.read(), n_left)


def n_processes_left(group: int) -> int:
    """Count the processes that a process group still has after a while."""
    deadline = time.monotonic() + SECONDS_TO_CLEAR
    while n_left := sum(is_of(group, each) for each in Path("/proc").glob("[0-9]*/stat")):
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    return n_left


def is_of(group: int, stat: Path) -> bool:
    """Tell whether a process is of a group, and no zombie."""
    try:
        state, _, its_group, *_ = stat.read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return int(its_group) == group and state != "Z"


@dataclass
class Storm:
    """One study after the other, each stopped at random moments until it is complete."""

    results: Path
    draw: random.Random
    n_studies: int = 0
    whole_seconds: float = 0.0
    problems: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Play a whole sweep, to know how long one takes (and to compile kernels)."""
        for _ in range(2):
            self.study = self.another()
            began = time.monotonic()
            if wrong := self.study.run():
                raise SystemExit(f"a sweep fails without any signal: {wrong}")
            self.whole_seconds = time.monotonic() - began
        self.study = self.another()
        print(f"a whole sweep takes {self.whole_seconds:.1f} s", flush=True)

    def another(self) -> Study:
        self.n_studies += 1
        return Study(self.results, f"s{self.n_studies}")

    def moment(self) -> float:
        return self.draw.uniform(0.0, self.whole_seconds)

    def note(self, what: str, detail: str) -> None:
        """Count a problem, and print what is known of it."""
        self.problems[what] += 1
        print(f"{what}: {self.study.name}: {detail}", flush=True)

    def check(self, stopped: Stopped) -> None:
        """Look for lost games and damage; take another study if this one is complete."""
        where = f"after {stopped.moment:.3f} s, exit {stopped.code}"
        after = self.study.games()
        if lost := [key for key, value in stopped.before.items() if after.get(key) != value]:
            self.note("lost games", f"{len(lost)} {where}")
        if not self.study.is_whole():
            self.note("damaged storages", where)
        if stopped.n_processes_left:
            self.note("processes left", f"{stopped.n_processes_left} {where}")
        # One that is killed while it writes a file cannot delete it; the next run replaces it.
        if stopped.code != -signal.SIGKILL:
            self.check_temporary(where)
        # The machine may be busier or quieter than it was: a fourth shall end before the signal.
        self.whole_seconds *= 1.03 if stopped.code else 0.9
        if stopped.code == 0:
            self.check_complete()
            self.study = self.another()

    def check_temporary(self, where: str) -> None:
        """Check that no temporary file is left."""
        if left := [path.name for path in (self.results / self.study.name).glob(".*.part")]:
            self.note("temporary files left", f"{left} {where}")

    def check_complete(self) -> None:
        """Check that a complete study has each game once, in its table too."""
        games = self.study.games()
        table = (self.results / self.study.name / "games.csv").read_text().splitlines()[1:]
        if len(table) != len(games) or len(set(table)) != len(table):
            self.note("tables that differ", f"{len(table)} lines, {len(games)} games stored")

    def end(self) -> None:
        """Complete the last study."""
        if wrong := self.study.run():
            self.note("studies that cannot be completed", wrong)
        else:
            self.check_complete()
            self.check_temporary("at the end")

    def report(self) -> int:
        """Print what was wrong; return the exit code."""
        for what in (
            "lost games",
            "damaged storages",
            "tables that differ",
            "processes left",
            "temporary files left",
        ):
            self.problems.setdefault(what, 0)
        print(", ".join(f"{n} {what}" for what, n in self.problems.items()))
        return 1 if self.problems.total() else 0


@contextmanager
def storm(seed: int) -> Iterator[Storm]:
    """Open a scratch folder of results for a storm."""
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        yield Storm(Path(folder), random.Random(seed))
