"""Studies: design, search, validation, report.

Its rooms are layers; each imports only those below it (pyproject.toml). The names for scripts and
notebooks are in :mod:`thetafront` itself.
"""
