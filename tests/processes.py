"""Programs in a fresh process of Python, for what only such a one shows; and waiting."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
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


def wait_until(is_so: Callable[[], object], seconds: float = 60.0, what: str = "") -> None:
    """Wait for something; fail, and say what did not come, when it takes too long."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.02)
