"""Help, version and shell completion: complete, readable and quick."""

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from tests.processes import python
from tests.study.program import run, succeeded
from thetafront.study.cli import app


def commands(
    group: Any = None, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command and group, with the words that name it."""
    group = typer.main.get_command(app) if group is None else group
    yield words, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*words, name))


COMMANDS = dict(commands())


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_help_fits_and_is_whole(words: tuple[str, ...], option: str) -> None:
    shown = succeeded(None, *words, option)
    assert not re.search(r"\w\.\.\.$", shown, re.MULTILINE), "a description is cut off"
    assert max(len(line) for line in shown.splitlines()) <= 80
    for name in getattr(COMMANDS[words], "commands", {}):
        assert re.search(rf"^  {name} +\S", shown, re.MULTILINE)
    for parameter in COMMANDS[words].params:
        assert parameter.help, f"{parameter.name} has no help"


def test_the_version_is_that_of_the_project() -> None:
    shown = run("--version")
    assert shown.returncode == 0
    assert re.fullmatch(r"thetafront \d+\.\d+\.\d+\n", shown.stdout)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("thetafront sw", ["sweep"]),
        ("thetafront play --the", ["--theta"]),
        ("thetafront status m", ["mine"]),
    ],
)
def test_words_are_completed(
    words: str, offered: list[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = tmp_path / "results" / "mine" / "study.db"
    study.parent.mkdir(parents=True)
    study.write_bytes(b"")
    environment = {
        "_THETAFRONT_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    program = (
        "import sys; sys.argv[0] = 'thetafront'; sys.stderr = sys.stdout\n"
        "from thetafront.study.cli import main; main()"
    )
    assert python(program, env=environment).split() == offered


def test_a_completion_script_is_shown() -> None:
    program = "from thetafront.__main__ import main; main()"
    environment = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "COMP_WORDS" in python(program, "--show-completion", "bash", env=environment)


def test_the_program_starts_without_slow_libraries() -> None:
    slow = ("numba", "optuna", "pandas", "matplotlib", "scipy", "numpy", "rich.table", "sqlalchemy")
    program = f"import sys, thetafront.study.cli; print([m for m in {slow} if m in sys.modules])"
    assert python(program) == "[]\n"
    assert "sweep" in run().stdout, "without arguments, help"
