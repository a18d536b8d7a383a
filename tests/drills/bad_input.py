"""Bad inputs to every command and option: one line, exit code 2, nothing written.

Options and commands are read from the program, so that new ones are tried, too. Most inputs are
tried in this process, some also as processes of their own.

    python -m tests.drills.bad_input --processes 20
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from thetafront.study.cli import app

Words = list[str]

MAX_SECONDS = 20
HUGE = "9" * 23
WHOLE = ("", "x", "1.5", "nan", "inf", "-1", "1e3", HUGE, "-" + HUGE, "9" * 5000, "½", "0x10", "1_")
REAL = ("", "x", "nan", "inf", "-inf", "-1", "1e999", "1,5", "½", "--")
NAMES = (
    "",
    " ",
    "../x",
    "a/b",
    "x" * 300,
    "θ",
    "a\tb",
    "a\nb",
    "\udcff",
    "[/red]",
    ":x:",
    "%s",
    ".",
)
URLS = (
    "sqlite://",
    "sqlite:///",
    "sqlite:///:memory:",
    "sqlite:////no/such/folder/x.db",
    "sqlite:////proc",
    "sqlite:////dev/null",
    "sqlite:///x.db?mode=ro",
    "sqlite:///file:x.db?uri=true",
    "nonsense://me:secret@host/x",
    "postgresql://me:secret@host:port/x",
    "://",
)
FOLDERS = ("", "no/such/folder", "file", "file/x", "/proc/x", "/dev/null", "x" * 300, "\udcff")
TEXTS = ("", ",", "x", "1,2", "nan,nan,nan,nan,nan,nan", HUGE, "=", "a=b=c", "θ=1", "\udcff", "\t")
BOARD = "2 4 8 16 / 4 8 16 32 / 8 16 32 64 / 64 128 . ."
NEEDED: dict[str, Words] = {  # arguments and options that a command cannot do without
    "act": ["--board", BOARD],
    "play": ["random"],
    "validate": ["study"],
    "status": ["study"],
    "front": ["study"],
    "plot": ["study"],
    "export": ["study"],
    "compare": ["study"],
    "utilization": ["study"],
    "equal-time": ["one", "two"],
}
CONTRADICTIONS: tuple[Words, ...] = (
    ["watch", "--seed", "1", "--replay", "1"],
    ["watch", "pacman", "--human"],
    ["pick", "study", "--min-score", "1", "--max-seconds-per-move", "1"],
    ["pick", "study"],
    ["equal-time", "one", "one"],
    ["compare", "one", "one"],
    ["play", "mcmdp", "--layout", "small"],
    ["play", "pacman_mdp", "--layout", "small", "--set", "layout=small"],
    ["play", "mcmdp", "--theta", "500.5,54,18,9,6.25,1"],
    ["play", "mcmdp", "--theta", "1e9,1,1,1,1,1"],
    ["play", "pmcts", "--set", f"n_playouts={HUGE}"],
    ["play", "uct", "--set", "n_simulations=1e6"],
    ["play", "dice", "--set", "n_dice=20", "--set", "n_sides=1000"],
    ["play", "random", "--games", HUGE],
    ["play", "random", "--seed", str(2**62)],
    ["act", "--board", "2"],
    ["act", "--board", ". " * 16],
    ["act", "--board", "2 4 2 4 / 4 2 4 2 / 2 4 2 4 / 4 2 4 2"],
    ["act", "--board", "3 " * 16],
    ["act", "--board", BOARD, "--agent", "dice"],
    ["schedule", "--agent", "pmcts"],
    ["fly"],
    ["sweep", "chess"],
    ["sweep", "--design", "grid"],
    ["sweep", "--name", "reference"],
    ["sweep", "--jobs", "99999"],
    *([name, "a\0b"] for name in ("report", "front", "export", "sweep", "verify", "validate")),
    *(["cluster", f"tcp://{host}:1"] for host in ("\u202eh", "a..b", "h" * 64)),
    *(["try", f"{HUGE}.{end}"] for end in ("py", "toml", "py:X")),
    ["try", "file:X"],
    ["try", "no.such.module:X"],
    ["plot", "no/such/folder/"],
    ["plot", "./"],
)


def commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all commands with their words."""
    for name, command in group.commands.items():
        words = (*before, name)
        if hasattr(command, "commands"):
            yield from commands(command, words)
        else:
            yield words, command


