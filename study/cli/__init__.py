"""The command line: ``thetafront``, also ``python -m thetafront``. Words in, text out.

It parses options, calls the rooms below and prints what they return. It may import all of them, but
slow libraries only inside the commands: help and completion stay fast.
"""

# The help lists commands in the order of these imports.
from thetafront.study.cli import catalog, tryout, tune, cluster, train  # noqa: I001
from thetafront.study.cli import read, report, verify, play, inspect, compare
from thetafront.study.cli.program import app, main

__all__ = [
    "app",
    "catalog",
    "cluster",
    "compare",
    "inspect",
    "main",
    "play",
    "read",
    "report",
    "train",
    "tryout",
    "tune",
    "verify",
]
