"""Studies: design, search, validation, report.

Its rooms are layers; each imports only those below it (pyproject.toml). What scripts and notebooks
use has its name in :mod:`thetafront` itself.
"""
