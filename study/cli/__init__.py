"""The command line: ``thetafront``, also ``python -m study``."""

from study.cli import tune, read, inspect, equal_time, measure, sizes, reproduce  # noqa: I001 - the order in which help lists them
from study.cli.program import app, main

__all__ = ["app", "equal_time", "inspect", "main", "measure", "read", "reproduce", "sizes", "tune"]
