"""Measurements of the code itself; run by hand."""
