"""What must be right around the program: its streams, limits, and environment."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.study.program import COMMAND
from thetafront.__main__ import drop_impossible_sizes

PROGRAM = shlex.join(COMMAND)
VERSION = f"{PROGRAM} --version"
SWEEP = f"{PROGRAM} sweep pacman_small --trials 2 --design-size 2 --replicates 4 --jobs 2"
SWEEP += " --validation-points 2 --validation-games 2 --name s --results ."


def shell(command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = ["bash", "-c", command]
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_streams_that_are_not_needed_may_be_closed(closed: str) -> None:
    done = shell(f"{VERSION} {closed}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("thetafront ")


@pytest.mark.parametrize("closed", [">&-", "<&- >&-"])
def test_without_standard_output_nothing_is_done(closed: str) -> None:
    done = shell(f"{VERSION} {closed}")
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
    done = shell(f"ulimit -v 400000; {VERSION}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "thetafront: memory must be limited to 1572864 KiB or more (ulimit -v; got 400000 KiB)\n"
    )
    assert shell(f"ulimit -v 1600000; {VERSION}").returncode == 0


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
    done = shell(f"NUMBA_OPT=9 {PROGRAM} status none")
    assert "Traceback" not in done.stderr
    assert all(line.startswith("thetafront: ") for line in done.stderr.splitlines())


@pytest.mark.sweeps
@pytest.mark.parametrize(
    "around",
    [
        "{} <&- 2>&-",
        "ulimit -v 1600000; {}",
        "ulimit -n 32; {}",
        "env -u HOME {}",
        "TMPDIR=/no/such {}",
        "LANG=C LC_ALL=C PYTHONUTF8=0 {}",
        "TERM=dumb {}",
        "COLUMNS=1 {}",
        'env -i PYTHONPATH="$PYTHONPATH" {}',
    ],
)
def test_a_sweep_does_its_work(around: str, tmp_path: Path) -> None:
    done = shell(around.format(SWEEP), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "s" / "front.csv").exists()


@pytest.mark.sweeps
@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (f"{PROGRAM} agents >/dev/full", 1, "No space left"),
        (f"ulimit -f 100; {SWEEP}", 1, "File too large"),
        (f"{SWEEP} --name file", 2, "is a file"),
    ],
)
def test_it_says_in_one_line_what_is_wrong(
    command: str, code: int, says: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine\n")
    done = shell(command, tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert says in done.stderr
    if code == 2:
        assert list(tmp_path.rglob("*")) == [tmp_path / "file"], "nothing may be written"


@pytest.mark.sweeps
def test_a_cache_that_cannot_be_written_is_done_without() -> None:
    done = shell(f"THETAFRONT_CACHE_DIR=/proc/cache {PROGRAM} play dice --games 1")
    assert (done.returncode, done.stderr) == (0, "")
