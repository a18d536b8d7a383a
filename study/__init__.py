"""Studies: design, search, validation, report.

The subpackages of this package are layers, in the order that pyproject.toml lists. Each layer
imports only the layers below it. Scripts and notebooks import from :mod:`thetafront` itself.
"""
