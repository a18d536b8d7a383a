"""How a run was started: by a command, or by a call from Python.

Manifests and locks record this command or call. Messages name options in the same form.
"""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from thetafront.study.text import without_password

CALL: ContextVar[str] = ContextVar("call", default="")
"""The call from Python that is running, with passwords masked; empty for a command."""


def command_line() -> str:
    """Return the command (without thetafront's path) or the Python call; passwords are masked."""
    program = Path(sys.argv[0])
    is_ours = "thetafront" in {program.stem, program.parent.name}  # or `python -m thetafront`
    command = ["thetafront", *sys.argv[1:]] if is_ours else ["python", *sys.orig_argv[1:]]
    return CALL.get() or shlex.join(map(without_password, command))


@contextmanager
def called(call: str) -> Iterator[None]:
    """Record, until the block ends, that a Python call such as ``sweep('dice')`` is running."""
    token = CALL.set(call)
    try:
        yield
    finally:
        CALL.reset(token)


def option(name: str) -> str:
    """Return an option as it is given: ``--design-size``, or ``design_size`` in a call."""
    return name.replace("-", "_") if CALL.get() else f"--{name.replace('_', '-')}"
