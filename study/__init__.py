"""The pipeline: design, search, front. The only place that knows optuna, joblib, SQL and matplotlib.

Importing this package imports none of them: the command line starts fast, and workers stay small.
"""
