"""Clusters: the workers of a Dask cluster play, and one coordinator owns the study.

Dask's libraries are optional, and imported inside functions of this room alone.
"""
