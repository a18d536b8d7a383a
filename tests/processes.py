"""Programs in a fresh process of Python, for what only such a one shows."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def python(
    program: str, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Run a program, with more variables in its environment; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=cwd,
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
