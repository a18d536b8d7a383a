"""Clusters: the workers of a Dask cluster play, and one coordinator process owns the study.

Dask's libraries are optional. Only functions of this subpackage import them.
"""
