"""Studies: design, search, validation, report.

Importing this package imports nothing heavy: the command line starts fast, and workers stay small.
Its rooms are layers; each imports only those below it (pyproject.toml).
"""
