"""The command line: ``thetafront``, also ``python -m thetafront``.

It parses options, calls the other subpackages and prints what they return. It may import all of
them, but imports slow libraries only inside the commands, so that help and completion are fast.
"""

from thetafront.study.cli import catalog, cluster, compare, play, read, report, train, tune  # noqa: F401
from thetafront.study.cli.program import app, main

__all__ = ["app", "main"]
