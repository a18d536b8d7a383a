"""The command line: ``thetafront``, also ``python -m thetafront``. Words in, text out.

It parses options, calls the rooms below and prints what they return. It may import all of them, but
slow libraries only inside the commands: help and completion stay fast.
"""

from thetafront.study.cli import catalog, cluster, compare, play, read, report, train, tune  # noqa: F401
from thetafront.study.cli.program import app, main

__all__ = ["app", "main"]
