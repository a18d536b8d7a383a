"""What must be right before the program begins: its streams, and a limit on memory."""

import os
import subprocess
import sys

import pytest

from thetafront.__main__ import drop_impossible_sizes

COMMAND = f"{sys.executable} -m thetafront --version"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_streams_that_are_not_needed_may_be_closed(closed: str) -> None:
    done = shell(f"{COMMAND} {closed}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("thetafront ")


@pytest.mark.parametrize("closed", [">&-", "<&- >&-"])
def test_without_standard_output_nothing_is_done(closed: str) -> None:
    done = shell(f"{COMMAND} {closed}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "thetafront: standard output must be open (redirect it to /dev/null if you do not need "
        "it)\n"
    )


def test_opened_streams_are_those_of_workers_too() -> None:
    program = (
        "from thetafront.__main__ import open_streams; open_streams(); import subprocess, sys; "
        "sys.exit(subprocess.run(['bash', '-c', 'echo x >&2']).returncode)"
    )
    assert shell(f'{sys.executable} -c "{program}" 2>&-').returncode == 0


def test_too_small_a_limit_on_memory_is_named() -> None:
    done = shell(f"ulimit -v 400000; {COMMAND}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "thetafront: memory must be limited to 1572864 KiB or more (ulimit -v; got 400000 KiB)\n"
    )
    assert shell(f"ulimit -v 1600000; {COMMAND}").returncode == 0


@pytest.mark.parametrize(
    ("given", "kept"), [("0", False), ("00", False), ("9" * 20, False), ("80", True), ("x", True)]
)
def test_sizes_that_no_terminal_has_are_dropped(
    given: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", given)
    drop_impossible_sizes()
    assert ("COLUMNS" in os.environ) is kept


def test_a_warning_of_a_library_is_one_line() -> None:
    """That of numba about a variable that it cannot read has a traceback."""
    done = shell(f"NUMBA_OPT=9 {sys.executable} -m thetafront status none")
    assert "Traceback" not in done.stderr
    assert all(line.startswith("thetafront: ") for line in done.stderr.splitlines())
