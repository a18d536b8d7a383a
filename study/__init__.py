"""Studies: design, search, validation, report.

Its subpackages are layers: each imports only the layers below it, in the order that pyproject.toml
lists. Scripts and notebooks import from :mod:`thetafront` itself.
"""
