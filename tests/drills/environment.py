"""Run the program where something is wrong with what surrounds it.

A command either does its work, with exit code 0 and nothing on standard error, or it says in one
line what is wrong, with exit code 2 (or 1 for a failure of the world), and leaves the folder of
results as it was.
"""

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.drills.sweeps import SETTINGS
from tests.study.program import COMMAND

PROGRAM = shlex.join(COMMAND)
SMALL = {**SETTINGS, "--trials": 2, "--design-size": 2, "--validation-games": 2}
OPTIONS = shlex.join(str(word) for option in SMALL.items() for word in option)
SWEEP = f"{PROGRAM} sweep pacman_small {OPTIONS} --name s --results R"
STATUS = f"{PROGRAM} status s --results R"
SECONDS = 600


@dataclass(frozen=True)
class Case:
    """A command, as a shell gets it, in a folder with the folder of results R.

    Attributes
    ----------
    what : str
        What is wrong.
    command : str
        The command.
    code : int
        The exit code it must have.
    says : str
        A part of its line on standard error; empty if it must do its work.
    before : callable, optional
        Prepares the folder of results.
    """

    what: str
    command: str
    code: int = 0
    says: str = ""
    before: Callable[[Path], None] = lambda results: None


def link_to_itself(results: Path) -> None:
    folder = results / "s"
    folder.mkdir()
    (folder / "study.db").symlink_to("study.db")


def fifo(name: str) -> Callable[[Path], None]:
    """Make a fifo of that name in the study's folder, beside a study that is complete."""

    def make(results: Path) -> None:
        if name != "study.db":
            subprocess.run(
                ["bash", "-c", SWEEP], cwd=results.parent, check=True, capture_output=True
            )
        (results / "s").mkdir(exist_ok=True)
        subprocess.run(["mkfifo", str(results / "s" / name)], check=True)

    return make


def empty_database_beside_games(results: Path) -> None:
    (results / "s").mkdir()
    (results / "s" / "study.db").write_bytes(b"")
    (results / "s" / "games.csv").write_text("phase,trial\n")


def folder_as_database(results: Path) -> None:
    (results / "s" / "study.db").mkdir(parents=True)


def file_as_folder(results: Path) -> None:
    (results / "s").write_text("mine\n")


NOT_A_FILE = "is not a file"
CLOSED = "standard output must be open"
CASES = (
    Case("closed standard input", f"{SWEEP} <&-"),
    Case("closed standard output", f"{SWEEP} >&-", 2, CLOSED),
    Case("closed standard error", f"{SWEEP} 2>&-"),
    Case("all of them closed", f"{STATUS} <&- >&- 2>&-", 2),
    Case("full standard output", f"{PROGRAM} agents >/dev/full", 1, "No space left"),
    Case("database: a link to itself", SWEEP, 2, "a link that leads to itself", link_to_itself),
    Case("the same, read", STATUS, 2, "study", link_to_itself),
    Case("database: a fifo", SWEEP, 2, NOT_A_FILE, fifo("study.db")),
    Case("the same, read", STATUS, 2, NOT_A_FILE, fifo("study.db")),
    Case("database: a folder", SWEEP, 2, NOT_A_FILE, folder_as_database),
    Case("the same, read", STATUS, 2, NOT_A_FILE, folder_as_database),
    Case("lock: a fifo", SWEEP, 2, "is not a file", fifo(".study.db.lock")),
    Case("the same, read", STATUS, 2, "is not a file", fifo(".study.db.lock")),
    Case("games, no study", SWEEP, 2, "left from a deleted study", empty_database_beside_games),
    Case("a study's folder that is a file", SWEEP, 2, "is a file", file_as_folder),
    Case("results that are a file", f"{SWEEP}/../R2", 2, "results"),
    Case("a driver unknown", f"{SWEEP} --storage sqlite+no:///x.db", 2, "SQLite storage must be"),
    Case(
        "a database unknown",
        f"{SWEEP} --storage mysql://host/x",
        2,
        "storage must be sqlite or postgresql",
    ),
    *(
        Case(
            f"memory limited to {kib} KiB",
            f"ulimit -v {kib}; {SWEEP}",
            2,
            "memory must be limited to",
        )
        for kib in (300_000, 600_000, 1_000_000)
    ),
    Case("memory limited to 1,600,000 KiB", f"ulimit -v 1600000; {SWEEP}"),
    Case("32 open files", f"ulimit -n 32; {SWEEP}"),
    Case("no HOME", f"env -u HOME {SWEEP}"),
    Case("TMPDIR missing", f"TMPDIR=/no/such {SWEEP}"),
    Case("plain locale", f"LANG=C LC_ALL=C PYTHONUTF8=0 {SWEEP}"),
    Case("a dumb terminal", f"TERM=dumb {SWEEP}"),
    Case("one column", f"COLUMNS=1 {SWEEP}"),
    Case("no environment", f"env -i {SWEEP}"),
    Case(
        "a cache that cannot be written",
        f"THETAFRONT_CACHE_DIR=/proc/cache {PROGRAM} play dice --games 1",
        0,
    ),
    Case("a file of 100 blocks at most", f"ulimit -f 100; {SWEEP}", 1, ""),
)


def contents(results: Path) -> dict[str, bytes]:
    """Return the files of a folder, with what they hold."""
    return {
        str(path.relative_to(results)): path.read_bytes() if path.is_file() else b""
        for path in sorted(results.rglob("*"))
    }


def problem_of(case: Case) -> str:
    """Run a case; say what is wrong with how the program ends."""
    with tempfile.TemporaryDirectory(prefix="drill-") as scratch:
        results = Path(scratch) / "R"
        results.mkdir()
        case.before(results)
        before = contents(results)
        try:
            done = subprocess.run(
                ["bash", "-c", case.command.replace(" R", f" {results}")],
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return "it hangs"
        lines = done.stderr.splitlines()
        if done.returncode != case.code:
            return f"exit {done.returncode}, not {case.code}: {done.stderr[-500:]!r}"
        if case.code == 0 and lines:
            return f"works, and says {done.stderr[-500:]!r}"
        if case.says and (len(lines) != 1 or case.says not in lines[0]):
            return f"says {done.stderr[-500:]!r}, not {case.says!r}"
        if len(lines) > 1:
            return f"says more than a line: {done.stderr[-500:]!r}"
        if case.code == 2 and contents(results) != before:
            return f"has written {sorted(contents(results).keys() - before.keys())}"
    return ""


def main() -> int:
    """Run the drill; return the exit code."""
    problems = 0
    for case in CASES:
        problem = problem_of(case)
        problems += bool(problem)
        print(f"{case.what}: {problem or 'as it should'}", flush=True)
    print(f"environment: {len(CASES)} cases, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
