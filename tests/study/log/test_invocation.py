"""How a run was started, as manifests record it."""

import sys

import pytest

from thetafront.study.log.invocation import called, command_line


@pytest.mark.parametrize(
    ("program", "given", "expected"),
    [
        ("/a/bin/thetafront", ["/a/bin/thetafront", "sweep", "dice"], "thetafront sweep dice"),
        ("/a/thetafront/__main__.py", ["-m", "thetafront", "sweep"], "thetafront sweep"),
        ("/a/results/b/__main__.py", ["-m", "results.b", "--seeds", "9"], None),
        ("mine.py", ["mine.py", "9"], None),
        ("thetafront", ["thetafront", "pick", "my res; ls"], "thetafront pick 'my res; ls'"),
        (
            "thetafront",
            ["thetafront", "pick", "--storage", "postgresql://me:my @secret@h/s", "--jobs", "1"],
            "thetafront pick --storage 'postgresql://me:***@h/s' --jobs 1",
        ),
        (
            "thetafront",
            ["thetafront", "pick", "--storage=postgresql://h/s?password=my 's", "--jobs", "1"],
            "thetafront pick '--storage=postgresql://h/s?password=***' --jobs 1",
        ),
    ],
)
def test_a_command_is_recorded_as_it_was_given(
    program: str, given: list[str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a script that calls thetafront is not one of thetafront."""
    words = given[2:] if given[0] == "-m" else given[1:]
    monkeypatch.setattr(sys, "argv", [program, *words])
    monkeypatch.setattr(sys, "orig_argv", ["/a/bin/python", *given])
    assert command_line() == (expected or " ".join(["python", *given]))
    with called("sweep('dice')"):
        assert command_line() == "sweep('dice')"