def values_for(parameter: Any) -> tuple[str, ...]:
    """Return what is bad in a parameter's place; nothing for flags."""
    if getattr(parameter, "is_flag", False) or parameter.name == "help":
        return ()
    if parameter.metavar == "N":
        return WHOLE
    if parameter.metavar == "X":
        return REAL
    if parameter.metavar == "FOLDER":
        return FOLDERS
    if parameter.name in {"storage", "study"}:
        return URLS
    return NAMES if parameter.name in {"name", "experiment"} else TEXTS


def bad_inputs() -> Iterator[Words]:
    """Yield command lines of which none can be obeyed."""
    yield from CONTRADICTIONS
    for words, command in commands(typer.main.get_command(app)):
        needed = NEEDED.get(words[0], [])
        yield [*words, *needed, "--wings"]
        yield [*words, *needed, *["surplus"] * 9] if words != ("compare",) else [*words, "a", "a"]
        context = command.make_context(words[-1], [], resilient_parsing=True)
        for parameter in command.get_params(context):
            if parameter.param_type_name == "argument":
                continue
            for value in values_for(parameter):
                yield [*words, *needed, parameter.opts[0], value]


class TooLongError(Exception):
    """A command did not refuse its input in time."""


def too_long(*_: object) -> None:
    """Answer the alarm."""
    raise TooLongError


def problem_of(code: int, stdout: str, stderr: str, written: list[str]) -> str:
    """Say what is wrong with how an input was refused; empty if nothing is."""
    if code != 2:
        return f"exit code {code}"
    if stdout:
        return "something on standard output"
    if stderr.count("\n") != 1 or not stderr.startswith("thetafront: "):
        return f"{stderr.count(chr(10))} lines on standard error"
    return f"written: {', '.join(written)}" if written else ""


def files() -> list[str]:
    """Return what the folder holds besides the file that it began with."""
    return sorted(str(path) for path in Path().rglob("*") if path.name not in {"file", "results"})


def here(words: Words) -> str:
    """Give words to the program in this process."""
    signal.alarm(MAX_SECONDS)
    try:
        done = CliRunner().invoke(app, words)
    except TooLongError:
        return "no answer"
    finally:
        signal.alarm(0)
    if isinstance(done.exception, TooLongError):
        return "no answer"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return f"{type(done.exception).__name__}: {done.exception}"
    return problem_of(done.exit_code, done.stdout, done.stderr, files())


def outside(words: Words, path: str) -> str:
    """Give words to the program as a process."""
    done = subprocess.run(
        [sys.executable, "-m", "thetafront", *(os.fsencode(word) for word in words)],
        capture_output=True,
        check=False,
        timeout=MAX_SECONDS,
        env={**os.environ, "PYTHONPATH": path},
    )
    return problem_of(done.returncode, done.stdout.decode(), done.stderr.decode(), files())


def main() -> int:
    """Try all inputs, print counts, and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--processes", type=int, default=20, help="inputs tried as processes")
    options.add_argument("--only", default="", help="a command's first word")
    asked = options.parse_args()
    inputs = [words for words in bad_inputs() if words[0].startswith(asked.only)]
    root = str(Path.cwd())
    signal.signal(signal.SIGALRM, too_long)
    n_problems = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("results").mkdir()
        Path("file").write_text("")
        some = random.Random(1).sample(inputs, min(asked.processes, len(inputs)))
        for words, problem in chain(
            ((words, here(words)) for words in inputs),
            ((words, outside(words, root)) for words in some),
        ):
            if problem:
                n_problems += 1
                print(f"{' '.join(word[:40] for word in words)!r}: {problem}", flush=True)
                shutil.rmtree("results")
                Path("results").mkdir()
        os.chdir(root)
    print(f"{len(inputs)} bad inputs, {len(some)} of them also as processes; {n_problems} problems")
    return 1 if n_problems else 0


if __name__ == "__main__":
    sys.exit(main())
