"""The program as a real process, and refusals that several tests look at."""

import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from study.cli import app

COMMAND = [sys.executable, "-m", "study"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=300
    )


def output_refused(words: list[str], output: Path) -> str:
    """Give a command a folder that cannot be made: one line, which names the option that was given."""
    refused = CliRunner().invoke(app, [*words, "--output", str(output)])
    assert refused.exit_code == 2, refused.stderr
    assert refused.stderr.startswith("thetafront: output: ")
    assert refused.stderr.count("\n") == 1
    return refused.stderr
