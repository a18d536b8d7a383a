"""The program as a real process, and refusals that several tests look at."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from thetafront.study.cli import app

COMMAND = [sys.executable, "-m", "thetafront"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=1200
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
    command = [sys.executable, "-P", "-m", "thetafront", *words]  # -P: no file there is a module
    with subprocess.Popen(
        command, cwd=folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 600
        while not when():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        (os.killpg if to_workers else os.kill)(process.pid, number)
        out, error = process.communicate(timeout=600)
    return process.returncode, out, error


def succeeded(results: Path | None, *words: str) -> str:
    """Give a command that must succeed, with a results folder; return what it prints."""
    more = [] if results is None else ["--results", str(results)]
    done = CliRunner().invoke(app, [*words, *more])
    assert done.exit_code == 0, done.output
    return done.stdout


def refused(*arguments: str) -> str:
    """Give a command bad input: exit code 2, and one line on standard error, which is returned."""
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
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
