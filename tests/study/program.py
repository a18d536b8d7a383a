"""The program as a real process, and refusals that several tests look at."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from tests.processes import wait_until
from thetafront.study.cli import app

COMMAND = [sys.executable, "-P", "-m", "thetafront"]  # -P: no file here is a module


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=1200
    )


def stored(database: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query; none as long as the database or its tables are not there."""
    if not database.exists():
        return []
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as found:
            return found.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []


def signalled(
    words: Sequence[str],
    folder: Path,
    when: Callable[[], bool],
    number: int = signal.SIGKILL,
    *,
    to_workers: bool = False,
) -> tuple[int, str, str]:
    """Start the program in a folder, and send it a signal as soon as something is so.

    Return its exit code and what it printed. A terminal sends its signals to workers, too.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*COMMAND, *words], cwd=folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as process:

        def is_time() -> bool:
            assert process.poll() is None, process.communicate()
            return when()

        wait_until(is_time, 600)
        (os.killpg if to_workers else os.kill)(process.pid, number)
        out, error = process.communicate(timeout=600)
    return process.returncode, out, error


def execute(database: Path, sql: str) -> None:
    """Change a database by a statement that must find something to change."""
    with closing(sqlite3.connect(database)) as changed, changed:
        assert changed.execute(sql).rowcount != 0


def invoked(results: Path | None, *words: str, code: int = 0) -> Result:
    """Give a command in this process, with a results folder; it must end with this exit code."""
    more = [] if results is None else ["--results", str(results)]
    done = CliRunner().invoke(app, [*words, *more])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == code, done.output
    return done


def succeeded(results: Path | None, *words: str) -> str:
    """Give a command that must succeed, with a results folder; return what it prints."""
    return invoked(results, *words).stdout


def refused(*arguments: str) -> str:
    """Give a command bad input: exit code 2, and one line on standard error, which is returned."""
    done = invoked(None, *arguments, code=2)
    assert done.stdout == ""
    assert done.stderr.startswith("thetafront: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def output_refused(words: list[str], output: Path) -> str:
    """Give a command a folder that cannot be made: the line names the option that was given."""
    line = refused(*words, "--output", str(output))
    assert line.startswith("thetafront: output")
    return line


def is_running(pid: int) -> bool:
    """Tell whether a process exists and is no zombie that waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
