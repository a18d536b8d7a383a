"""The command line: ``thetafront``, also ``python -m study``."""

from study.cli import tune, read, look, equal_time, measure, sizes, reproduce  # noqa: I001 - the order in which help lists them
from study.cli.program import app, main

__all__ = ["app", "equal_time", "look", "main", "measure", "read", "reproduce", "sizes", "tune"]
