"""The command line: ``thetafront``, also ``python -m thetafront``.

These modules parse options, call the other subpackages and print what they return. They may import
all of them, but import slow libraries only inside the commands, so that help and completion are
fast.
"""

from thetafront.study.cli import catalog, cluster, compare, play, read, report, train, tune  # noqa: F401
from thetafront.study.cli.program import app, main

__all__ = ["app", "main"]
