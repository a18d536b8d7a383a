"""The command line: ``thetafront``, also ``python -m study``."""

from study.cli import tune, read, measure, reproduce  # noqa: I001 - the order in which help lists them
from study.cli.program import app, main

__all__ = ["app", "main", "measure", "read", "reproduce", "tune"]
