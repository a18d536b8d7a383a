"""The program as a real process, and refusals that several tests look at."""

import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from thetafront.study.cli import app

COMMAND = [sys.executable, "-m", "thetafront"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=1200
    )


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
